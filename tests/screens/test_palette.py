"""The palette: names are text in it, and no key and no size ends the app."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from tests.screens.feed import LIVE, CannedFeed, running
from tests.screens.watching import Watch, watching
from tui.screens.fleet import FleetScreen
from tui.screens.palette import Palette
from tui.screens.run import RunScreen
from tui.view import BoxView

NAMES = [
    "[@click=app.quit]clickme[]",
    "[red]x[/red]",
    "a[/nope]open",
    "[b",
    "x]",
    "$text",
    "[link=file:///etc]y[/link]",
]
SIZES = [(1, 1), (1, 24), (4, 24), (24, 1), (30, 40), (60, 16)]


def box_of(*names: str) -> BoxView:
    """A box whose runs have these names."""
    base = running().view
    views = (
        replace(base, run=msgspec.structs.replace(base.run, id=name, path=f"/runs/{at}"))
        for at, name in enumerate(names)
    )
    return BoxView("[i]box[/i]", "root@203.0.113.7", LIVE, tuple(views))


def styled(watch: Watch, name: str) -> str:
    """What of a row is highlighted as found."""
    strips = watch.app.screen._compositor.render_strips()
    row = next(strip for strip in strips if name in strip.text)
    meta = [segment.style.meta for segment in row if segment.style is not None]
    assert not any("@click" in about for about in meta), "nothing in a name may act"
    return "".join(segment.text for segment in row if segment.style and segment.style.bold)


async def test_names_that_look_like_markup_are_found_and_shown_as_they_are() -> None:
    async with watching(CannedFeed([box_of(*NAMES)]), (120, 60), charts=False) as watch:
        await watch.press("colon")
        await watch.type("open [i]")
        await watch.until(lambda: all(f"[i]box[/i] / {name}" in watch.text for name in NAMES))


async def test_what_was_typed_is_highlighted_letter_by_letter() -> None:
    async with watching(CannedFeed([box_of(*NAMES)]), (120, 60), charts=False) as watch:
        await watch.press("colon")
        await watch.type("[@click")
        await watch.until(lambda: "[@click=app.quit]clickme[]" in watch.text)
        assert "[@click" in styled(watch, "[@click=app.quit]clickme[]")


async def test_a_run_whose_name_looks_like_markup_is_opened_not_obeyed() -> None:
    async with watching(CannedFeed([box_of(*NAMES)]), (120, 60), charts=False) as watch:
        await watch.press("colon")
        await watch.type("clickme")
        await watch.until(lambda: NAMES[0] in watch.text)
        await watch.press("enter")
        await watch.until(lambda: isinstance(watch.app.screen, RunScreen))
        assert NAMES[0] in watch.lines[0]


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_no_key_ends_it_at_any_size(size: tuple[int, int]) -> None:
    async with watching(size=size, charts=False) as watch:
        await watch.press("colon", "pagedown", "pageup", "ctrl+end", "ctrl+home", "down", "up")
        assert isinstance(watch.app.screen, Palette)
        await watch.type("xx")
        await watch.press("pagedown", "pageup", "escape")
        await watch.until(lambda: isinstance(watch.app.screen, FleetScreen))
        assert "erred" not in watch.text


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_no_key_ends_the_choice_of_metrics_at_any_size(size: tuple[int, int]) -> None:
    async with watching(size=size) as watch:
        await watch.press("j", "j", "j", "m", "pagedown", "pageup", "end", "home", "space")
        assert not isinstance(watch.app.screen, FleetScreen)
        await watch.press("escape")
        assert isinstance(watch.app.screen, FleetScreen)
        assert "erred" not in watch.text
