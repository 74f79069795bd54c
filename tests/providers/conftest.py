"""One fake per vendor; at its end only the changes that the test allowed may have come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import pytest

from tests.providers.build import StillClock, make_api
from tests.providers.fake_http import FakeVendor
from tests.providers.fake_lambda import FakeLambda
from tests.providers.fake_runpod import FakeRunPod
from tests.providers.fake_vast import FakeVast
from tui.providers import lambda_, runpod, vast

Fake = TypeVar("Fake", bound=FakeVendor)


def served(fake: Fake) -> Iterator[Fake]:
    yield fake
    fake.close()
    assert fake.ledger == fake.allowed


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def fake_vast() -> Iterator[FakeVast]:
    yield from served(FakeVast())


@pytest.fixture
def fake_runpod() -> Iterator[FakeRunPod]:
    yield from served(FakeRunPod())


@pytest.fixture
def fake_lambda() -> Iterator[FakeLambda]:
    yield from served(FakeLambda())


@pytest.fixture
def account_vast(fake_vast: FakeVast, clock: StillClock) -> Iterator[vast.Vast]:
    found = vast.Vast(make_api("vast", fake_vast.url, vast.SPACING, clock))
    yield found
    found.close()


@pytest.fixture
def account_runpod(fake_runpod: FakeRunPod, clock: StillClock) -> Iterator[runpod.RunPod]:
    found = runpod.RunPod(make_api("runpod", fake_runpod.url, runpod.SPACING, clock))
    yield found
    found.close()


@pytest.fixture
def account_lambda(fake_lambda: FakeLambda, clock: StillClock) -> Iterator[lambda_.Lambda]:
    found = lambda_.Lambda(make_api("lambda", fake_lambda.url, lambda_.SPACING, clock))
    yield found
    found.close()
