"""Figures and where they come from. Money is US dollars; None is unknown and never free."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

import msgspec

Source = Literal["reported", "computed", "user", "unknown"]
"""``reported`` by the provider, ``computed`` by a formula, typed by the ``user``."""

COVERAGE = "compute and disk only"
"""What every total is labelled with: bandwidth, volumes and taxes are billed apart."""


class Rate(msgspec.Struct, frozen=True):
    """A price per hour and where it comes from; None is unknown, never free."""

    usd_per_hour: float | None = None
    source: Source = "unknown"


NO_RATE = Rate()
"""A rate nobody told: unknown, not free."""


class Figure(msgspec.Struct, frozen=True):
    """An amount and where it comes from; None is unknown, never free."""

    usd: float | None = None
    source: Source = "unknown"


class Total(msgspec.Struct, frozen=True):
    """The sum of what is known, None where nothing is, and how many figures nobody knows."""

    usd: float | None
    unknown: int

    @property
    def label(self) -> str:
        """What the sum covers, in words: ``compute and disk only, 1 more is not known``."""
        if not self.unknown:
            return COVERAGE
        more = "1 more is" if self.unknown == 1 else f"{self.unknown} more are"
        return f"{COVERAGE}, {more} not known"


def amount(value: object) -> float | None:
    """Return a finite number that is not negative (``"0.05"`` is one), None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and "_" in value:
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) and found >= 0 else None


def finite(value: float) -> float | None:
    """Return a result that did not overflow, None for one that did."""
    return value if math.isfinite(value) else None


def total(figures: Iterable[float | None]) -> Total:
    """Add up what is known; what is not, negative or not finite is counted, never taken as 0."""
    found = [amount(figure) for figure in figures]
    known = [figure for figure in found if figure is not None]
    return Total(finite(sum(known)) if known else None, len(found) - len(known))


def usd_text(usd: float | None) -> str:
    """Return an amount in words: ``$11.14``, ``$0.0685`` below ten cents, ``unknown``."""
    if usd is None or not math.isfinite(usd):
        return "unknown"
    if usd == 0 or abs(usd) >= 0.1:
        return f"${usd:,.2f}" if usd >= 0 else f"-${-usd:,.2f}"
    sign = "-" if usd < 0 else ""
    return f"{sign}${abs(usd):.3g}"


def rate_text(rate: Rate) -> str:
    """Return a rate with its source: ``$3.48/h (user)``, ``unknown``."""
    if rate.usd_per_hour is None:
        return "unknown"
    return f"{usd_text(rate.usd_per_hour)}/h ({rate.source})"
