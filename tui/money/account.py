"""How long an account's credit and a box's contract last, against what still has to be trained."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from tui.money.figures import Rate, amount, finite, usd_text
from tui.money.spent import hours_text

Level = Literal["fine", "warning", "alarm", "unknown"]

SOON_SECONDS = 24 * 3600.0
"""A credit or contract that ends sooner is worth a word."""

SPARE_SECONDS = 3600.0
"""An end nearer than this behind the ETA is no margin: weights take time to get out."""


class Runway(msgspec.Struct, frozen=True):
    """How long the credit lasts: ``usd_per_hour`` is what the account burns in all.

    ``reason`` says why ``seconds`` is None. ``lower_bound`` is the sum of the known rates where
    not all are: the true burn is higher.
    """

    seconds: float | None
    usd_per_hour: float | None
    reason: str | None = None
    lower_bound: float | None = None


class Outlook(msgspec.Struct, frozen=True):
    """How an end compares with the ETA, with the words for it; no words when all is fine."""

    level: Level
    text: str | None = None


def runway(credit: object, rates: Sequence[Rate], field: str = "credit") -> Runway:
    """Return how long a credit lasts for all boxes of the account, the stopped ones too.

    ``credit ÷ sum of the rates of now``. ``field`` names which of the provider's figures it is:
    Vast reports a credit and a balance, and they differ. A balance below 0 has no runway: 0.
    """
    known = [amount(rate.usd_per_hour) for rate in rates]
    burn = finite(sum(rate for rate in known if rate is not None))
    if None in known or burn is None:
        missing = known.count(None)
        told = "the rate of 1 box is" if missing == 1 else f"the rates of {missing} boxes are"
        return Runway(None, None, f"{told} not known", burn or None)
    money = _number(credit)
    if money is None:
        return Runway(None, burn, f"the {field} of the account is not known")
    if burn == 0:
        return Runway(None, 0.0, "nothing bills")
    seconds = finite(max(0.0, money) / burn * 3600)
    return Runway(seconds, burn, None if seconds is not None else "it lasts")


def runway_s(credit: object, rates_per_hour: Iterable[float | None]) -> float | None:
    """Return seconds until the credit is used up by all rates of the account, stopped boxes too.

    None when the credit or any rate is unknown, or when nothing bills. A balance below zero has
    no runway: 0.
    """
    return runway(credit, [Rate(rate, "reported") for rate in rates_per_hour]).seconds


def runway_text(found: Runway, credit: object, field: str = "credit") -> str:
    """Return a runway in words: ``credit lasts 1h24m ($5.00 at $3.55/h)``."""
    money = _number(credit)
    if found.seconds is None or money is None or found.usd_per_hour is None:
        return f"how long the {field} lasts cannot be told: {found.reason or 'not known'}"
    what = f"{usd_text(money)} at {usd_text(found.usd_per_hour)}/h"
    return f"{field} lasts {hours_text(found.seconds)} ({what})"


def credit_outlook(found: Runway, eta_s: float | None) -> Outlook:
    """Compare a runway with the longest ETA of the account's runs, in seconds; None without one."""
    if found.seconds is None:
        if found.reason in ("nothing bills", "it lasts"):
            return Outlook("fine")
        return Outlook("unknown", f"credit: {found.reason or 'not known'}")
    return _outlook(found.seconds, eta_s, "credit")


def contract_outlook(ends_at: float | None, now: float, eta_s: float | None) -> Outlook:
    """Compare a rental contract's end with an ETA; times since the epoch, the ETA in seconds.

    A box whose contract is over stops, cannot be started, and is deleted soon after.
    """
    end = _number(ends_at)
    if end is None:
        return Outlook("fine")
    if end <= now:
        return Outlook("alarm", "the contract is over: the box may be deleted at any time")
    return _outlook(end - now, eta_s, "contract")


def _outlook(left_s: float, eta_s: float | None, what: str) -> Outlook:
    eta = amount(eta_s)
    if eta is not None and left_s < eta:
        text = f"{what} ends before training does: in {hours_text(left_s)}, ETA {hours_text(eta)}"
        return Outlook("alarm", text)
    if eta is not None and left_s < eta + SPARE_SECONDS:
        text = f"{what} ends right after training: in {hours_text(left_s)}, ETA {hours_text(eta)}"
        return Outlook("alarm", text)
    if left_s == 0:
        return Outlook("alarm", f"{what} is used up" if what == "credit" else f"{what} is over")
    if left_s < SOON_SECONDS:
        return Outlook("warning", f"{what} ends in {hours_text(left_s)}")
    return Outlook("fine")


def _number(value: object) -> float | None:
    """Return a finite number, which a balance may be below 0; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None
