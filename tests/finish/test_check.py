"""What a look of the gate, and an error before anything was sent, mean for a finish line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.actions.plans import a_plan
from tests.finish.world import BOUND, a_setting
from tui.actions.errors import ActionError
from tui.actions.finish_check import Finding, checked, of_error
from tui.actions.gate import Action, judge
from tui.actions.gate_facts import BoxFacts, BoxFile, RunFacts, Witness
from tui.actions.instance_lock import unkept
from tui.actions.instance_plan import Bound
from tui.links.base import ErrorKind, LinkError
from tui.runs.proofs import Proof


@pytest.mark.parametrize(
    "error",
    [
        unkept(Path("/data/journal.jsonl"), OSError(28, "No space left")),
        ActionError("lost", "lost"),
    ],
)
def test_it_is_said_once_that_nothing_was_sent(error: ActionError) -> None:
    finding = of_error(error)
    assert finding.text.startswith("nothing was sent: ")
    assert finding.text.count("nothing was sent") == 1
    assert finding.result == "failed"


def looked(action: Action = "destroy", bound: Bound = BOUND, name: str = "lab") -> Finding:
    """What a look that finds nothing against it means for a finish line over ``BOUND``."""
    plan = a_plan(action, judge(BoxFacts("lab", 0.0), action))
    return checked(replace(plan, bound=bound, names=(name,)), a_setting())


def test_a_look_that_found_no_run_at_all_proves_nothing() -> None:
    finding = looked()
    assert (finding.result, finding.plan, finding.may_heal) == ("refused", None, True)
    assert finding.text.endswith("bills on: no run was found on it")


@pytest.mark.parametrize(
    ("finding", "text"),
    [
        (looked("stop"), "lab (vast 700001) is not what was meant"),
        (looked(bound=replace(BOUND, id="8")), "lab (vast 8) is not what was meant"),
        (looked(name="700001"), "'lab' names more than lab (vast 700001) now"),
    ],
)
def test_a_plan_of_anything_else_ends_it(finding: Finding, text: str) -> None:
    assert (finding.result, finding.plan, finding.may_heal) == ("failed", None, False)
    assert finding.text == f"nothing was sent: {text}"


@pytest.mark.parametrize(
    ("where", "commit", "may_heal"),
    [("hf://my-org/run1/best.pt", "c" * 40, True), ("/home/me/best.pt", None, False)],
)
def test_a_proof_at_the_hub_that_nobody_could_ask_may_be_asked_again(
    where: str, commit: str | None, may_heal: bool
) -> None:
    digest = "a" * 64
    proof = Proof(
        name="best.pt", where=where, sha256=digest, bytes=9, at=1.0, commit=commit, mtime=1.0
    )
    for witness, heals in ((Witness(proof, None, "no answer"), may_heal), (None, False)):
        file = BoxFile("best.pt", "whole", 9, digest, witnesses=(witness,) if witness else ())
        run = RunFacts("/runs/run1", "run1", False, ("/runs/run1",), (file,))
        judgement = judge(BoxFacts("lab", 0.0, (run,)), "destroy")
        plan = replace(a_plan("destroy", judgement, runs=(run,)), bound=BOUND, names=("lab",))
        finding = checked(plan, a_setting())
        assert (finding.result, finding.may_heal) == ("refused", heals)


@pytest.mark.parametrize(("kind", "may_heal"), [("lost", True), ("auth", False)])
def test_a_link_that_comes_back_by_itself_is_waited_for(kind: ErrorKind, may_heal: bool) -> None:
    finding = of_error(LinkError(kind, "the box closed the connection"))
    assert (finding.result, finding.may_heal) == ("failed", may_heal)
