"""The desktop notification by the terminal: what is written, and that it comes through tmux."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import PROJECT
from tests.screens.test_terminal import Terminal, Tmux, tmux
from tui.alerts.event import event, message_of
from tui.alerts.terminal import notification

__all__ = ["tmux"]

UTF8 = {"LANG": "C.UTF-8"}
XTERM = {"TERM": "xterm-256color", **UTF8}
ALARM = [sys.executable, "-m", "tests.alerts.canned_alarm"]
NINE = b"\x1b]9;boxtop: dead: lab run1: lab run1 is dead: , \xe2\x80\xa6"


def message(text: str, name: str = "run1") -> object:
    return message_of([event("dead", "lab", name, text, 0.0)], 0.0)


def test_an_unknown_terminal_gets_both() -> None:
    told = notification(message("lab run1 is dead"), XTERM)
    assert told == (
        "\x1b]9;boxtop: dead: lab run1: lab run1 is dead\x07"
        "\x1b]777;notify;boxtop: dead: lab run1;lab run1 is dead\x07"
    )


@pytest.mark.parametrize(
    ("env", "codes"),
    [
        ({"TERM": "xterm-kitty"}, ["9"]),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, ["9"]),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, ["777"]),
        ({"TERM": "foot"}, ["777"]),
        ({"TERM": "rxvt-unicode-256color"}, ["777"]),
        ({"TERM": "tmux-256color", "TMUX": "/tmp/t,1,0", "KITTY_WINDOW_ID": "1"}, ["9"]),
        ({"TERM": "xterm-256color"}, ["9", "777"]),
        ({"TERM": "linux"}, []),
        ({"TERM": "dumb"}, []),
        ({}, []),
    ],
)
def test_each_terminal_gets_what_it_knows_once(env: dict[str, str], codes: list[str]) -> None:
    assert re.findall(r"\x1b\](9|777);", notification(message("x"), env)) == codes


def test_multiplexers_are_asked_to_hand_it_on() -> None:
    inside = notification(message("x"), {**XTERM, "TMUX": "/tmp/t,1,0", "TERM_PROGRAM": "ghostty"})
    assert inside == "\x1bPtmux;\x1b\x1b]777;notify;boxtop: dead: lab run1;x\x07\x1b\\"
    inside = notification(message("x"), {**XTERM, "STY": "1.pts", "TERM_PROGRAM": "ghostty"})
    assert inside == "\x1bP\x1b]777;notify;boxtop: dead: lab run1;x\x07\x1b\\"


@given(st.text(), st.text())
def test_no_text_ends_or_begins_a_sequence(text: str, name: str) -> None:
    told = notification(message(text, name), XTERM)
    nine, seven = re.fullmatch(r"\x1b\]9;(.*)\x07\x1b\]777;notify;(.*)\x07", told).groups()  # type: ignore[union-attr]
    assert nine.isprintable() and nine.startswith("boxtop: ") and ";" not in nine
    assert seven.isprintable() and seven.count(";") == 1
    assert len(nine) <= 400


def test_a_terminal_without_utf8_gets_ascii() -> None:
    assert notification(message("läuft"), {"TERM": "xterm", "LANG": "C"}).isascii()


@pytest.fixture
def shown() -> Iterator[Terminal]:
    """The app with one alert, in a terminal of its own."""
    terminal = Terminal({}, ALARM)
    yield terminal
    terminal.close()


def test_the_app_writes_it_to_its_terminal_and_rings(shown: Terminal) -> None:
    shown.read_until(lambda: b"\x1b]777;notify;boxtop: dead: lab run1;" in shown.written)
    assert b"\x1b]9;boxtop: dead: lab run1: lab run1 is dead: " in shown.written
    assert b"owned" not in shown.written
    without = re.sub(rb"\x1b\][^\x07]*\x07", b"", shown.written)
    shown.read_until(lambda: b"\x07" in re.sub(rb"\x1b\][^\x07]*\x07", b"", shown.written))
    shown.read_until(lambda: b"lab run1 is dead" in without or b"is dead" in shown.written)
    shown.type(b"q")
    assert shown.ends() == 0 and shown.is_restored


@pytest.mark.tmux
@pytest.mark.parametrize("passes", ["on", "off"])
def test_it_comes_through_tmux_where_that_is_allowed(
    tmux: Tmux, passes: str, tmp_path: Path
) -> None:
    tmux("new-session", "-d", "-x", "100", "-y", "30", "sleep", "600")
    tmux("set-option", "-g", "allow-passthrough", passes)
    outside = Terminal({}, ["tmux", "-u", "-S", str(tmux.socket), "-f", "/dev/null", "attach"])
    try:
        outside.read_until(lambda: b"sleep" in outside.written or len(outside.written) > 200)
        tmux("new-window", "-c", str(PROJECT), "-e", "LANG=C.UTF-8", *ALARM)
        tmux.shows("lab run1 is dead")
        if passes == "on":
            outside.read_until(
                lambda: b"\x1b]777;notify;boxtop: dead: lab run1;" in outside.written
            )
            assert b"\x1b]9;boxtop: dead" in outside.written
        else:
            outside.read_until(lambda: b"lab run1 is dead" in outside.written)
            assert b"]777;" not in outside.written
        assert b"Ptmux" not in outside.written and b"]777" not in tmux.screen().encode()
    finally:
        outside.close()


def test_alerts_test_writes_to_a_terminal_and_to_no_pipe(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tui", "alerts", "test"]
    env = {**os.environ, "PYTHONPATH": str(PROJECT)}
    piped = subprocess.run(command, capture_output=True, env=env, check=True)
    assert b"\x1b" not in piped.stdout
    assert piped.stdout.startswith(b"terminal: none here")
    master, slave = pty.openpty()
    with subprocess.Popen(command, stdout=slave, stderr=slave, env=env) as process:
        os.close(slave)
        seen = b""
        try:
            while chunk := os.read(master, 4096):
                seen += chunk
        except OSError:
            pass
        assert process.wait(30) == 0
    os.close(master)
    assert b"\x1b]9;boxtop: test: This is a test" in seen and b"terminal: sent" in seen
