"""What is written: results to stdout, everything else to stderr, in what the terminal can show."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TextIO

from tui.errors import UserError
from tui.report.lines import Paper
from tui.text import clean, redact

PIPE_CLOSED = 141
"""What a shell reports of a program that SIGPIPE ended."""

_NARROWEST, _WIDEST, _USUAL = 40, 100, 80


class Console:
    """Both streams of this process, and the paper they stand for."""

    def __init__(
        self,
        *,
        ascii_only: bool = False,
        no_color: bool = False,
        out: TextIO | None = None,
        err: TextIO | None = None,
        env: Mapping[str, str] = os.environ,
    ) -> None:
        self.out = out if out is not None else sys.stdout
        self.err = err if err is not None else sys.stderr
        plain = ascii_only or not shows_unicode(self.out, env)
        colour = not no_color and shows_colour(self.out, env)
        self.paper = Paper(_width(self.out), plain, colour)

    def say(self, line: str = "") -> None:
        """Write one line of results."""
        self.out.write(f"{self.paper.plain(line)}\n")

    def say_all(self, lines: Iterable[str]) -> None:
        """Write results, and see them off."""
        for line in lines:
            self.say(line)
        self.out.flush()

    def tell(self, text: str) -> None:
        """Write a message to stderr, cleaned and without tokens."""
        self.err.write(f"boxtop: {clean(redact(text))}\n")
        self.err.flush()

    def tell_error(self, error: UserError) -> None:
        """Write what went wrong and what helps."""
        self.tell(str(error))
        if error.hint:
            for line in f"  {clean(redact(error.hint))}".split("\n"):
                self.err.write(f"{_wrapped(line, '    ')}\n")
            self.err.flush()


def _wrapped(line: str, indent: str) -> str:
    """Return a hint in lines of a readable length; what it names may be a long list."""
    if len(line) <= _WIDEST:
        return line
    import textwrap

    return textwrap.fill(
        line,
        _WIDEST,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def prepare_streams() -> None:
    """Make writing never fail over a character or a stream that is closed."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            setattr(sys, name, os.fdopen(nowhere, "w", encoding="utf-8"))
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def forget_stdout() -> None:
    """Send what is still buffered to nowhere: whoever read it is gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def abandon_full_stdout() -> None:
    """Drop what stdout cannot take (a full disk), or Python fails on it once more at its exit."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        forget_stdout()


def abandon_dead_streams() -> None:
    """Drop what neither stream can take (its terminal is gone): Python would exit with 120."""
    for stream, descriptor in ((sys.stdout, 1), (sys.stderr, 2)):
        try:
            stream.flush()
        except (OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def shows_unicode(stream: TextIO, env: Mapping[str, str]) -> bool:
    """Whether a stream shows more than ASCII.

    Python itself turns the C locale into UTF-8 (PEP 538, 540), which its terminal need not know:
    there only an explicit wish counts.
    """
    if (stream.encoding or "").lower().replace("_", "-") not in ("utf-8", "utf8"):
        return False
    if env.get("PYTHONIOENCODING") or env.get("PYTHONUTF8") == "1" or sys.platform != "linux":
        return True
    ctype = env.get("LC_CTYPE", "")
    if ctype == "C.UTF-8":  # what Python sets where it found the C locale
        ctype = ""
    locale = env.get("LC_ALL") or ctype or env.get("LANG", "")
    return "utf" in locale.lower()


def shows_colour(stream: TextIO, env: Mapping[str, str]) -> bool:
    """Whether escapes may be written: to a terminal only, and not against NO_COLOR."""
    return stream.isatty() and not env.get("NO_COLOR") and not _is_dumb(env)


def shows_screen(env: Mapping[str, str] = os.environ) -> bool:
    """Whether the full screen can be shown: a terminal on both sides that is not dumb."""
    streams = (sys.stdin, sys.stdout)
    terminals = all(stream is not None and stream.isatty() for stream in streams)
    return terminals and not _is_dumb(env)


def _is_dumb(env: Mapping[str, str]) -> bool:
    """Whether a terminal says that it knows no escapes, or says nothing of itself."""
    return env.get("TERM", "") in ("dumb", "")


def _width(stream: TextIO) -> int:
    if not stream.isatty():
        return _USUAL
    import shutil

    return max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size((_USUAL, 24)).columns))
