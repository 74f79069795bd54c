"""What a run costs: so far, to finish, per epoch, and for nothing since it ended."""

from __future__ import annotations

import msgspec

from tui.money.figures import Figure, Rate, amount, finite, usd_text


class RunCost(msgspec.Struct, frozen=True):
    """A run's money; each figure has the source of the rate it was made with, or is unknown."""

    so_far: Figure
    to_finish: Figure
    per_epoch: Figure
    wasted: Figure


def cost_of(seconds: object, usd_per_hour: object) -> float | None:
    """Return what a time costs at a rate: so far, to finish, or wasted."""
    time, rate = amount(seconds), amount(usd_per_hour)
    return None if time is None or rate is None else finite(time / 3600 * rate)


def figure_of(seconds: object, rate: Rate) -> Figure:
    """Return what a time costs, with the rate's source."""
    usd = cost_of(seconds, rate.usd_per_hour)
    return Figure() if usd is None else Figure(usd, rate.source)


def run_cost(
    running: Rate,
    now: Rate,
    *,
    elapsed_s: float | None,
    eta_s: float | None,
    epoch_s: float | None,
    idle_s: float | None,
) -> RunCost:
    """Return a run's money; durations in seconds, None where one is unknown or does not apply.

    What was used and will be is billed at the running rate; what is wasted (``idle_s``, see
    ``idle_seconds``) at the rate of now.
    """
    return RunCost(
        so_far=figure_of(elapsed_s, running),
        to_finish=figure_of(eta_s, running),
        per_epoch=figure_of(epoch_s, running),
        wasted=figure_of(idle_s, now),
    )


def idle_seconds(ended_at: float | None, now: float, bills: bool | None) -> float | None:
    """Return for how long a box has billed for nothing: since its run ended, died or stalled.

    ``bills`` is whether it bills at all; unknown counts as billing. None while the run goes on,
    or when the box bills nothing; a clock that was set back gives 0.
    """
    if ended_at is None or bills is False:
        return None
    return max(0.0, now - ended_at)


def idle_text(seconds: object, rate: Rate) -> str | None:
    """Return what is wasted in words: ``idle 3h12m = $11.14``; an unknown price is said to be."""
    idle = amount(seconds)
    if idle is None:
        return None
    price = cost_of(idle, rate.usd_per_hour)
    what = "at an unknown price" if price is None else f"= {usd_text(price)}"
    return f"idle {hours_text(idle)} {what}"


def bills_text(name: str, rate: Rate) -> str:
    """Return what a box goes on costing: ``box1 still bills $3.4828/h``."""
    if rate.usd_per_hour is None:
        return f"{name} still bills, at an unknown price"
    if rate.usd_per_hour == 0:
        return f"{name} bills nothing now"
    return f"{name} still bills ${rate.usd_per_hour:.5g}/h"


def hours_text(seconds: float) -> str:
    """Return a long duration: ``12m``, ``3h12m``, ``2d4h``; whole minutes, rounded down."""
    minutes = int(min(max(seconds, 0.0), 3.2e9) // 60)
    hours, minute = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours // 24}d{hours % 24}h"
    return f"{hours}h{minute:02d}m" if hours else f"{minute}m"
