"""The fixture that starts a Hub for a test: ``from tests.hub import hub_fixture  # noqa: F401``."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hub.program import kill_uploaders
from tests.hub.server import Hub


@pytest.fixture(name="hub")
def hub_fixture(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A Hub of the test's own; ``HF_ENDPOINT`` names it for every process the test starts.

    Uploaders that the test leaves behind in its HOME are ended with it.
    """
    server = Hub().start()
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    yield server
    kill_uploaders()
    server.stop()
