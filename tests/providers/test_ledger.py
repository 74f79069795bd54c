"""Whatever fails and whoever asks: each change that is asked for arrives once, and no other."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from tests.providers.build import StillClock
from tests.providers.fake_http import HTML_503, LOST, Canned, FakeVendor
from tests.providers.fake_lambda import FakeLambda
from tests.providers.fake_runpod import FakeRunPod
from tests.providers.fake_vast import FakeVast
from tui.providers.account import Watched
from tui.providers.base import Provider, ProviderError
from tui.providers.lambda_ import Lambda
from tui.providers.runpod import RunPod
from tui.providers.vast import Vast

FAULTS = [
    LOST,
    HTML_503,
    Canned(200, b"{"),
    Canned(200, b"null"),
    Canned(429, b"API requests too frequent", {"Retry-After": "2"}),
    Canned(301, None, {"Location": "/elsewhere"}),
    Canned(307, None, {"Location": "/elsewhere"}),
    Canned(400, {"msg": "no"}),
    Canned(404),
    Canned(409, {"detail": "no"}),
    Canned(500, {"error": {"message": "no GPU capacity"}}),
]


def play(provider: Provider, fake: FakeVendor, clock: StillClock, id: str) -> None:
    dice = random.Random(provider.name)
    watched = Watched(provider, clock)
    for _ in range(120):
        clock.now += dice.choice([0.0, 5.0, 40.0])
        if dice.random() < 0.5:
            method = dice.choice(["GET", "PUT", "POST", "DELETE"])
            fake.fail(dice.choice(FAULTS), method)
        step = dice.choice(["refresh", "get", "stop", "start", "destroy"])
        action: Callable[[str], object] | None = getattr(provider, step, None)
        if step == "refresh" or action is None:
            watched.refresh(now=dice.random() < 0.5)
            continue
        if step != "get":
            fake.allow(step, id)
        try:
            action(id)
        except ProviderError as error:
            if step != "get":
                assert error.kind in ("unsupported", "rate")
                fake.allowed.pop()


def test_vast(account_vast: Vast, fake_vast: FakeVast, clock: StillClock) -> None:
    play(account_vast, fake_vast, clock, "700001")


def test_runpod(account_runpod: RunPod, fake_runpod: FakeRunPod, clock: StillClock) -> None:
    play(account_runpod, fake_runpod, clock, "abc123pod")


def test_lambda(account_lambda: Lambda, fake_lambda: FakeLambda, clock: StillClock) -> None:
    play(account_lambda, fake_lambda, clock, "0a1b")


def test_the_ledger_would_notice(fake_vast: FakeVast, account_vast: Vast) -> None:
    account_vast.stop("700001")
    with pytest.raises(AssertionError):
        assert fake_vast.ledger == fake_vast.allowed
    fake_vast.allow("stop", "700001")
