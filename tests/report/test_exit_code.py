"""Exit codes: 0 well, 3 a run needs a person, 4 a box could not be read; the higher one wins."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from tests.report import views
from tui.report.exit_code import exit_code
from tui.report.order import main_run
from tui.runs.model import Run, Verdict
from tui.view import BoxView, LinkState, LinkView


def box(verdict: Verdict | None, state: LinkState = "live") -> BoxView:
    runs = () if verdict is None else (views.run_view(Run(id="r", path="/r", verdict=verdict)),)
    return BoxView("b", "b", LinkView(state), runs)


@pytest.mark.parametrize("verdict", get_args(Verdict))
def test_failed_dead_stalled_and_diverged_need_a_person(verdict: Verdict) -> None:
    needed = {"failed", "dead", "stalled", "diverged"}
    assert exit_code([box("running"), box(verdict)]) == (3 if verdict in needed else 0)


@pytest.mark.parametrize("state", ["stale", "connecting", "offline", "refused"])
def test_a_box_that_could_not_be_read_wins(state: LinkState) -> None:
    assert exit_code([box("dead"), box("running", state)]) == 4
    assert exit_code([box("running", state), box("dead")]) == 4


def test_a_box_without_runs_is_well() -> None:
    assert exit_code([box(None)]) == 0


def test_the_run_that_is_meant_is_the_newest_that_is_alive() -> None:
    chosen = main_run(views.LAB.runs)
    assert chosen is not None and chosen.run.id == "run13"
    ended = main_run([view for view in views.LAB.runs if view.run.verdict in ("completed", "dead")])
    assert ended is not None and ended.run.id == "deep/er/run7"
    assert main_run([]) is None


def test_a_place_that_a_person_asked_for_and_that_is_closed_was_not_read() -> None:
    closed = replace(box("running"), unsearched=("/data/runs: permission denied",))
    assert exit_code([closed]) == 4
