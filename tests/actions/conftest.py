"""A fake vendor and a box behind its instance; only what a test allows may arrive there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.actions.instances import Rented
from tests.providers.build import StillClock, make_api
from tests.providers.conftest import served
from tests.providers.fake_vast import FakeVast
from tui.providers import vast


@pytest.fixture
def fake() -> Iterator[FakeVast]:
    yield from served(FakeVast())


@pytest.fixture
def rented(fake: FakeVast, tmp_path: Path) -> Iterator[Rented]:
    clock = StillClock()
    account = vast.Vast(make_api("vast", fake.url, vast.SPACING, clock))
    yield Rented(account, clock, tmp_path)
    account.close()
