"""An account on loopback with a box that bills and one that is stopped, for the verbs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.providers.conftest import served
from tests.providers.fake_http import KEY
from tests.providers.fake_vast import STOPPED, FakeVast, row


@pytest.fixture
def vendor(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeVast]:
    for fake in served(FakeVast()):
        monkeypatch.setenv("BOXTOP_VAST_URL", fake.url)
        # Nothing listens there: an address of the loopback network that no test uses.
        fake.rows = [row(public_ipaddr="127.0.0.199"), row(id=700002, label="old one", **STOPPED)]
        yield fake


@pytest.fixture
def arguments(tmp_path: Path, vendor: FakeVast) -> list[object]:
    toml = tmp_path / "boxtop.toml"
    toml.write_text(f'[providers.vast]\nkey = "{KEY}"\n')
    toml.chmod(0o600)
    return ["--config", toml, "--data-dir", tmp_path / "data"]
