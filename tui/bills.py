"""A box's bill in words, for the screen and for text alike. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from tui.money import Rate, hours_text, idle_text, rate_text, usd_text
from tui.rent import COMMAND, RentView
from tui.runs.idle import idle_s
from tui.text import said
from tui.view import BoxView

IDLE_SECONDS = 300.0
"""Nobody is told of a box that has done nothing for less."""

ASSUMED = "assumed: the state does not tell"
"""Stands beside a price that was taken as the dearer of two."""

_EXPLAINED = frozenset({"failed", "unreachable", "unknown", "starting", "queued", "stopping"})
"""States whose reason, in the vendor's words, tells something."""

_OLD_SECONDS = 120.0


def priced(rate: Rate) -> str:
    """Return a price, with its source where that is not the provider's own word."""
    if rate.source == "reported" and rate.usd_per_hour is not None:
        return f"{usd_text(rate.usd_per_hour)}/h"
    return rate_text(rate)


def state_text(rent: RentView) -> str:
    """Return the state in one word, with the vendor's own where that says more."""
    if rent.gone:
        return "gone"
    own = said(rent.raw_state, 40)
    told = f" ({own})" if own and own.lower() != rent.state else ""
    return f"gone?{told}" if rent.gone_maybe else f"{rent.state}{told}"


def doubts(rent: RentView) -> Iterator[str]:
    """Yield why what a provider tells of a box may not be so now: an error, its age, a reason."""
    if rent.reason and rent.state in _EXPLAINED:
        yield said(rent.reason, 200)
    if rent.error and rent.error != rent.reason:
        yield said(rent.error, 200)
        if rent.age_s is not None:
            yield f"what is shown is {hours_text(rent.age_s)} old"
    elif rent.age_s is not None and rent.age_s > _OLD_SECONDS:
        yield f"{rent.provider} was last read {hours_text(rent.age_s)} ago"
    if not rent.is_listed and rent.error is None and rent.state != "unknown":
        yield f"as it was told earlier: no list of {rent.provider} tells of it now"
    if rent.gone_maybe:
        yield f"the newest list of {rent.provider} lacks it: gone, or a fault there"


def unreached_text(box: BoxView) -> str | None:
    """Return ``not reached, and still bills $3.48/h (vast: running)``, None where all is well."""
    rent = box.rent
    if rent is None or not rent.is_listed or box.link.state == "live":
        return None
    if rent.is_off or not rent.bills:
        return None
    if rent.provider == COMMAND and rent.state == "unknown":
        return None
    return f"not reached, and still bills {priced(rent.rate_now)} ({rent.provider}: {rent.state})"


def box_idle_text(box: BoxView) -> str | None:
    """Return ``idle 3h12m = $11.14`` for a box that bills and on which nothing trains.

    None where nothing bills, nobody knows a price, or the end was but minutes ago. A box that is
    off was given back: its disk bills at another rate, and since another time.
    """
    if box.is_off:
        return None
    rent = box.rent if box.rent is not None and box.rent.is_listed else None
    idle = idle_s(view.run for view in box.runs)
    if idle is None or idle < IDLE_SECONDS or (rent is not None and not rent.bills):
        return None
    rate = rent.rate_now if rent is not None else Rate(box.price_per_hour, "user")
    return None if rate.usd_per_hour is None else idle_text(idle, rate)
