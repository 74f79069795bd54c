"""Text from a box is shown as it is: it is no markup, no escape, and breaks nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from tests.screens.feed import CannedFeed, gpu, running
from tests.screens.recorded import log_of, metrics_of
from tests.screens.watching import watching
from tui.links.base import HostKeyQuestion
from tui.runs.model import Best, Diagnosis
from tui.screens.help import HelpScreen
from tui.screens.host_key import HostKeyDialog
from tui.screens.metrics_choice import MetricsDialog
from tui.screens.passphrase import PassphraseDialog
from tui.view import BoxView, LinkView

LINES = (Path(__file__).parents[1] / "data/cases/TUI-01/lines.txt").read_text().splitlines()
ESCAPES = [
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07x",
    "\x1b]52;c;aGk=\x07y",
    "\x9b2Jz",
    "a\nb\tc\rd",
]


def hostile_box(line: str) -> BoxView:
    """A box in which every text that a stranger writes is this line."""
    base = running().view
    row = {"epoch": 1, "train/loss": 1.0, "train/" + line + "_loss": 2.0, "metrics/" + line: 0.5}
    run = msgspec.structs.replace(
        base.run,
        id=line,
        path=f"/runs/{line}",
        model=line,
        task=line,
        reason=line,
        verdict="failed",
        headline=line,
        warnings=(line,),
        best=Best(line, 0.5, 1),
        diagnosis=Diagnosis("exception", line, line, (line, line), line),
    )
    view = replace(
        base, run=run, log=log_of([line]), console=log_of([line]), metrics=metrics_of([row])
    )
    link = LinkView("stale", 3.0, error=line, hint=line)
    return BoxView(
        line, line, link, (replace(view, console_path=line),), (gpu(0, line, 5, 1, 2),), line
    )


@pytest.mark.parametrize("line", [*LINES, *ESCAPES])
async def test_every_widget_shows_it_literally(line: str) -> None:
    box = hostile_box(line)
    empty = replace(box, name="empty", runs=(), link=LinkView("refused", error=line, hint=line))
    async with watching(CannedFeed([box, empty]), (200, 50)) as watch:
        assert "cannot draw" not in watch.text
        if line in LINES:
            assert watch.text.count(line.strip()) >= 6
        assert not any(c < " " or "\x7f" <= c <= "\x9f" for row in watch.lines for c in row)
        watch.app.say(line)
        await watch.press("enter")
        assert "cannot draw" not in watch.text


@pytest.mark.parametrize("line", [*LINES, *ESCAPES])
async def test_every_dialog_shows_it_literally(line: str) -> None:
    box = hostile_box(line)
    async with watching(CannedFeed([box]), (120, 40), charts=False) as watch:
        for dialog in (
            HostKeyDialog(HostKeyQuestion(line, line, line)),
            PassphraseDialog(line, 1),
            MetricsDialog([f"metrics/{line}"], []),
            HelpScreen(watch.app.keymap, ascii_only=False),
        ):
            watch.app.push_screen(dialog)
            await watch.pilot.pause()
            if line in LINES and not isinstance(dialog, HelpScreen):
                assert line.strip() in watch.text
            assert not any(c < " " or "\x7f" <= c <= "\x9f" for row in watch.lines for c in row)
            watch.app.pop_screen()
            await watch.pilot.pause()


@pytest.mark.parametrize("line", LINES)
async def test_the_palette_shows_it_literally(line: str) -> None:
    async with watching(CannedFeed([hostile_box(line)]), (120, 60), charts=False) as watch:
        await watch.press("colon")
        await watch.type("open")
        await watch.until(lambda: line.strip() in watch.text)


async def test_the_filter_and_the_search_take_any_text() -> None:
    async with watching(CannedFeed([hostile_box("[/")]), (120, 40), charts=False) as watch:
        await watch.press("slash")
        await watch.type("[/")
        assert "runs 1 of 1" in watch.text
        await watch.press("enter", "5", "slash")
        await watch.type("[/red]")
        await watch.press("enter")
        assert "no line holds [/red]" in watch.text
