"""Fixtures for every test: a shield against the user's own world, and a real SSH server."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.shield import hidden_names, shielded_environment, take_signals
from tests.ssh_keys import Agent, Key, make_key, running_agent
from tests.sshd import SshServer, why_no_sshd

NEVER_SKIPPED_IN_CI = ("sshd", "tmux", "train")
MakeServer = Callable[..., SshServer]

settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")  # a busy machine is no fault of the product


def pytest_configure() -> None:
    """Run the same from a script, in the background and under nohup."""
    take_signals()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a skipped test of a real part is a failure: the part is installed there."""
    report = yield
    marks = [name for name in NEVER_SKIPPED_IN_CI if item.get_closest_marker(name)]
    if (
        report.skipped
        and not hasattr(report, "wasxfail")
        and marks
        and os.environ.get("CI") == "true"
    ):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid}: a {marks[0]} test may not be skipped in CI: {reason}"
    return report


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shield the test from the user's own settings; returns its temporary HOME."""
    directory = tmp_path_factory.mktemp("home")
    for name in hidden_names():
        monkeypatch.delenv(name)
    for name, value in shielded_environment(directory).items():
        monkeypatch.setenv(name, value)
    return directory


@pytest.fixture(scope="session")
def ssh_directory() -> Iterator[Path]:
    """A short-named directory of the session that any user may enter (sockets, host keys)."""
    directory = Path(tempfile.mkdtemp(prefix="bt"))
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)


@pytest.fixture(scope="session")
def ssh_key(ssh_directory: Path) -> Key:
    """The key pair that lets tests into every server unless they say otherwise."""
    _need_sshd()
    return make_key(ssh_directory / "key" / "id_ed25519")


@pytest.fixture(scope="session")
def sshd(ssh_directory: Path, ssh_key: Key) -> Iterator[SshServer]:
    """One OpenSSH server for the whole session, for tests that only log in."""
    server = SshServer(ssh_directory / "sshd", ssh_key)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def make_sshd(ssh_directory: Path, ssh_key: Key) -> Iterator[MakeServer]:
    """Make servers with options of their own: ``make_sshd(options=["MaxSessions 1"])``."""
    servers: list[SshServer] = []

    def make(
        key: Key = ssh_key,
        options: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> SshServer:
        directory = Path(tempfile.mkdtemp(prefix="s", dir=ssh_directory))
        server = SshServer(directory, key, options=options, environment=environment)
        servers.append(server)
        server.start()
        return server

    yield make
    for server in servers:
        server.stop()


@pytest.fixture
def ssh_box(sshd: SshServer, home: Path) -> SshServer:
    """The session's server as a box the user knows: its host key is trusted, the key in ~/.ssh.

    ``boxtop status`` with ``ssh_box.text`` then works without another option.
    """
    introduce(sshd, home)
    return sshd


@pytest.fixture
def ssh_agent(monkeypatch: pytest.MonkeyPatch, ssh_directory: Path) -> Iterator[Agent]:
    """A real, empty ssh-agent that SSH_AUTH_SOCK names."""
    _need_sshd()
    directory = Path(tempfile.mkdtemp(prefix="a", dir=ssh_directory))
    with running_agent(directory) as agent:
        monkeypatch.setenv("SSH_AUTH_SOCK", str(agent.socket))
        yield agent


def trust(server: SshServer, home: Path) -> None:
    """Write the host key of ``server`` into the known_hosts of ``home``."""
    directory = home / ".ssh"
    directory.mkdir(mode=0o700, exist_ok=True)
    with (directory / "known_hosts").open("a") as known_hosts:
        known_hosts.write(server.known_host_lines)


def introduce(server: SshServer, home: Path) -> None:
    """Make ``server`` known in ``home``: a known_hosts line, and its key as ~/.ssh/id_ed25519."""
    trust(server, home)
    shutil.copy(server.key.path, home / ".ssh" / "id_ed25519")
    shutil.copy(f"{server.key.path}.pub", home / ".ssh" / "id_ed25519.pub")


def _need_sshd() -> None:
    reason = why_no_sshd()
    if reason:
        pytest.skip(reason)
