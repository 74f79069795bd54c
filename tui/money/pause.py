"""Stop or destroy for a pause: the break-even, and no advice from what is not known."""

from __future__ import annotations

from typing import Literal

import msgspec

from tui.money.figures import amount, finite

Advice = Literal["stop", "destroy", "equal", "unknown"]

EQUAL_HOURS = 0.05
"""A pause that differs from the break-even by less is the same pause to a person."""

STOP_WARNING = (
    "stopping releases the GPUs: somebody else may rent them, and the box may not start again"
)
DESTROY_WARNING = "destroying deletes the disk: whatever is not saved elsewhere is gone for good"


class Comparison(msgspec.Struct, frozen=True):
    """Stop or destroy for a pause: ``break_even_h`` is the pause at which both cost the same.

    It is None when stopping is free (then nothing ever outweighs it) or when data is missing.
    ``warning`` comes with every advice; what it warns of is not in the price.
    """

    advice: Advice
    break_even_h: float | None
    reason: str

    @property
    def warning(self) -> str | None:
        """What an advice has to be read with; None where there is no advice."""
        match self.advice:
            case "unknown":
                return None
            case "destroy":
                return DESTROY_WARNING
            case _:
                return STOP_WARNING


def rebuild_cost(
    setup_hours: object, usd_per_hour: object, gb_in: object, usd_per_gb_in: object
) -> float | None:
    """Return what a new box costs before it trains: the set-up's hours and the data's way in.

    ``setup_hours × usd_per_hour + gb_in × usd_per_gb_in``; None when any of them is unknown.
    """
    hours, rate = amount(setup_hours), amount(usd_per_hour)
    size, price = amount(gb_in), amount(usd_per_gb_in)
    if hours is None or rate is None or size is None or price is None:
        return None
    return finite(hours * rate + size * price)


def break_even_h(rebuild: object, stopped_per_hour: object) -> float | None:
    """Return the pause in hours at which stop and destroy cost the same: rebuild ÷ stopped rate.

    None when either is unknown, or when stopping is free (or as good as) and nothing outweighs it.
    """
    cost, rate = amount(rebuild), amount(stopped_per_hour)
    return None if cost is None or not rate else finite(cost / rate)


def compare(rebuild: object, stopped_per_hour: object, pause_h: object) -> Comparison:
    """Weigh keeping a stopped box through a pause against destroying and rebuilding it.

    USD, USD per hour, hours. What is missing, negative or not finite gives no advice.
    """
    cost, rate, pause = amount(rebuild), amount(stopped_per_hour), amount(pause_h)
    if cost is None or rate is None or pause is None:
        named = {"the cost of a rebuild": cost, "the stopped rate": rate, "the pause": pause}
        lacking = [name for name, value in named.items() if value is None]
        verb = "is" if len(lacking) == 1 else "are"
        reason = f"not enough data: {' and '.join(lacking)} {verb} not known"
        return Comparison("unknown", None, reason)
    if rate == 0:
        return Comparison("stop", None, "stopping is free")
    hours = break_even_h(cost, rate)
    if hours is None:
        return Comparison("stop", None, "stopping costs next to nothing")
    if cost == 0:
        return Comparison("destroy", 0.0, "rebuilding is free")
    if abs(pause - hours) < EQUAL_HOURS:
        return Comparison("equal", hours, f"about equal at {hours_words(hours)}")
    if pause < hours:
        return Comparison("stop", hours, f"stopping is cheaper up to {hours_words(hours)}")
    return Comparison("destroy", hours, f"destroying is cheaper beyond {hours_words(hours)}")


def hours_words(hours: float) -> str:
    """Return hours in words: ``14.4 h``, ``3.2 min``, ``12 d``."""
    if hours < 0.1:
        return f"{hours * 60:.1f} min"
    return f"{hours:.1f}".removesuffix(".0") + " h" if hours < 240 else f"{hours / 24:,.0f} d"
