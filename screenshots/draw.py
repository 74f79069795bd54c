"""Draws the pictures of the README from the real app: ``python -m screenshots.draw [DIRECTORY]``.

The boxes are canned views of recorded runs, judged by the real assessment; no network, no clock.
Each picture is an SVG; where rsvg-convert is installed, a PNG stands beside it.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from screenshots.picture import save
from tests.screens.feed import CannedFeed, small_fleet
from tests.screens.recorded import NOW
from tui.app import BoxtopApp
from tui.screens.options import ScreenOptions
from tui.targets import Names, parse_target

PNG_WIDTH = 1800


@dataclass(frozen=True)
class Picture:
    """A state of the screen: its size, and the keys that lead to it."""

    name: str
    size: tuple[int, int]
    keys: tuple[str, ...]
    theme: Literal["dark", "light"] = "dark"


PICTURES = (
    Picture("fleet", (140, 42), ("j", "j", "j")),
    Picture("run", (120, 38), ("j", "j", "j", "enter", "2", "+", "+")),
    Picture("failed", (120, 38), ("enter",)),
    Picture("narrow", (80, 24), ("j", "j", "j", "enter")),
    Picture("light", (140, 42), ("j", "j", "j"), theme="light"),
)


async def draw(picture: Picture, directory: Path) -> None:
    """Lead the app to a state and save what it shows."""
    options = ScreenOptions(theme=picture.theme, parse=lambda text: parse_target(text, Names()))
    app = BoxtopApp(CannedFeed(small_fleet()), options, now=lambda: NOW)
    async with app.run_test(size=picture.size) as pilot:
        while not app.can_plot:
            await pilot.pause(0.01)
        await pilot.press(*picture.keys)
        app.hush()
        await pilot.pause()
        svg = app.export_screenshot(title="boxtop")
    save(svg, directory / f"{picture.name}.svg", png_width=PNG_WIDTH)


async def draw_all(directory: Path) -> None:
    """Draw every picture."""
    for picture in PICTURES:
        await draw(picture, directory)
        print(directory / f"{picture.name}.svg")


if __name__ == "__main__":
    os.environ["TZ"] = "UTC"
    time.tzset()
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    target.mkdir(parents=True, exist_ok=True)
    asyncio.run(draw_all(target))
