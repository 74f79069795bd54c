"""The first start asks for a box or offers the demo; later boxes are added by key."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from textual.events import Paste

from tests.screens.feed import CannedFeed, small_fleet
from tests.screens.watching import WIDE, watching
from tui.app import ScreenOptions
from tui.screens.fleet import FleetScreen
from tui.screens.questions import DEMO
from tui.screens.welcome import AddBoxDialog, WelcomeScreen
from tui.targets import Names, parse_target
from tui.view import BoxView

NAMES = Names()
OPTIONS = ScreenOptions(parse=lambda text: parse_target(text, NAMES), has_demo=True)


async def test_a_start_without_boxes_asks_for_an_ssh_line() -> None:
    async with watching(CannedFeed(), (80, 24), OPTIONS, charts=False) as watch:
        assert isinstance(watch.app.screen, WelcomeScreen)
        assert "Paste the ssh line" in watch.text
        assert "Show the demo" in watch.text


async def test_a_pasted_line_is_watched() -> None:
    feed = CannedFeed()
    async with watching(feed, WIDE, OPTIONS, charts=False) as watch:
        await watch.type("ssh -p 41022 root@203.0.113.7 -L 8080:localhost:8080")
        await watch.press("enter")
        assert [box.name for box in feed.added] == ["203.0.113.7:41022"]
        assert isinstance(watch.app.screen, FleetScreen)
        assert "opening the connection" in watch.text


async def test_a_mistake_is_explained_and_can_be_mended() -> None:
    feed = CannedFeed()
    async with watching(feed, WIDE, OPTIONS, charts=False) as watch:
        await watch.type("/no/such/place")
        await watch.press("enter")
        assert not feed.added
        assert "/no/such/place" in watch.text
        assert isinstance(watch.app.screen, WelcomeScreen)
        await watch.press("escape")
        await watch.type("root@203.0.113.8")
        await watch.press("enter")
        assert [box.name for box in feed.added] == ["203.0.113.8"]


async def test_the_demo_ends_the_screen_with_that_wish() -> None:
    async with watching(CannedFeed(), WIDE, OPTIONS, charts=False) as watch:
        await watch.press("tab", "tab", "enter")
        await watch.until(lambda: not watch.app.is_running)
        assert watch.app.return_value == DEMO


async def test_escape_does_not_quit_the_first_start() -> None:
    async with watching(CannedFeed(), WIDE, OPTIONS, charts=False) as watch:
        await watch.press("escape", "escape")
        assert watch.app.is_running


async def test_it_fits_sixty_by_sixteen() -> None:
    async with watching(CannedFeed(), (60, 16), OPTIONS, charts=False) as watch:
        assert "Watch it" in watch.text
        assert "Show the demo" in watch.text


async def test_all_of_it_is_seen_in_the_smallest_useful_pane() -> None:
    async with watching(CannedFeed(), (40, 12), OPTIONS, charts=False) as watch:
        for words in ("Paste the ssh line", "Watch it", "Show the demo", "ctrl+c leaves"):
            assert words in watch.text


PATH = "/a/very/long/path/that/has/no/room/in/this/field/at/all/whatever/one/does/runs/THE-END"


@pytest.mark.parametrize("boxes", [(), small_fleet()], ids=["first start", "one more"])
async def test_of_a_long_pasted_path_the_end_is_seen(boxes: Sequence[BoxView]) -> None:
    async with watching(CannedFeed(boxes), (40, 12), OPTIONS, charts=False) as watch:
        if boxes:
            await watch.press("a")
        watch.app.post_message(Paste(PATH))
        await watch.until(lambda: "THE-END" in watch.text)
        await watch.press("left", "x")
        await watch.until(lambda: "THE-ENxD" in watch.text)
        await watch.press("home")
        await watch.until(lambda: "/a/very/long" in watch.text)


async def test_one_more_box_is_added_by_key() -> None:
    async with watching(options=OPTIONS, charts=False) as watch:
        await watch.press("a")
        assert isinstance(watch.app.screen, AddBoxDialog)
        await watch.type("root@203.0.113.99")
        await watch.press("enter")
        assert [box.name for box in watch.feed.added] == ["203.0.113.99"]
        assert "watching 203.0.113.99" in watch.text


async def test_without_a_parser_no_box_can_be_added() -> None:
    async with watching(charts=False) as watch:
        await watch.press("a")
        assert "no box can be added here" in watch.text


@pytest.mark.parametrize("text", ["hello big world", "please watch my box", "a b"])
async def test_words_that_are_no_ssh_line_are_told_to_be_none(text: str) -> None:
    feed = CannedFeed()
    async with watching(feed, WIDE, OPTIONS, charts=False) as watch:
        await watch.type(text)
        await watch.press("enter")
        assert not feed.added
        assert isinstance(watch.app.screen, WelcomeScreen)
        assert f"'{text}' is no ssh line" in watch.text
