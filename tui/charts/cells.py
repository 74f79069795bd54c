"""A drawn chart as cells with roles, read from the coloured string that plotext builds."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

import msgspec


class Role(IntEnum):
    """What a cell shows; a theme or a terminal palette gives it its colour."""

    BLANK = 0
    AXIS = 1
    LABEL = 2
    GRID = 3
    BEST = 4
    NOTE = 5
    TITLE = 6
    LINE_1 = 10
    LINE_2 = 11
    LINE_3 = 12
    LINE_4 = 13
    LINE_5 = 14
    LINE_6 = 15


LINES = (Role.LINE_1, Role.LINE_2, Role.LINE_3, Role.LINE_4, Role.LINE_5, Role.LINE_6)
"""Roles of up to six series; more are not told apart and not drawn."""

MARKS = ("●", "■", "▲", "◇", "○", "□")
"""The sign of each series, in the legend and at the end of its line."""

ASCII_MARKS = ("*", "+", "x", "o", "#", "%")

BEST_MARK, ASCII_BEST_MARK = "◆", "@"

Run = tuple[str, Role]
"""Neighbouring cells of one role."""


class Drawing(msgspec.Struct, frozen=True):
    """A chart: ``title`` is its legend line, ``rows`` the canvas, ``note`` what was left out."""

    title: tuple[Run, ...]
    rows: tuple[tuple[Run, ...], ...]
    note: str = ""


_ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")

_PLAIN = {
    Role.AXIS: str.maketrans("┼┴", "┤─"),
    Role.GRID: str.maketrans("┼", "┊"),
}
"""Where the grid meets an axis or the best epoch, plotext draws crossings: calmer without."""

_TO_ASCII = str.maketrans(
    {"┈": ".", "┊": ":", "─": "-", "│": "|", **dict.fromkeys("┌┐└┘├┤┬┴┼", "+")}
)


def rows(text: str, ascii_only: bool = False) -> tuple[tuple[Run, ...], ...]:
    """Read plotext's string: a colour ``38;2;R;x;x`` names the role R of the cells after it."""
    return tuple(_row(line, ascii_only) for line in text.split("\n") if line)


def _row(line: str, ascii_only: bool) -> tuple[Run, ...]:
    found: list[Run] = []
    role = Role.BLANK
    position = 0
    for escape in (*_ESCAPE.finditer(line), None):
        text = line[position : escape.start() if escape else len(line)]
        if text:
            if role in _PLAIN:
                text = text.translate(_PLAIN[role])
            text = text.translate(_TO_ASCII) if ascii_only else text
            if found and found[-1][1] is role:
                text = found.pop()[0] + text
            found.append((text, role))
        if escape:
            role = _role(escape.group(1), role)
            position = escape.end()
    return tuple(found)


@lru_cache(maxsize=512)
def _role(code: str, role: Role) -> Role:
    """Return the role after an escape: a foreground names it, 0 ends it, all else keeps it."""
    if code.startswith("38;2;"):
        return Role(int(code.split(";")[2]))
    return Role.BLANK if code in ("", "0") else role
