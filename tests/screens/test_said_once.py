"""What the header says and what a row says come from one place; an empty list says why."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from tests.screens.feed import LIVE, CannedFeed, running
from tests.screens.watching import watching
from tui.screens.rows import Row, arrange, rows_of
from tui.view import BoxView, RunView


def timed(name: str, eta_s: float | None, eta_text: str) -> RunView:
    """A run with this time to go."""
    base = running().view
    run = msgspec.structs.replace(
        base.run, id=name, path=f"/runs/{name}", eta_s=eta_s, eta_text=eta_text
    )
    return replace(base, run=run)


LATE = timed("late", 5256.0, "overdue +0:46")
SOON = timed("soon", 7200.0, "2:00:00")


def box(*views: RunView) -> BoxView:
    """A box with these runs."""
    return BoxView("lab", "root@203.0.113.7", LIVE, views)


async def test_who_is_overdue_is_not_done_next() -> None:
    async with watching(CannedFeed([box(LATE, SOON)]), charts=False) as watch:
        assert "lab / soon is done next, in 2:00:00" in watch.lines[1]
        assert "overdue" in watch.line("late") or "+0:46" in watch.line("late")


async def test_with_nobody_in_time_the_header_says_what_the_row_says() -> None:
    async with watching(CannedFeed([box(LATE)]), charts=False) as watch:
        assert "lab / late is overdue +0:46" in watch.lines[1]
        assert "done next" not in watch.text
        assert "all well" not in watch.text


def test_who_is_overdue_stands_behind_those_whose_end_is_known() -> None:
    rows = arrange(rows_of([box(LATE, SOON)]), "eta")
    assert [row.run.run.id for row in rows if row.run] == ["soon", "late"]
    assert Row(box()).done_in_s is None


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (44, 10)], ids=str)
async def test_a_filter_that_matches_nothing_says_so(size: tuple[int, int]) -> None:
    async with watching(size=size, charts=False) as watch:
        await watch.press("slash")
        await watch.type("zz[b")
        assert "no run matches zz[b; esc shows all" in watch.text
        await watch.press("enter")
        assert "no run matches zz[b; esc shows all" in watch.text
        await watch.press("escape")
        assert "no run matches" not in watch.text
        assert "failed" in watch.text
