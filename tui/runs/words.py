"""Durations, sizes and shares in words, the same everywhere a run is spoken of."""

from __future__ import annotations

import math

_LONGEST = 100 * 365 * 86_400
_UNITS = ("KB", "MB", "GB", "TB", "PB")


def clock_text(seconds: float) -> str:
    """Return a duration as ``6:40`` or ``1:28:58``; minutes stand even when they are 0."""
    whole = int(min(max(seconds, 0.0), _LONGEST))
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02d}:{second:02d}" if hours else f"{minute}:{second:02d}"


def pace_text(seconds: float) -> str:
    """Return an epoch's time: ``1.9 s`` or ``45 s``, from a minute on ``29:50``."""
    if seconds >= 60:
        return clock_text(seconds)
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def rough_text(seconds: float) -> str:
    """Return a duration in its largest fitting unit: ``590 s``, ``45 min``, ``25 h``, ``3 d``."""
    seconds = min(max(seconds, 0.0), float(_LONGEST))
    if seconds < 600:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 48 * 3600 else f"{seconds / 86_400:.0f} d"


def size_text(size: int) -> str:
    """Return a size on disk in units of 1024 bytes: ``1000 KB``, ``21.3 GB``."""
    value, unit = size / 1024, 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    shown = f"{value:.1f}" if unit and value < 100 else f"{value:.0f}"
    return f"{shown.removesuffix('.0')} {_UNITS[unit]}"


def used_percent(free: int, total: int) -> int | None:
    """Return how full something is in whole per cent, rounded up as ``df`` does."""
    if total <= 0:
        return None
    return math.ceil(100 * min(max(1 - free / total, 0.0), 1.0))


def count_text(count: int, one: str) -> str:
    """Return a count with its noun: ``1 bad line``, ``2 bad lines``."""
    return f"{count} {one}" if count == 1 else f"{count} {one}s"


def epochs_text(epochs: list[int], most: int = 12) -> str:
    """Return epochs as a list, runs of three and more as ranges: ``2, 3, 7-40``."""
    if len(epochs) <= most:
        return ", ".join(map(str, epochs))
    parts: list[str] = []
    start = previous = epochs[0]
    for epoch in [*epochs[1:], epochs[-1] + 2]:
        if epoch != previous + 1:
            parts.append(str(start) if start == previous else f"{start}-{previous}")
            start = epoch
        previous = epoch
    return ", ".join(parts[:most]) + (", …" if len(parts) > most else "")
