"""The fixture that starts a Hub for a test: ``from tests.hub import hub  # noqa: F401``."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hub.server import Hub


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A Hub of the test's own; ``HF_ENDPOINT`` names it for every process the test starts."""
    server = Hub().start()
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    yield server
    server.stop()
