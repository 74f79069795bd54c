"""What a box costs per hour: running, stopped, and now."""

from __future__ import annotations

from typing import Literal

from tui.money.figures import Rate, amount, finite

HOURS_PER_MONTH = 730.0
"""Hours a provider bills a GB-month over, where its own constant is not known (365 × 24 / 12)."""

PROVIDER_HOURS = {"vast": 720.0, "lambda": 720.0}
"""Providers that bill a month of 30 days: Lambda says so, Vast's own examples divide by 720."""

Bills = Literal["running", "stopped", "nothing", "unknown"]
"""What a box's state bills: everything, its storage, nothing for certain, or nobody can tell."""


def hours_per_month(provider: str | None = None) -> float:
    """Return the hours over which a provider bills a GB-month."""
    return PROVIDER_HOURS.get(provider or "", HOURS_PER_MONTH)


def stopped_rate(
    reported: object = None,
    gb: object = None,
    usd_per_gb_month: object = None,
    hours_per_month: object = HOURS_PER_MONTH,
) -> Rate:
    """Return what a stopped box costs: the provider's own figure, else its storage by formula.

    ``gb × usd_per_gb_month ÷ hours_per_month``; ``gb`` is what is allocated, not what is used:
    that is what providers bill.
    """
    own = amount(reported)
    if own is not None:
        return Rate(own, "reported")
    size, price, hours = amount(gb), amount(usd_per_gb_month), amount(hours_per_month)
    if size is None or price is None or not hours:
        return Rate()
    found = finite(size * price / hours)
    return Rate() if found is None else Rate(found, "computed")


def rate_now(bills: Bills, running: Rate, stopped: Rate, reported: object = None) -> Rate:
    """Return what a box costs at this moment: the provider's own figure, else by its state.

    A state that nobody can tell is assumed to bill as if it ran, and is never free.
    """
    own = amount(reported)
    if own is not None:
        return Rate(own, "reported")
    match bills:
        case "nothing":
            return Rate(0.0, "computed")
        case "stopped":
            return stopped
        case _:
            return running


def saved_share(running_per_hour: object, stopped_per_hour: object) -> float | None:
    """Return the share of the running rate that a stop saves; negative if stopping costs more."""
    running, stopped = amount(running_per_hour), amount(stopped_per_hour)
    if running is None or stopped is None or running == 0:
        return None
    return finite(1 - stopped / running)
