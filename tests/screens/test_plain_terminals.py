"""Terminals without Unicode or without colours: every screen and dialog keeps to what they show."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.screen import Screen

from tests.screens.feed import CannedFeed
from tests.screens.test_hostile import hostile_box
from tests.screens.test_terminal import CANNED, Terminal
from tests.screens.watching import Watch, watching
from tui.links.base import HostKeyQuestion
from tui.screens.filters import ascii_text
from tui.screens.host_key import HostKeyDialog
from tui.screens.metrics_choice import MetricsDialog
from tui.screens.options import ScreenOptions
from tui.screens.passphrase import PassphraseDialog
from tui.targets import Names, parse_target
from tui.theme import Colours

NAMES = Names()
PARSING = ScreenOptions(has_demo=True, parse=lambda text: parse_target(text, NAMES))
ASCII = replace(PARSING, ascii_only=True)
WALK: tuple[tuple[str, ...], ...] = (
    *(("j", "j", "j"), ("5",), ("z",), ("z",), ("escape",)),
    *(("question_mark",), ("escape",), ("a",), ("x", "enter"), ("escape",), ("m",)),
    *(("down", "space"), ("escape",), ("colon",), ("o", "p"), ("pagedown",), ("escape",)),
    *(("slash",), ("y", "o"), ("escape",), ("enter",), ("2",), ("l",), ("x",), ("plus",)),
    *(("slash",), ("E", "enter"), ("m",), ("escape",), ("question_mark",), ("escape",)),
)
"""Keys that lead through every screen and dialog that a key opens."""
SIZES = [(120, 40), (80, 24), (60, 16), (30, 8)]
SGR = re.compile(rb"\x1b\[([0-9;:]*)m")
ATTRIBUTES = {b"", *(str(number).encode() for number in (*range(10), *range(21, 30)))}


def alien(watch: Watch) -> set[str]:
    """What is on the screen and is no ASCII."""
    return {sign for line in watch.lines for sign in line if not sign.isascii()}


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_every_screen_a_key_opens_is_ascii(size: tuple[int, int]) -> None:
    async with watching(size=size, options=ASCII) as watch:
        for keys in WALK:
            await watch.press(*keys)
            assert not alien(watch), (keys, alien(watch), watch.text)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_every_question_is_ascii(size: tuple[int, int]) -> None:
    line = "naïve 漢字 … ▇ \N{WARNING SIGN}"
    feed = CannedFeed([hostile_box(line)])
    async with watching(feed, size=size, options=ASCII, charts=False) as watch:
        dialogs: list[Screen[object]] = [
            HostKeyDialog(HostKeyQuestion(line, line, line)),  # type: ignore[list-item]  # any
            PassphraseDialog(line, 2),  # type: ignore[list-item]  # any answer
            MetricsDialog([f"metrics/{line}{n}" for n in range(30)], []),  # type: ignore[list-item]  # any
        ]
        for dialog in dialogs:
            watch.app.push_screen(dialog)
            await watch.pilot.pause()
            assert not alien(watch), (dialog, alien(watch))
            assert all(len(row) == size[0] for row in watch.lines)
            await watch.press("escape")
        await watch.press("colon")
        await watch.type("open")
        assert not alien(watch)


async def test_the_first_start_is_ascii() -> None:
    async with watching(CannedFeed(), options=ASCII, charts=False) as watch:
        assert "Paste the ssh line" in watch.text
        assert not alien(watch)


def test_signs_keep_their_width_and_mean_about_the_same() -> None:
    assert ascii_text("▐x▌ 漢 a…b │─╭ e\u0301") == "|x| ?? a~b |-+ e"


def colours(written: bytes) -> set[bytes]:
    """Every escape for colours in what was written."""
    return {
        match[0]
        for match in SGR.finditer(written)
        if not set(re.split(rb"[;:]", match[1])) <= ATTRIBUTES
    }


@pytest.fixture(params=["NO_COLOR", "--no-color"])
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    """boxtop in a terminal without colours, asked for in either way."""
    if request.param == "NO_COLOR":
        opened = Terminal({"NO_COLOR": "1"}, CANNED)
        first = b"coco-9t"
    else:
        run = tmp_path / "runs" / "coco-9t"
        run.mkdir(parents=True)
        (run / "results.csv").write_text("epoch,train/loss,metrics/mAP50\n1,2.0,0.1\n2,1.0,0.2\n")
        words = ["--data-dir", str(tmp_path / "data"), "--no-color", str(tmp_path / "runs")]
        opened = Terminal({"COLORTERM": "truecolor"}, [sys.executable, "-m", "tui", *words])
        first = b"coco-9t"
    opened.read_until(lambda: first in opened.written)
    yield opened
    opened.close()


def test_without_colours_no_escape_for_one_is_sent(terminal: Terminal) -> None:
    for keys, words in (
        (b"j", b""),
        (b"?", b"trainings go on"),
        (b" ", b""),
        (b"a", b"Cancel"),
        (b"\t\r", b"coco-9t"),  # Cancel
        (b"\t\r", b" back"),  # the run, once the keys have come round to its panel
        (b"2", b""),
        (b"lx", b""),
        (b"m", b"Usual ones"),
        (b"\t\r", b"loss"),  # Cancel
        (b"t", b""),
        (b":", b"ind a command"),
        (b"leave", b"leave"),
    ):
        terminal.insist(keys, words)
    os.write(terminal.master, b"\r")
    assert terminal.ends() == 0
    assert b"\x1b[1m" in terminal.written or b"\x1b[1;" in terminal.written
    assert b"\x1b[7m" in terminal.written or b";7m" in terminal.written
    assert colours(terminal.written) == set()


async def test_states_are_told_by_sign_and_word_without_colours() -> None:
    async with watching(options=ScreenOptions(colours="none"), charts=False) as watch:
        for state in ("● running", "✗ failed", "✕ dead", "✓ completed"):
            assert state in watch.text
        await watch.press("a")
        strips = watch.app.screen._compositor.render_strips()
        styles = [segment.style for strip in strips for segment in strip if segment.style]
        assert not any(style.color or style.bgcolor for style in styles)


@pytest.mark.parametrize("colours", ["none", "16", "256", "full"])
@pytest.mark.parametrize("key", ["a", "A", "question_mark", "colon"])
async def test_what_lies_behind_a_dialog_stays_readable(colours: Colours, key: str) -> None:
    async with watching(options=replace(PARSING, colours=colours), charts=False) as watch:
        first = watch.lines[0]
        await watch.press(key)
        assert watch.lines[0] == first


async def test_a_page_has_the_terminals_own_colours_where_it_has_only_sixteen() -> None:
    async with watching(options=ScreenOptions(colours="16"), charts=False) as watch:
        await watch.press("question_mark")
        strips = watch.app.screen._compositor.render_strips()
        used = {seg.style.color for strip in strips for seg in strip if seg.style}
        assert all(one is None or one.is_system_defined for one in used), used
        row = next(strip for strip in strips if "one line up" in strip.text)
        assert any(seg.style and seg.style.bold for seg in row if "k up" in seg.text)


@pytest.mark.parametrize("colours", ["none", "16"])
async def test_the_focus_is_seen_and_read_with_few_colours_and_without(colours: Colours) -> None:
    async with watching(options=ScreenOptions(colours=colours), charts=False) as watch:
        watch.app.push_screen(HostKeyDialog(HostKeyQuestion("h", "t", "f")))
        await watch.pilot.pause()
        strips = watch.app.screen._compositor.render_strips()
        row = next(strip for strip in strips if "Yes, trust it" in strip.text)
        focused = [seg for seg in row if seg.style and seg.style.reverse]
        assert "".join(seg.text for seg in focused).strip() == "No"
        inks = {one for seg in focused if seg.style for one in (seg.style.color, seg.style.bgcolor)}
        assert all(one is None or one.is_default for one in inks), inks


async def test_what_is_ticked_is_told_by_a_sign() -> None:
    async with watching(options=ScreenOptions(colours="none"), charts=False) as watch:
        watch.app.push_screen(MetricsDialog(["m/alpha", "m/beta"], ["m/alpha"]))
        await watch.pilot.pause()
        assert "[x]" in watch.line("alpha")
        assert "[ ]" in watch.line("beta")
