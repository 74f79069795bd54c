"""Servers that take alerts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.alerts.listener import Listener, listening


@pytest.fixture
def listener() -> Iterator[Listener]:
    """A web server on loopback."""
    with listening() as found:
        yield found
