"""The screen in real terminals: in tmux, under signals, with input that is no UTF-8."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from tests.tmux import ROOT, Tmux
from tests.tmux import tmux as tmux
from tests.waiting import wait_until

CANNED = [sys.executable, "-m", "tests.screens.canned_app"]
RESTORED = [1000, 1003, 1006, 1015, 1049, 2004]
"""Terminal modes that are on while the app runs and must be off after it."""
PLAIN = b"enter goes back"


@pytest.mark.tmux
@pytest.mark.parametrize("term", ["screen", "tmux-256color"])
def test_it_is_read_and_driven_in_tmux(tmux: Tmux, term: str) -> None:
    tmux.start((120, 40), term, *CANNED)
    tmux.shows("8 boxes", "● running", "61/100", "lambda-a10 / coco-9m failed", "? help")
    tmux("send-keys", "j", "j", "j")
    tmux.shows("vast-4090 / coco-9t  ● running")
    tmux("send-keys", "Enter")
    tmux.shows("epoch 61/100", "2 loss", "following")
    tmux("send-keys", "/")
    tmux.shows("search")
    tmux("send-keys", "Average")
    tmux.shows("search  Average")
    tmux("send-keys", "Enter")
    tmux.shows("/Average 61/61")
    tmux("send-keys", "Escape")
    tmux.shows("STATE")
    tmux("send-keys", "?")
    tmux.shows("leave; trainings go on")
    tmux("send-keys", "Escape")
    wait_until(lambda: "trainings go on" not in tmux.screen(), 30)
    tmux("send-keys", "q")
    wait_until(lambda: "sleep" in tmux("list-panes", "-F", "#{pane_current_command}"), 30)


@pytest.mark.tmux
def test_it_follows_the_size_of_its_pane(tmux: Tmux) -> None:
    tmux.start((120, 40), "tmux-256color", *CANNED)
    tmux.shows("2 loss", "STATE")
    tmux("resize-window", "-x", "30", "-y", "6")
    tmux.shows("coco-9t")
    wait_until(lambda: "STATE" not in tmux.screen(), 30)
    tmux("resize-window", "-x", "120", "-y", "40")
    tmux.shows("2 loss", "STATE")


@pytest.mark.tmux
def test_it_is_readable_without_colour_and_in_ascii(tmux: Tmux) -> None:
    tmux.start((100, 30), "screen", *CANNED, "ascii", NO_COLOR="1")
    tmux.shows("> running", "X failed", "? help")
    assert tmux.screen().isascii()


class Terminal:
    """A pseudo-terminal in which the app runs, and all that it has written."""

    def __init__(self, env: Mapping[str, str], command: Sequence[str] = CANNED) -> None:
        self.process, self.master, self.modes = _spawn(env, command)
        self.written = b""

    def type(self, keys: bytes, *answer: bytes) -> None:
        """Type at once, and wait until all words of the answer were written after that."""
        before = len(self.written)
        os.write(self.master, keys)
        self.read_until(lambda: all(word in self.written[before:] for word in answer), 20)

    def insist(self, keys: bytes, answer: bytes) -> None:
        """Type again until the answer is written: a key may come while another screen closes."""
        before, again = len(self.written), 0.0

        def is_answered() -> bool:
            nonlocal again
            if time.monotonic() > again:
                again = time.monotonic() + 2
                os.write(self.master, keys)
            return len(self.written) > before and answer in self.written[before:]

        self.read_until(is_answered, 30)

    def ends(self) -> int:
        """Read until the app has ended, and return its exit code."""
        self.read_until(lambda: self.process.poll() is not None)
        return self.process.wait(30)

    def hang_up(self) -> None:
        """Take the terminal away."""
        os.close(self.master)
        self.master = os.open(os.devnull, os.O_RDONLY)

    @property
    def is_restored(self) -> bool:
        """Whether every mode is as it was: the line's, and those that escapes have set."""
        for mode in RESTORED:
            on, off = (self.written.rfind(b"\x1b[?%d%c" % (mode, end)) for end in b"hl")
            if not off > on >= 0:
                return False
        is_cursor_shown = self.written.rfind(b"\x1b[?25h") > self.written.rfind(b"\x1b[?25l")
        return is_cursor_shown and termios.tcgetattr(self.master) == self.modes

    def read_until(self, condition: Callable[[], bool], seconds: float = 60) -> None:
        """Read what is written until a condition holds or nothing more can come."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, self.written[-2000:]
            if select.select([self.master], [], [], 0.05)[0]:
                try:
                    self.written += os.read(self.master, 1 << 16)
                except OSError:
                    return

    def close(self) -> None:
        """End the process, if it is still there."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(30)
        os.close(self.master)


def _spawn(
    env: Mapping[str, str], command: Sequence[str]
) -> tuple[subprocess.Popen[bytes], int, list[Any]]:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    modes = termios.tcgetattr(master)
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm-256color", **env},
        start_new_session=True,
    )
    os.close(slave)
    return process, master, modes


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    """The app in a terminal, after its first picture."""
    terminal = Terminal({})
    terminal.read_until(lambda: b"boxtop" in terminal.written and b"coco-9t" in terminal.written)
    yield terminal
    terminal.close()


SIGNALS = [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT]


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_signals_leave_the_terminal_as_it_was(terminal: Terminal, number: signal.Signals) -> None:
    terminal.process.send_signal(number)
    assert terminal.ends() == 128 + number
    assert terminal.is_restored


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_signals_end_the_plain_screen(terminal: Terminal, number: signal.Signals) -> None:
    terminal.type(b"Y", PLAIN)
    terminal.type(b"\r", b"STATE")
    terminal.type(b"Y", PLAIN)
    terminal.process.send_signal(number)
    assert terminal.ends() == 128 + number
    assert terminal.is_restored


def test_a_signal_ends_a_pile_of_plain_screens(terminal: Terminal) -> None:
    terminal.type(b"YYYY", PLAIN)
    terminal.process.terminate()
    assert terminal.ends() == 128 + signal.SIGTERM
    assert terminal.is_restored


@pytest.mark.parametrize("keys", [b"", b"Y"], ids=["screen", "plain"])
def test_a_process_that_was_stopped_goes_on_and_ends(terminal: Terminal, keys: bytes) -> None:
    os.write(terminal.master, keys)
    if keys:
        terminal.read_until(lambda: PLAIN in terminal.written)
    for number in (signal.SIGSTOP, signal.SIGCONT, signal.SIGCONT):
        terminal.process.send_signal(number)
    if keys:
        terminal.type(b"\r", b"STATE")
    terminal.insist(b"?", b"trainings go on")
    terminal.process.send_signal(signal.SIGCONT)
    terminal.process.terminate()
    assert terminal.ends() == 128 + signal.SIGTERM
    assert terminal.is_restored


def test_ctrl_d_on_the_plain_screen_leaves(terminal: Terminal) -> None:
    terminal.type(b"Y", PLAIN)
    os.write(terminal.master, b"\x04")
    assert terminal.ends() == 0
    assert terminal.is_restored


@pytest.mark.parametrize("keys", [b"", b"Y", b"Y\r", b"YYYY", b"?", b":"])
@pytest.mark.parametrize("with_signal", [True, False])
def test_a_terminal_that_goes_away_ends_the_app(
    terminal: Terminal, keys: bytes, with_signal: bool
) -> None:
    os.write(terminal.master, keys)
    if b"Y" in keys:
        terminal.read_until(lambda: PLAIN in terminal.written)
    terminal.hang_up()
    if with_signal:
        terminal.process.send_signal(signal.SIGHUP)
        terminal.process.send_signal(signal.SIGCONT)
    ended_as = (128 + signal.SIGHUP, -signal.SIGHUP)  # the signal may find it gone already
    assert terminal.process.wait(30) in ended_as


def test_mouse_bytes_that_are_no_utf8_do_not_end_it(terminal: Terminal) -> None:
    before = len(terminal.written)
    os.write(terminal.master, b"\x1b[M" + bytes([32, 0xF5, 0xC0]) + b"?")
    terminal.read_until(lambda: b"trainings go on" in terminal.written[before:])
    os.write(terminal.master, b"\x03")
    terminal.read_until(lambda: terminal.process.poll() is not None)
    assert terminal.process.wait(30) == 0
