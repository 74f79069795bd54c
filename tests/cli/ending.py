"""A box of a vendor on loopback with runs on it, to be stopped and destroyed by verbs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.onbox.checkpoints import checkpoint, make_weights, write_status
from tests.providers.conftest import served
from tests.providers.fake_http import KEY
from tests.providers.fake_vast import FakeVast, row
from tests.sshd import SshServer

BEST, LAST = checkpoint(20_000, 1), checkpoint(20_000, 2)


ID = "700001"


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeVast]:
    for vendor in served(FakeVast()):
        monkeypatch.setenv("BOXTOP_VAST_URL", vendor.url)
        monkeypatch.setenv("VAST_API_KEY", KEY)
        yield vendor


@pytest.fixture
def words(tmp_path: Path) -> tuple[object, ...]:
    """The options that name this test's configuration and data."""
    config = tmp_path / "boxtop.toml"
    config.write_text("[providers.vast]\nenabled = true\n")
    return ("--config", config, "--data-dir", tmp_path / "data")


@pytest.fixture
def lab(fake: FakeVast, ssh_box: SshServer, words: tuple[object, ...], tmp_path: Path) -> Path:
    """A box "lab" of boxtop.toml whose address is the instance's; returns its runs."""
    port = ssh_box.target.port
    ports = {"22/tcp": [{"HostIp": "0.0.0.0", "HostPort": str(port)}]}
    fake.rows = [row(public_ipaddr="127.0.0.1", ports=ports)]
    runs = tmp_path / "runs"
    runs.mkdir()
    Path(str(words[1])).write_text(
        f'[providers.vast]\nenabled = true\n[box.lab]\nssh = "{ssh_box.text}"\nruns = ["{runs}"]\n'
    )
    return runs


def journal(tmp_path: Path) -> list[dict[str, object]]:
    lines = (tmp_path / "data" / "journal.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def make_run(runs: Path, name: str = "run1") -> Path:
    run = make_weights(runs / name, best=BEST, last=LAST)
    write_status(run, state="completed", pid=None, completed_epochs=9, start_epoch=1)
    return run


def desk(tmp_path: Path, **commands: str) -> tuple[object, ...]:
    """A box with commands of its own; its state lies in a file."""
    state = tmp_path / "state"
    state.write_text("running\n")
    lines = [f'{name} = """{command}"""' for name, command in commands.items()]
    config = tmp_path / "boxtop.toml"
    runs = tmp_path / "runs"
    runs.mkdir(exist_ok=True)
    config.write_text("\n".join(["[box.desk]", f'path = "{runs}"', *lines]))
    return ("--config", config, "--data-dir", tmp_path / "data")
