"""Fixtures for tests of one box over SSH: its runs, looks at it, and a person's configuration."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import trust
from tests.links.person import Person
from tests.links.ssh.config_user import User
from tests.sshd import SshServer, why_no_sshd
from tui.boxes import SshTarget
from tui.facts import Fact, FileBytes, RunFound
from tui.links.base import Asker, FollowRequest
from tui.links.ssh.link import SshLink

Look = Callable[..., list[Fact]]

WELL = ("run1", b'{"epoch": 1, "train/loss": 2.5}\n')


@pytest.fixture
def links() -> Iterator[list[SshLink]]:
    """Every link of the test; all are closed at its end."""
    opened: list[SshLink] = []
    yield opened
    for link in opened:
        link.close()


@pytest.fixture
def look(links: list[SshLink]) -> Look:
    """Look at a box once and return what was seen."""

    def look_at(
        target: SshTarget, root: Path, asker: Asker | None = None, only: str | None = None
    ) -> list[Fact]:
        link = SshLink(target, asker or Person())
        links.append(link)
        return list(link.open(FollowRequest((str(root),), only=only, once=True)))

    return look_at


@pytest.fixture
def runs(ssh_directory: Path) -> Path:
    """A root, open to every user, with one run that has an epoch behind it."""
    directory = Path(tempfile.mkdtemp(prefix="r", dir=ssh_directory))
    run = directory / "runs" / "run1"
    run.mkdir(parents=True)
    status = {"schema_version": 1, "state": "running", "pid": os.getpid(), "current_epoch": 1}
    (run / "status.json").write_text(json.dumps(status))
    (run / "metrics.jsonl").write_text('{"epoch": 1, "train/loss": 2.5}\n')
    for path in (directory, directory / "runs", run):
        path.chmod(0o755)
    return directory / "runs"


@pytest.fixture
def user(home: Path) -> User:
    return User(home, openssh=False)


@pytest.fixture(params=["own parser", "ssh -G"])
def either(home: Path, request: pytest.FixtureRequest) -> User:
    openssh = request.param == "ssh -G"
    if openssh and why_no_sshd():
        pytest.skip("OpenSSH is not installed")
    return User(home, openssh)


def seen(facts: list[Fact]) -> tuple[str, bytes]:
    """The id of the run that was found, and its metrics."""
    found = next(fact for fact in facts if isinstance(fact, RunFound))
    metrics = b"".join(
        fact.data for fact in facts if isinstance(fact, FileBytes) and fact.name == "metrics.jsonl"
    )
    return found.id, metrics


def known(server: SshServer, home: Path) -> SshTarget:
    """Make the server known, without any key of the user; returns it as a bare address."""
    trust(server, home)
    return SshTarget("127.0.0.1", server.user, server.port)
