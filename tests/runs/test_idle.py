from __future__ import annotations

import pytest

from tui.runs.idle import idle_s, without_later
from tui.runs.model import Cost, Run

HOUR = 3600.0


def ended(hours_ago: float, wasted: float | None = None) -> Run:
    now = 100 * HOUR
    at = now - hours_ago * HOUR
    return Run(
        id="a",
        path="/a",
        verdict="completed",
        started_at=at - HOUR,
        ended_at=at,
        updated_at=at,
        age_s=hours_ago * HOUR,
        cost=Cost(1.0, None, wasted),
    )


AT_WORK = Run(id="b", path="/b", verdict="running", started_at=98 * HOUR, updated_at=1, age_s=1)


def test_a_box_idles_since_its_last_run_ended() -> None:
    assert idle_s([ended(3), ended(8)]) == 3 * HOUR


def test_a_box_that_trains_or_never_did_does_not_idle() -> None:
    assert idle_s([ended(3), AT_WORK]) is None
    assert idle_s([]) is None


def test_waste_ends_where_the_next_training_began() -> None:
    run = ended(4, wasted=8.0)
    cost = without_later(run, [run.started_at or 0.0, AT_WORK.started_at or 0.0]).cost
    assert cost is not None and cost.wasted == pytest.approx(4.0)


def test_waste_goes_on_while_nothing_else_began() -> None:
    run = ended(4, wasted=8.0)
    assert without_later(run, [run.started_at or 0.0]) == run
    assert without_later(AT_WORK, [1.0, 2.0]) == AT_WORK


def test_what_is_unknown_stays_unknown() -> None:
    run = ended(4)
    assert without_later(run, [98 * HOUR]) == run
