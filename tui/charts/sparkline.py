"""Tiny charts for table cells: a line of blocks and an arrow for where a value is going."""

from __future__ import annotations

from collections.abc import Sequence

from tui.charts.series import numbers

_BLOCKS = "▁▂▃▄▅▆▇"
_ASCII = "_.-=^"
_ARROWS = {1: "↗", 0: "→", -1: "↘"}
_ASCII_ARROWS = {1: "/", 0: "-", -1: "\\"}
_STILL = 0.01
"""A change below this share of the whole range counts as no change."""


def sparkline(values: Sequence[object], width: int, ascii_only: bool = False) -> str:
    """Return the newest history in at most ``width`` cells, as high as it is; gaps are spaces.

    More values than cells: each cell shows the mean of its share. No value at all: "".
    """
    known = numbers(values)
    if width < 1 or all(value is None for value in known):
        return ""
    cells = known if len(known) <= width else _means(known, width)
    heights = [value for value in cells if value is not None]
    low, high = min(heights), max(heights)
    ramp = _ASCII if ascii_only else _BLOCKS
    top = len(ramp) - 1
    span = (high - low) or 1.0
    level = top // 2 if high == low else 0
    return "".join(
        " " if value is None else ramp[level or round((value - low) / span * top)]
        for value in cells
    )


def _means(values: list[float | None], width: int) -> list[float | None]:
    out: list[float | None] = []
    for cell in range(width):
        begin, end = cell * len(values) // width, (cell + 1) * len(values) // width
        part = [value for value in values[begin:end] if value is not None]
        out.append(sum(part) / len(part) if part else None)
    return out


def trend(values: Sequence[object], window: int = 6) -> int | None:
    """Return 1, 0 or -1: where the last ``window`` known values go; None with fewer than two."""
    known = [value for value in numbers(values) if value is not None]
    recent = known[-window:]
    if len(recent) < 2:
        return None
    half = len(recent) // 2
    before, after = recent[:half], recent[-half:]
    change = sum(after) / half - sum(before) / half
    span = max(known) - min(known)
    if not span or abs(change) <= span * _STILL:
        return 0
    return 1 if change > 0 else -1


def arrow(direction: int | None, ascii_only: bool = False) -> str:
    """Return the sign of a trend, one cell; a space when it is not known."""
    if direction is None:
        return " "
    return (_ASCII_ARROWS if ascii_only else _ARROWS)[direction]
