"""Which LibreYOLO trains: what a living training has loaded, or the only one that is installed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.actions.pushing import Pushing
from tests.hub import hub_fixture  # noqa: F401
from tests.hub.server import Hub
from tests.onbox.checkpoints import checkpoint, write_status
from tui import __version__
from tui.actions.snapshot import Rules
from tui.onbox import versions as module
from tui.onbox.versions import versions

LOADS = """\
import mmap, sys
with open(sys.argv[1], "rb") as file:
    held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
print("loaded", flush=True)
sys.stdin.read()
"""


def installed(prefix: Path, libreyolo: str, torch: str = "2.14.1+cu121") -> Path:
    """Make a directory of packages as pip leaves it, with a library in it."""
    packages = prefix / "lib/python3.11/site-packages"
    for name in (f"libreyolo-{libreyolo}", f"torch-{torch}"):
        (packages / f"{name}.dist-info").mkdir(parents=True)
    (packages / "torch").mkdir()
    (packages / "torch/lib.so").write_bytes(b"\x7fELF" * 100)
    return packages


@contextmanager
def training(packages: Path) -> Iterator[int]:
    """A process that has loaded a library of these packages."""
    line = [sys.executable, "-c", LOADS, str(packages / "torch/lib.so")]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == b"loaded\n"
        yield process.pid
        process.stdin.close()


@pytest.fixture
def prefixes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    found = [tmp_path / "one", tmp_path / "other"]
    monkeypatch.setattr(module, "PREFIXES", tuple(map(str, found)))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "nothing"))
    return found


def test_a_living_training_tells_by_what_it_has_loaded(prefixes: list[Path]) -> None:
    installed(prefixes[0], "1.5.0")
    with training(installed(prefixes[1] / "of training", "1.6.0")) as pid:
        assert versions(pid) == {"libreyolo": "1.6.0", "torch": "2.14.1+cu121"}


def test_without_one_the_only_version_of_the_machine_counts(prefixes: list[Path]) -> None:
    assert versions(None) == {"libreyolo": None, "torch": None}
    installed(prefixes[0], "1.6.0", "2.13.0")
    assert versions(None) == {"libreyolo": "1.6.0", "torch": "2.13.0"}
    installed(prefixes[1], "1.6.0", "2.14.1")
    assert versions(None) == {"libreyolo": "1.6.0", "torch": None}


def test_a_name_that_is_no_version_is_none(prefixes: list[Path]) -> None:
    installed(prefixes[0], "1.6\x1b[2J")
    assert versions(None)["libreyolo"] is None


def test_a_push_says_what_trained_and_what_uploaded(hub: Hub, tmp_path: Path) -> None:
    rules = Rules(settle=0.05, patience=3.0, spare=0)
    pushing = Pushing(hub, tmp_path, rules, best=checkpoint(60_000, 1))
    with training(installed(tmp_path / "venv", "1.6.0")) as pid:
        write_status(pushing.path, state="running", pid=pid)
        pushing.push()
    assert pushing.about()["versions"] == {
        "boxtop": __version__,
        "huggingface_hub": "2.4.0",
        "libreyolo": "1.6.0",
        "torch": "2.14.1+cu121",
    }
