"""What people see of an instance, from what its provider told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tui.money import NO_RATE, Rate
from tui.providers.account import ProviderView, Seen
from tui.providers.base import Account, Action, Capabilities, Instance, State
from tui.providers.command import STATE_SECONDS
from tui.providers.http import TIMEOUT
from tui.rented.asking import ASK_SECONDS
from tui.rented.view import account_runway, rent_view


def account(credit: float, reported: Rate, *rates: Rate) -> ProviderView:
    boxes = (
        Instance("runpod", str(number), "a", State.RUNNING, rate_now=rate)
        for number, rate in enumerate(rates)
    )
    told = Account(credit, "clientBalance", reported)
    return ProviderView("runpod", tuple(map(Seen, boxes)), listed_at=1.0, account=told)


def usd(rate: float) -> Rate:
    return Rate(rate, "reported")


@pytest.mark.parametrize(
    ("reported", "rates", "burn"),
    [
        (NO_RATE, (usd(1.0), usd(0.5)), 1.5),
        (usd(1.5), (usd(1.0), usd(0.5)), 1.5),
        (usd(4.0), (usd(1.0), usd(0.5)), 4.0),
        (usd(0.2), (usd(1.0), usd(0.5)), 1.5),
        (usd(4.0), (usd(1.0), NO_RATE), 4.0),
        (usd(4.0), (), 4.0),
        (usd(0.2), (usd(1.0), NO_RATE), None),
        (NO_RATE, (usd(1.0), NO_RATE), None),
    ],
)
def test_a_credit_lasts_for_all_that_the_account_is_said_to_bill(
    reported: Rate, rates: tuple[Rate, ...], burn: float | None
) -> None:
    found = account_runway(account(6.0, reported, *rates))
    assert found is not None and found.usd_per_hour == burn
    assert found.seconds == (None if burn is None else pytest.approx(6.0 / burn * 3600))


@pytest.mark.parametrize(
    ("state", "has_logs", "told"),
    [(State.FAILED, True, True), (State.FAILED, False, False), (State.RUNNING, True, False)],
)
def test_a_failed_box_says_where_its_log_is_if_its_provider_keeps_one(
    state: State, has_logs: bool, told: bool
) -> None:
    view = account(6.0, NO_RATE, usd(1.0))
    seen = replace(view.seen[0], instance=replace(view.seen[0].instance, state=state))
    found = rent_view(seen, view, Capabilities(has_logs=has_logs)).warnings
    assert ("`boxtop logs runpod:0 --provider` may tell why" in found) == told


@pytest.mark.parametrize(
    ("state", "allowed", "can", "why"),
    [
        (State.RUNNING, {"stop", "destroy"}, {"stop", "destroy"}, "it is running already"),
        (State.RUNNING, {"destroy"}, {"destroy"}, "runpod allows no stop while it is running"),
        (State.RUNNING, None, {"stop", "destroy"}, "it is running already"),
        (State.STOPPED, {"start", "destroy"}, {"start", "destroy"}, "it is stopped already"),
        (State.UNKNOWN, set(), set(), "runpod allows no destroy while it is unknown"),
    ],
)
def test_what_a_vendor_does_not_allow_now_cannot_be_asked_for(
    state: State, allowed: set[Action] | None, can: set[str], why: str
) -> None:
    view = account(6.0, NO_RATE, usd(1.0))
    told = None if allowed is None else frozenset(allowed)
    one = replace(view.seen[0].instance, state=state, allowed=told)
    found = rent_view(replace(view.seen[0], instance=one), view, Capabilities())
    assert found.can == can
    assert found.cannot.keys() == {"stop", "start", "destroy"} - can
    assert why in found.cannot.values()


def test_who_looks_once_waits_for_every_command_and_for_no_dead_vendor() -> None:
    assert STATE_SECONDS < ASK_SECONDS <= 30
    assert TIMEOUT.read is not None and TIMEOUT.read < ASK_SECONDS
