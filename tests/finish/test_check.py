"""What a look of the gate, and an error before anything was sent, mean for a finish line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.actions.plans import a_plan
from tests.finish.world import BOUND, a_setting
from tui.actions.errors import ActionError
from tui.actions.finish_check import checked, of_error
from tui.actions.gate import judge
from tui.actions.gate_facts import BoxFacts
from tui.actions.instance_lock import unkept


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


def test_a_look_that_found_no_run_at_all_proves_nothing() -> None:
    plan = replace(a_plan("destroy", judge(BoxFacts("lab", 0.0), "destroy")), bound=BOUND)
    finding = checked(replace(plan, names=("lab",)), a_setting())
    assert (finding.result, finding.plan, finding.may_heal) == ("refused", None, True)
    assert finding.text.endswith("bills on: no run was found on it")
