"""What one line of a chart is made of: values made safe, smoothed, and reduced to the canvas."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import cast

import msgspec

LARGEST = 1e300
"""Values beyond this are dropped: plotext overflows on them, and no one reads them."""


class Series(msgspec.Struct, frozen=True):
    """One line: ``values`` aligned with the plot's x; None is a gap over which nothing is drawn.

    ``sampled`` marks a value that is only measured now and then (validation every k epochs):
    epochs in ``skipped`` were not meant to have one, so they are no holes.
    """

    label: str
    values: Sequence[object]
    skipped: frozenset[int] = frozenset()


class Segment(msgspec.Struct, frozen=True):
    """Points joined by a line: ``xs`` increases, both have the same length, at least one."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]


def numbers(values: Sequence[object]) -> list[float | None]:
    """Return values as finite floats; text is read as a number, anything else becomes a gap."""
    if values and set(map(type, values)) == {float}:
        plain: list[float] = list(values)  # type: ignore[arg-type]  # all floats, checked above
        if math.isfinite(sum(plain)) and max(plain) <= LARGEST and min(plain) >= -LARGEST:
            return cast(list[float | None], plain)
    return [_number(value) for value in values]


def _number(value: object) -> float | None:
    if value is None:
        return None
    if type(value) is float:
        return value if -LARGEST <= value <= LARGEST else None
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and abs(number) <= LARGEST else None


def smooth(values: Sequence[float | None], weight: float) -> list[float | None]:
    """Return the exponential moving average, corrected for its start; gaps stay gaps.

    ``weight`` is in [0, 0.99]: 0 gives the values themselves.
    """
    if weight <= 0:
        return list(values)
    out: list[float | None] = []
    total = known = 0.0
    for value in values:
        if value is None:
            out.append(None)
            continue
        total = total * weight + (1 - weight) * value
        known = known * weight + (1 - weight)
        out.append(total / known)
    return out


def segments(
    xs: Sequence[float], values: Sequence[float | None], skipped: frozenset[int] = frozenset()
) -> list[Segment]:
    """Split a series at its gaps; ``skipped`` are indices that are left out without a gap."""
    if skipped:
        kept = [i for i in range(len(values)) if values[i] is not None or i not in skipped]
        xs, values = [xs[i] for i in kept], [values[i] for i in kept]
    holes = [i for i, value in enumerate(values) if value is None] if None in values else []
    found: list[Segment] = []
    begin = 0
    for end in (*holes, len(values)):
        if end > begin:
            heights: tuple[float, ...] = tuple(values[begin:end])  # type: ignore[arg-type]  # no hole between two holes
            found.append(Segment(tuple(xs[begin:end]), heights))
        begin = end + 1
    return found


def newest(values: Sequence[object]) -> float | None:
    """Return the last value that is a number."""
    return next((n for n in map(_number, reversed(values)) if n is not None), None)


def reduce(
    parts: Sequence[Segment], low: float, high: float, columns: int, least: float = 0.0
) -> list[Segment]:
    """Keep each column's minimum and maximum in their order, and the last point of all.

    ``low`` and ``high`` are the limits of the x axis that ``columns`` cells share, ``least`` the
    height below which they fall together. A gap breaks the line between two columns; one
    inside a column is too narrow to be seen.
    """
    if sum(len(part.xs) for part in parts) <= 2 * columns or columns < 1 or not high > low:
        return list(parts)
    xs = parts[0].xs if len(parts) == 1 else tuple(x for part in parts for x in part.xs)
    ys = parts[0].ys if len(parts) == 1 else tuple(y for part in parts for y in part.ys)
    begins = list(accumulate(len(part.xs) for part in parts))
    width = (high - low) / columns
    found: list[tuple[list[float], list[float]]] = []
    begin, before = 0, -1
    while begin < len(xs):
        column = int((xs[begin] - low) / width)
        end = max(begin + 1, bisect_left(xs, low + (column + 1) * width, begin))
        if before < 0 or (len(begins) > 1 and _broken(begins, before, begin)):
            found.append(([], []))
        kept = _seen(ys[begin:end], least, is_last=end == len(xs))
        across, up = found[-1]
        for index in kept:
            across.append(xs[begin + index])
            up.append(ys[begin + index])
        before, begin = end - 1, end
    return [Segment(tuple(across), tuple(up)) for across, up in found]


def _broken(begins: list[int], before: int, begin: int) -> bool:
    """Return whether a segment begins between two points."""
    return bisect_right(begins, before) != bisect_right(begins, begin)


def _seen(column: tuple[float, ...], least: float, *, is_last: bool) -> tuple[int, ...]:
    """Return the indices of a column's points that can be told apart on the canvas."""
    low, high, end = min(column), max(column), len(column) - 1
    if high - low <= least:
        return (end,)
    first, second = column.index(low), column.index(high)
    if first > second:
        first, second = second, first
    return (first, second, end) if is_last and second != end else (first, second)
