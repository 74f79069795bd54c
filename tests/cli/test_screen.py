"""The screen as a process in a real terminal: it comes, it goes, and leaves the terminal well."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.cli.runs import copy_run
from tests.cli.terminal import Terminal, terminal

MODES = ("\x1b[?1049l", "\x1b[?1000l", "\x1b[?1003l", "\x1b[?1006l", "\x1b[?2004l", "\x1b[?25h")


def assert_restored(shown: Terminal) -> None:
    """All modes that a screen turns on were turned off after the last of them was turned on."""
    text = shown.shown
    for mode in MODES:
        turned_on = mode[:-1] + ("h" if mode.endswith("l") else "l")
        assert text.rfind(mode) > text.rfind(turned_on), mode


def test_no_verb_shows_the_screen_and_q_leaves_it(tmp_path: Path) -> None:
    copy_run("yolo9t_long", tmp_path / "run1")
    with terminal(tmp_path) as shown:
        shown.wait_for("100/100")
        shown.press("q")
        assert shown.end() == 0
        assert_restored(shown)
        assert "Traceback" not in shown.shown


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_the_terminal_is_well(tmp_path: Path, number: int) -> None:
    copy_run("yolo9t_long", tmp_path / "run1")
    with terminal("watch", tmp_path) as shown:
        shown.wait_for("100/100")
        shown.process.send_signal(number)
        assert shown.end() == 128 + number
        assert_restored(shown)


def test_the_mouse_is_left_alone_when_asked(tmp_path: Path) -> None:
    copy_run("yolo9t_long", tmp_path / "run1")
    with terminal("--no-mouse", tmp_path) as shown:
        shown.wait_for("100/100")
        assert "\x1b[?1000h" not in shown.shown
        shown.press("q")
        assert shown.end() == 0


def test_without_boxes_it_asks_for_one(tmp_path: Path) -> None:
    with terminal() as shown:
        shown.wait_for("Paste the ssh line")
        shown.press(str(copy_run("yolo9t_long", tmp_path / "run1")))
        shown.wait_for(str(tmp_path)[:40])
        shown.press("\r")
        shown.wait_for("100/100")
        shown.press("q")
        assert shown.end() == 0


def test_what_is_watched_can_be_recorded(tmp_path: Path) -> None:
    copy_run("yolo9t_early", tmp_path / "runs" / "run1")
    with terminal("watch", tmp_path / "runs", "--record", tmp_path / "kept") as shown:
        shown.wait_for("4/60")
        shown.press("q")
        assert shown.end() == 0
    assert list((tmp_path / "kept").rglob("*.jsonl"))


def test_a_wrong_target_is_told_before_any_screen() -> None:
    with terminal("./nowhere") as shown:
        assert shown.end() == 2
        assert "no such directory: ./nowhere" in shown.shown
        assert "\x1b[?1049h" not in shown.shown
