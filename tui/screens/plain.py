"""Text on the terminal as it is without boxtop, to be copied by hand."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

from tui.driver import ENDING_SIGNALS, TERMINAL_GONE
from tui.text import clean

TICK_SECONDS = 0.2
"""A signal that came just before the wait began does not end it: it looks up this often."""


class Ended(Exception):  # no error: somebody wants boxtop to end
    """A signal came, or the terminal ended, while text was shown; ``code`` is the exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def print_plainly(lines: Iterable[str]) -> None:
    """Print lines and wait until they were copied. Raises Ended where boxtop shall end."""
    out = sys.__stdout__
    if out is None:
        return
    with _signals_end_it():
        try:
            for line in lines:
                out.write(clean(line) + "\n")
            out.write("\n-- enter goes back to boxtop --\n")
            out.flush()
            answer = _next_line()
        except OSError:
            raise Ended(TERMINAL_GONE) from None
    if not answer:
        raise Ended(0 if _is_there() else TERMINAL_GONE)


def _next_line() -> bytes:
    """Wait for a line, and return what there is of it; empty at the end of the terminal."""
    if sys.__stdin__ is None:
        return b"\n"
    stdin = sys.__stdin__.fileno()
    while not select.select([stdin], [], [], TICK_SECONDS)[0]:
        pass
    return os.read(stdin, 4096)


@contextmanager
def _signals_end_it() -> Iterator[None]:
    """Let a signal end the wait: the event loop, which else takes it, stands still meanwhile."""

    def end(number: int, frame: FrameType | None) -> None:
        raise Ended(128 + number)

    before = {number: signal.signal(number, end) for number in ENDING_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_there() -> bool:
    """Whether the terminal still is: then ctrl+d was pressed."""
    try:
        return os.isatty(0)
    except OSError:
        return False
