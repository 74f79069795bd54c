"""What a box costs: pure sums over rates per hour. Money is US dollars.

Unknown is None and stays None: nothing unknown is ever counted as free. A missing, negative or
not finite input gives no figure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

import msgspec

HOURS_PER_MONTH = 730.0
"""Hours a provider bills a GB-month over, where its own constant is not known (365 × 24 / 12)."""

DISK_MARGIN = 1.3
"""Room above data and checkpoints: a second last.pt while it is written, logs, caches."""

Source = Literal["reported", "computed", "user", "unknown"]
Advice = Literal["stop", "destroy", "equal", "unknown"]


class Rate(msgspec.Struct, frozen=True):
    """A price per hour and where it comes from; None is unknown, never free."""

    usd_per_hour: float | None = None
    source: Source = "unknown"


class Comparison(msgspec.Struct, frozen=True):
    """Stop or destroy for a pause: ``break_even_h`` is the pause at which both cost the same.

    It is None when stopping is free (then nothing ever outweighs it) or when data is missing.
    """

    advice: Advice
    break_even_h: float | None
    reason: str


def amount(value: object) -> float | None:
    """Return a finite number that is not negative (``"0.05"`` is one), None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) and found >= 0 else None


def stopped_rate(
    reported: object = None,
    gb: object = None,
    usd_per_gb_month: object = None,
    hours_per_month: float = HOURS_PER_MONTH,
) -> Rate:
    """Return what a stopped box costs: the provider's own figure, else its storage by formula.

    ``gb`` is what is allocated, not what is used: that is what providers bill.
    """
    own = amount(reported)
    if own is not None:
        return Rate(own, "reported")
    size, price = amount(gb), amount(usd_per_gb_month)
    if size is None or price is None or hours_per_month <= 0:
        return Rate()
    return Rate(size * price / hours_per_month, "computed")


def cost_of(seconds: float | None, usd_per_hour: float | None) -> float | None:
    """Return what a time costs at a rate: so far, to finish, or wasted."""
    time, rate = amount(seconds), amount(usd_per_hour)
    return None if time is None or rate is None else time / 3600 * rate


def rebuild_cost(
    setup_hours: object, usd_per_hour: object, gb_in: object, usd_per_gb_in: object
) -> float | None:
    """Return what a new box costs before it trains: the set-up's hours and the data's way in."""
    hours, rate = amount(setup_hours), amount(usd_per_hour)
    size, price = amount(gb_in), amount(usd_per_gb_in)
    if hours is None or rate is None or size is None or price is None:
        return None
    return hours * rate + size * price


def compare(rebuild: object, stopped_per_hour: object, pause_h: object) -> Comparison:
    """Weigh keeping a stopped box through a pause against destroying and rebuilding it."""
    cost, rate, pause = amount(rebuild), amount(stopped_per_hour), amount(pause_h)
    if cost is None or rate is None or pause is None:
        return Comparison("unknown", None, "not enough data")
    if rate == 0:
        return Comparison("stop", None, "stopping is free")
    hours = cost / rate
    if cost == 0:
        return Comparison("destroy", 0.0, "rebuilding is free")
    if round(pause, 1) == round(hours, 1):
        return Comparison("equal", hours, f"about equal at {hours:.1f} h")
    if pause < hours:
        return Comparison("stop", hours, f"stopping is cheaper up to {hours:.1f} h")
    return Comparison("destroy", hours, f"destroying is cheaper beyond {hours:.1f} h")


def saved_share(running_per_hour: object, stopped_per_hour: object) -> float | None:
    """Return the share of the running rate that a stop saves; negative if stopping costs more."""
    running, stopped = amount(running_per_hour), amount(stopped_per_hour)
    if running is None or stopped is None or running == 0:
        return None
    return 1 - stopped / running


def runway_s(credit: float | None, rates_per_hour: Iterable[float | None]) -> float | None:
    """Return seconds until the credit is used up by all rates of the account, stopped boxes too.

    None when the credit or any rate is unknown, or when nothing bills. A balance below zero has
    no runway: 0.
    """
    if credit is None or not math.isfinite(credit):
        return None
    known = [amount(rate) for rate in rates_per_hour]
    total = sum(rate for rate in known if rate is not None)
    if None in known or total == 0:
        return None
    return max(0.0, credit) / total * 3600


def disk_gb(data_gb: object, checkpoints_gb: object) -> int | None:
    """Return the disk size to rent for data and checkpoints, in whole GB."""
    data, checkpoints = amount(data_gb), amount(checkpoints_gb)
    if data is None or checkpoints is None:
        return None
    return math.ceil(round((data + checkpoints) * DISK_MARGIN, 6))
