"""The vendor on loopback: at its end only the changes that a test allowed may have come."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.providers.conftest import served
from tests.providers.fake_vast import FakeVast


@pytest.fixture
def fake_vast() -> Iterator[FakeVast]:
    yield from served(FakeVast())
