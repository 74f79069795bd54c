"""What a dialog shows first: what is lost, deleted or ended comes before every fact."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.actions.plans import INSTANCE, a_plan
from tui.actions.gate import judge
from tui.actions.gate_facts import BoxFacts, RunFacts
from tui.actions.instance_consequence import plan_lines
from tui.actions.instance_gate import loses_of
from tui.actions.instance_plan import Plan
from tui.money import Terms
from tui.providers import runpod, vast
from tui.providers.base import Action, Capabilities

WIPES = replace(INSTANCE, keeps=Terms(True, ("/workspace",)))


def planned(action: Action, run: RunFacts, instance: object = INSTANCE) -> Plan:
    assert isinstance(instance, type(INSTANCE))
    facts = BoxFacts("yolo9s", 0.0, (run,), notes=("looked for runs below ~",))
    loses = loses_of(instance) if action == "stop" else None
    return a_plan(action, judge(facts, "stop" if action == "stop" else "destroy", loses), instance)


def order(plan: Plan) -> list[str]:
    """Return all lines before the GPU."""
    told = [one.text for one in plan_lines(plan)]
    return told[: told.index("8 x RTX 4090")]


LIVE = RunFacts("/root/runs/run1", "run1", True, ("/root/runs/run1",))
ENDED = RunFacts(
    *("/root/runs/run1", "run1", False, ("/root/runs/run1",)), others=("a.pt",), others_count=1
)


@pytest.mark.parametrize(
    ("action", "run", "instance", "first"),
    [
        ("stop", LIVE, INSTANCE, "run1 is training: a stop ends it"),
        ("stop", LIVE, WIPES, "run1: its process is still alive"),
        ("destroy", LIVE, INSTANCE, "run1: its process is still alive"),
        ("destroy", ENDED, INSTANCE, "run1: a.pt would go, too"),
    ],
)
def test_what_is_ended_or_lost_comes_before_the_facts(
    action: Action, run: RunFacts, instance: object, first: str
) -> None:
    plan = planned(action, run, instance)
    assert order(plan)[1].startswith(first)
    told = [one.text for one in plan_lines(plan)]
    assert len(told) == len(set(told))


def test_what_a_stop_deletes_comes_before_the_facts_and_what_survives_after_them() -> None:
    plan = replace(planned("stop", ENDED, WIPES), runs=(ENDED,))
    assert order(plan)[-1] == "a stop DELETES run1 (/root/runs/run1)"
    plan = replace(planned("stop", ENDED), runs=(ENDED,))
    assert len(order(plan)) == 1
    assert "run1 survives the stop" in [one.text for one in plan_lines(plan)]


@pytest.mark.parametrize(
    "note", [None, vast.CAPABILITIES.stop_note, runpod.CAPABILITIES.stop_note, "it is cleared"]
)
def test_a_stop_says_once_that_it_releases_the_gpus(note: str | None) -> None:
    plan = replace(planned("stop", ENDED), capabilities=Capabilities(stop_note=note))
    told = "\n".join(one.text for one in plan_lines(plan))
    assert told.count("releases the GPUs") == 1 and (note or "") in told
