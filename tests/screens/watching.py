"""Runs the real app without a terminal, and reads what stands on its screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from tests.screens.feed import CannedFeed, small_fleet
from tests.screens.recorded import NOW
from tui.app import BoxtopApp
from tui.screens.asker import ScreenAsker
from tui.screens.options import ScreenOptions

Size = tuple[int, int]

WIDE: Size = (120, 40)
NARROW: Size = (80, 24)


class Watch:
    """A running app with the hands and eyes of a person."""

    def __init__(self, app: BoxtopApp, pilot: Pilot[str], feed: CannedFeed) -> None:
        self.app = app
        self.pilot = pilot
        self.feed = feed

    async def press(self, *keys: str) -> None:
        """Press keys and let everything settle."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Type a word."""
        await self.press(*(name_of(character) for character in text))

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds; the test's own time limit ends it."""
        while not condition():
            await self.pilot.pause(0.01)

    async def settle(self) -> None:
        """Show now what the feed has, without waiting for the next second."""
        self.app.refresh_views()
        await self.pilot.pause()

    async def resize(self, size: Size) -> None:
        """Resize the terminal."""
        await self.pilot.resize_terminal(*size)
        await self.pilot.pause()

    @property
    def lines(self) -> list[str]:
        """The rows of the screen as text."""
        strips = self.app.screen._compositor.render_strips()
        return [strip.text for strip in strips]

    @property
    def text(self) -> str:
        """The whole screen as text."""
        return "\n".join(self.lines)

    @property
    def listed(self) -> list[str]:
        """The visible rows of the list of runs, from the top."""
        lines = self.lines
        begin = next(i for i, line in enumerate(lines) if "STATE" in line) + 1
        rows = [line.strip(" │▌┃") for line in lines[begin:]]
        end = next((i for i, row in enumerate(rows) if row.startswith("╰") or not row), len(rows))
        return rows[:end]

    def line(self, words: str) -> str:
        """The first row that holds these words."""
        found = [line for line in self.lines if words in line]
        assert found, f"{words!r} is not on the screen:\n{self.text}"
        return found[0]


def name_of(character: str) -> str:
    """Textual's name of a typed character."""
    from textual.keys import _character_to_key

    return _character_to_key(character)


@asynccontextmanager
async def watching(
    feed: CannedFeed | None = None,
    size: Size = WIDE,
    options: ScreenOptions | None = None,
    *,
    asker: ScreenAsker | None = None,
    steady_time: Callable[[], float] | None = None,
    charts: bool = True,
) -> AsyncIterator[Watch]:
    """Run the app on a canned fleet with a clock that stands still."""
    feed = feed if feed is not None else CannedFeed(small_fleet())
    more = {} if steady_time is None else {"steady_time": steady_time}
    app = BoxtopApp(feed, options, asker=asker, now=lambda: NOW, **more)
    async with app.run_test(size=size) as pilot:
        watch = Watch(app, pilot, feed)
        await pilot.pause()
        if charts:
            await watch.until(lambda: app.can_plot)
        await pilot.pause()
        yield watch
