"""The test server itself: it lets in who it should, and can be hurt as tests need."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.conftest import MakeServer
from tests.sshd import SshServer
from tests.waiting import wait_until

pytestmark = pytest.mark.sshd


def log_in(server: SshServer, command: str) -> str:
    """Run ``command`` with the system's ssh and return its output."""
    known_hosts = server.directory / "known_hosts"
    known_hosts.write_text(server.known_host_lines)
    options = ["-F", "none", "-o", f"UserKnownHostsFile={known_hosts}", "-o", "BatchMode=yes"]
    address = [
        "-i",
        str(server.key.path),
        "-p",
        str(server.port),
        f"{server.user}@127.0.0.1",
    ]
    done = subprocess.run(
        ["ssh", *options, *address, command],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr + server.log
    return done.stdout


def test_a_login_sees_the_box_s_own_home(sshd: SshServer) -> None:
    assert log_in(sshd, "echo $HOME").strip() == str(sshd.home)


def test_bashrc_of_the_box_makes_noise(make_sshd: MakeServer) -> None:
    server = make_sshd()
    (server.home / ".bashrc").write_text("echo welcome\n")
    assert log_in(server, "echo hello") == "welcome\nhello\n"


def test_options_win_over_the_defaults(make_sshd: MakeServer) -> None:
    server = make_sshd(options=["ForceCommand echo forced"])
    assert log_in(server, "echo hello") == "forced\n"


def test_a_killed_connection_ends_the_client(sshd: SshServer) -> None:
    command = ["ssh", "-F", "none", "-o", "StrictHostKeyChecking=no", "-o", "LogLevel=ERROR"]
    known_hosts = ["-o", f"UserKnownHostsFile={os.devnull}", "-i", str(sshd.key.path)]
    before = set(sshd.connections())
    client = subprocess.Popen(
        [*command, *known_hosts, "-p", str(sshd.port), f"{sshd.user}@127.0.0.1", "echo up; cat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert client.stdout is not None
    assert client.stdout.readline() == b"up\n"
    assert set(sshd.connections()) - before
    assert sshd.kill_connections() >= 1
    assert client.wait(10) == 255
    wait_until(lambda: not sshd.connections(), what="the connection is gone")
    client.communicate()
