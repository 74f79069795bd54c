"""A running demo for all tests that only look at it."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import paramiko
import pytest

from tui.boxes import Box, SshTarget
from tui.demo.session import DemoSession


@pytest.fixture(scope="session")
def demo() -> Iterator[DemoSession]:
    """One demo for the whole session."""
    with DemoSession() as session:
        yield session


@pytest.fixture
def client(demo: DemoSession) -> Iterator[paramiko.SSHClient]:
    """A client that is logged in on the demo's first box."""
    with log_in(demo, demo.boxes[0]) as connected:
        yield connected


def log_in(demo: DemoSession, box: Box, **changes: object) -> paramiko.SSHClient:
    """Log in on a box as the demo means it, or with ``changes`` (username, pkey, password …)."""
    assert isinstance(box.target, SshTarget)
    client = paramiko.SSHClient()
    client.load_host_keys(str(demo.known_hosts))
    settings: dict[str, object] = {
        "username": box.target.user,
        "key_filename": box.target.identity_files[0],
        **changes,
    }
    if "pkey" in settings or "password" in settings:
        settings["key_filename"] = None
    assert box.target.port is not None
    own_socket = socket.create_connection((box.target.host, box.target.port))
    own_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.connect(
        box.target.host,
        box.target.port,
        sock=own_socket,
        allow_agent=False,
        look_for_keys=False,
        **settings,  # type: ignore[arg-type]  # a mix of settings, each of its own type
    )
    return client
