"""The list of what was told, for who wakes up and looks at the pane: any size, any terminal."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.screens.recorded import NOW
from tests.screens.watching import Size, Watch, watching
from tui.alerts.event import Event, event
from tui.alerts.past import Past, with_events
from tui.screens.options import ScreenOptions
from tui.screens.past_page import PastScreen, day_text

DEAD = "lab run1 is dead: killed by the kernel, out of memory; epoch 12/100; lab bills $3.4828/h"
EVENTS = (
    event("new_best", "lab", "run2", "lab run2 has a new best: mAP50-95 0.5712", NOW - 90_000),
    event("completed", "lab", "run2", "lab run2 completed: done", NOW - 7200),
    event("dead", "lab", "run1", DEAD, NOW - 3600),
)


IN_ORDER = ("today", "run1 is dead", "completed", "yesterday", "new best")


class Told:
    """What was told, and whether somebody looked."""

    def __init__(self, events: tuple[Event, ...] = EVENTS, unread: int = 2) -> None:
        self.kept = Past(events, unread)

    def past(self) -> Past:
        return self.kept

    def read(self) -> Past:
        before, self.kept = self.kept, Past(self.kept.events)
        return before

    def add(self, told: Event) -> None:
        self.kept = with_events(self.kept, (told,))


@asynccontextmanager
async def away(
    size: Size = (120, 40), told: Told | None = None, *, ascii_only: bool = False
) -> AsyncIterator[Watch]:
    """Somebody comes back to a screen that has told something meanwhile."""
    told = told if told is not None else Told()
    options = ScreenOptions(alarms=lambda _app: told, ascii_only=ascii_only)
    async with watching(size=size, options=options, charts=False) as watch:
        await watch.until(lambda: watch.app.questions.told is told)
        await watch.settle()
        yield watch


def page(watch: Watch) -> list[str]:
    """The rows of the page, cut out of the screen."""
    region = watch.app.screen.query_one("#page").region
    return [line[region.x : region.right] for line in watch.lines[region.y : region.bottom]]


@pytest.mark.parametrize("size", [(200, 50), (120, 40), (80, 24), (40, 12)])
async def test_what_nobody_saw_is_counted_until_somebody_looks(size: Size) -> None:
    async with away(size) as watch:
        assert watch.lines[-1].endswith("A 2 new ")
        assert "? help" in watch.lines[-1]
        await watch.press("A")
        assert "alerts: 2 new" in watch.text
        await watch.press("escape")
        assert "new" not in watch.lines[-1]
        await watch.press("A")
        assert "new" not in watch.line("alerts")


async def test_what_is_told_while_it_is_open_comes_to_it_and_counts_as_looked_at() -> None:
    told = Told()
    async with away(told=told) as watch:
        await watch.press("A")
        told.add(event("stalled", "lab", "run3", "lab run3 is stalled", NOW))
        await watch.until(lambda: "lab run3 is stalled" in watch.text)
        assert "alerts: 3 new" in watch.text
        assert watch.text.index("run3 is stalled") < watch.text.index("run1 is dead")
        await watch.press("escape")
        assert "new" not in watch.lines[-1]


async def test_whoever_reads_on_below_stays_there_when_more_is_told() -> None:
    told = Told(tuple(event("dead", "lab", str(i), f"run {i:02} is dead", NOW) for i in range(40)))
    async with away((40, 12), told) as watch:
        await watch.press("A", "end")
        before = page(watch)[1:-1]
        told.add(event("stalled", "lab", "run3", "lab run3 is stalled", NOW))
        await watch.until(lambda: "alerts: 3 new" in watch.text)
        await watch.until(lambda: page(watch)[1:-1] == before)
        await watch.press("home")
        assert "run3 is stalled" in watch.text


@pytest.mark.parametrize("size", [(200, 50), (120, 40), (80, 24), (40, 12), (20, 6), (1, 1)])
async def test_the_newest_stands_first_and_can_be_read_to_its_end(size: Size) -> None:
    async with away(size) as watch:
        await watch.press("A")
        assert isinstance(watch.app.screen, PastScreen)
        rows = page(watch)
        for _ in range(20):
            await watch.press("down")
            rows += page(watch)
        read = " ".join(" ".join(row.strip(" │▁▂▃▄▅▆▇█") for row in rows).split())
        if size[0] >= 40:
            places = [read.index(word) for word in IN_ORDER]
            assert places == sorted(places)
        await watch.press("q")
        assert watch.app.is_running and not isinstance(watch.app.screen, PastScreen)


async def test_an_opened_run_counts_them_too_and_they_outlast_a_message() -> None:
    async with away() as watch:
        await watch.press("enter")
        assert watch.lines[-1].endswith("A 2 new ")
        watch.app.say("something else")
        await watch.settle()
        assert watch.lines[-1].startswith(" something else")
        assert watch.lines[-1].endswith("A 2 new ")


async def test_a_message_that_needs_the_room_has_it() -> None:
    async with away((40, 12)) as watch:
        watch.app.say("a message that is as long as the row")
        await watch.settle()
        assert watch.lines[-1].rstrip() == " a message that is as long as the row"


async def test_it_is_ascii_where_nothing_else_can_be_shown() -> None:
    async with away((40, 12), ascii_only=True) as watch:
        await watch.press("A")
        assert watch.text.isascii()
        assert "! 11:00  lab run1 is dead" in watch.text


async def test_where_nothing_was_told_and_where_nobody_tells_it_says_so() -> None:
    async with away(told=Told((), 0)) as watch:
        await watch.press("A")
        assert "nothing was told yet" in watch.text
    async with watching(charts=False) as watch:
        await watch.press("A")
        assert "nothing is told of the demo" in watch.text


async def test_hostile_words_are_text() -> None:
    odd = event(
        "dead", "lab", "x", "lab [red]x\x1b[31m\x1b]0;owned\x07 一二三四五六七八" + "y" * 200, NOW
    )
    async with away((40, 12), Told((odd,), 1)) as watch:
        await watch.press("A")
        assert "lab [red]x" in watch.text


def test_days_are_those_of_the_local_clock() -> None:
    assert day_text(NOW - 60, NOW) == "today"
    assert day_text(NOW - 86_400, NOW) == "yesterday"
    assert day_text(NOW - 2 * 86_400, NOW) not in ("today", "yesterday")


async def test_the_palette_finds_it() -> None:
    async with away() as watch:
        await watch.press("colon")
        await watch.type("alerts told")
        await watch.until(lambda: "alerts told while you were away  (A)" in watch.text)
        await watch.press("enter")
        await watch.until(lambda: isinstance(watch.app.screen, PastScreen))
