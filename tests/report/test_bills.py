"""What is said beside a bill: why it may not be so now, what idles, what is out of reach."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from tests.report import views
from tui.bills import IDLE_SECONDS, box_idle_text, doubts, unreached_text
from tui.money import NO_RATE, Rate
from tui.rent import RentView
from tui.runs.model import Run
from tui.view import BoxView, LinkView

DEAR = Rate(3.0, "reported")
RENT = RentView("vast", "7", "lab", "running", rate_now=DEAR, listed_at=1.0)


def ended(seconds: float) -> Run:
    """A run that completed so many seconds ago."""
    return msgspec.structs.replace(
        views.RUNNING,
        verdict="completed",
        ended_at=views.NOW - seconds,
        updated_at=views.NOW,
        age_s=0.0,
    )


def box(*runs: Run, rent: RentView | None = RENT, live: bool = True) -> BoxView:
    link = LinkView("live" if live else "offline")
    return BoxView("lab", "lab", link, tuple(map(views.run_view, runs)), rent=rent)


def test_a_box_idles_since_the_last_of_its_runs_ended() -> None:
    assert box_idle_text(box(ended(7200), ended(3600))) == "idle 1h00m = $3.00"
    assert box_idle_text(box(ended(IDLE_SECONDS + 60))) == "idle 6m = $0.30"


def test_nobody_is_told_of_an_end_minutes_ago_or_of_a_box_at_work() -> None:
    assert IDLE_SECONDS == 300.0
    assert box_idle_text(box(ended(IDLE_SECONDS - 1))) is None
    assert box_idle_text(box(ended(7200), views.RUNNING)) is None


@pytest.mark.parametrize(
    "rent",
    [
        replace(RENT, rate_now=Rate(0.0, "computed")),
        replace(RENT, rate_now=NO_RATE),
        replace(RENT, state="stopped"),
        replace(RENT, gone=True, state="gone"),
    ],
)
def test_what_bills_nothing_or_was_given_back_idles_not(rent: RentView) -> None:
    assert box_idle_text(box(ended(7200), rent=rent)) is None


def test_a_box_that_is_not_reached_and_bills_is_said() -> None:
    text = "not reached, and still bills $3.00/h (vast: running)"
    assert unreached_text(box(live=False)) == text
    assert unreached_text(box()) is None
    assert unreached_text(box(rent=replace(RENT, state="stopped"), live=False)) is None
    assert unreached_text(box(rent=replace(RENT, listed_at=None), live=False)) is None


def test_an_error_comes_with_the_age_of_what_is_shown() -> None:
    failed = replace(RENT, error="vast: API error 503", age_s=3 * 3600.0)
    assert list(doubts(failed)) == ["vast: API error 503", "what is shown is 3h00m old"]
    assert list(doubts(replace(failed, error=None))) == ["vast was last read 3h00m ago"]
    assert list(doubts(replace(RENT, age_s=60.0))) == []


def test_what_only_an_earlier_list_told_is_said_to_be_so() -> None:
    (text,) = doubts(replace(RENT, listed_at=None))
    assert text == "as it was told earlier: no list of vast tells of it now"
    (maybe,) = doubts(replace(RENT, gone_maybe=True))
    assert "the newest list of vast lacks it" in maybe


def test_a_reason_is_told_where_the_state_asks_for_one() -> None:
    assert list(doubts(replace(RENT, state="failed", reason="OCI failed"))) == ["OCI failed"]
    assert list(doubts(replace(RENT, reason="success, running"))) == []
