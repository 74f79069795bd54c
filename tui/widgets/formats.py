"""Figures of the screen in as few cells as they can be read in; unknown is ``-``, never 0."""

from __future__ import annotations

from tui.charts.ticks import measured

UNKNOWN = "-"


def age(seconds: float | None) -> str:
    """Return an age in one unit: ``4s``, ``12m``, ``3h``, ``5d``; never negative."""
    if seconds is None:
        return UNKNOWN
    whole = max(0, int(seconds))
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "m")):
        if whole >= size * (2 if unit == "d" else 1):
            return f"{whole // size}{unit}"
    return f"{whole}s"


def value(figure: float | None) -> str:
    """Return a metric or a loss."""
    return UNKNOWN if figure is None else measured(figure)


def size(count: int | None) -> str:
    """Return bytes in units of 1024: ``131G``, ``2.1G``, ``812M``."""
    if count is None:
        return UNKNOWN
    amount = float(count)
    unit = "B"
    for larger in "KMGTP":
        if unit != "B" and amount < 1000:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.1f}{unit}" if amount < 9.95 else f"{amount:.0f}{unit}"


def money(usd: float | None) -> str:
    """Return dollars with cents, small amounts with what can be told apart."""
    if usd is None:
        return UNKNOWN
    return f"${usd:.2f}" if usd == 0 or usd >= 0.01 else f"${usd:.4f}"


def share(part: float | None, whole: float | None) -> float | None:
    """Return part ÷ whole within 0 and 1, None when it cannot be known."""
    if part is None or not whole or whole < 0:
        return None
    return min(1.0, max(0.0, part / whole))
