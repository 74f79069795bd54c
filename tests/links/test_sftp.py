"""A box that runs no commands is followed by SFTP alone: a real sshd's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import paramiko
import pytest

from tests.links.received import Received
from tests.links.runs_on_disk import append, make_run, write_status
from tests.sshd import SshServer
from tui.facts import Fact, Hello, Notice, RunFound, Settled
from tui.links.base import FollowRequest, LinkError
from tui.links.sftp import SftpLink
from tui.runs import files

pytestmark = pytest.mark.sshd


@pytest.fixture
def client(sshd: SshServer) -> Iterator[paramiko.SSHClient]:
    ssh = paramiko.SSHClient()
    ssh.set_missing_host_key_policy(paramiko.AutoAddPolicy())
    ssh.connect(
        "127.0.0.1",
        sshd.port,
        sshd.user,
        key_filename=str(sshd.key.path),
        look_for_keys=False,
        allow_agent=False,
    )
    yield ssh
    ssh.close()


def take(facts: Iterator[Fact], received: Received, kind: type[Fact]) -> list[Fact]:
    """Take facts up to the first of a kind."""
    taken = []
    for fact in facts:
        taken.append(fact)
        received.take(fact)
        if isinstance(fact, kind):
            break
    return taken


def take_until_data(
    facts: Iterator[Fact], received: Received, path: Path, name: str, data: bytes
) -> None:
    while received.data(path, name) != data:
        received.take(next(facts))


def test_runs_are_found_and_followed(client: paramiko.SSHClient, tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", "it's $(a run)\n")
    append(run / files.METRICS, b'{"epoch": 1}\n')
    link = SftpLink(client.open_sftp())
    facts, received = link.open(FollowRequest(roots=(str(tmp_path / "runs"),))), Received()
    told = take(facts, received, Settled)
    assert isinstance(told[0], Notice)
    assert isinstance(told[1], Hello)
    assert told[1].follower == "sftp"
    assert RunFound(str(run), run.name, str(run.parent)) in told
    assert received.data(run, files.METRICS) == b'{"epoch": 1}\n'
    append(run / files.METRICS, b'{"epoch": 2}\n')
    take_until_data(facts, received, run, files.METRICS, b'{"epoch": 1}\n{"epoch": 2}\n')
    status = write_status(run, current_epoch=2)
    take_until_data(facts, received, run, files.STATUS, status)
    fresh = b'{"epoch": 1, "again": true, "longer": "than before"}\n' * 3
    (run / files.METRICS).unlink()
    append(run / files.METRICS, fresh)
    take_until_data(facts, received, run, files.METRICS, fresh)
    link.close()
    assert list(facts) == []


def test_following_goes_on_where_another_follower_stopped(
    client: paramiko.SSHClient, tmp_path: Path
) -> None:
    run = make_run(tmp_path, "run1")
    append(run / files.METRICS, b'{"epoch": 1}\n')
    request = FollowRequest(roots=(str(tmp_path),), once=True)
    received = Received()
    take(SftpLink(client.open_sftp()).open(request), received, Settled)
    append(run / files.METRICS, b'{"epoch": 2}\n')
    again = FollowRequest(roots=(str(tmp_path),), once=True, resume=received.tokens())
    take(SftpLink(client.open_sftp()).open(again), received, Settled)
    assert len(received.lives[str(run), files.METRICS]) == 1
    assert received.data(run, files.METRICS) == b'{"epoch": 1}\n{"epoch": 2}\n'


def test_a_configured_console_log_is_followed(client: paramiko.SSHClient, tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", "run1")
    append(tmp_path / "console", b"Traceback\n")
    link = SftpLink(client.open_sftp())
    request = FollowRequest(
        roots=(str(tmp_path / "runs"),), console=str(tmp_path / "console"), once=True
    )
    received = Received()
    take(link.open(request), received, Settled)
    assert received.data(run, files.CONSOLE) == b"Traceback\n"


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
@pytest.mark.parametrize("name", [files.STATUS, files.METRICS])
def test_what_is_no_file_in_a_files_place_is_told(
    client: paramiko.SSHClient, tmp_path: Path, make: Callable[[Path], None], name: str
) -> None:
    run = make_run(tmp_path, "run1")
    (run / files.STATUS).rename(run / files.RESULTS)
    make(run / name)
    received = Received()
    request = FollowRequest(roots=(str(tmp_path),), once=True)
    take(SftpLink(client.open_sftp()).open(request), received, Settled)
    assert received.troubles[str(run), name].error == "not a regular file"
    assert received.data(run, files.RESULTS)


def test_a_session_that_ends_is_lost(client: paramiko.SSHClient, tmp_path: Path) -> None:
    make_run(tmp_path, "run1")
    facts = SftpLink(client.open_sftp()).open(FollowRequest(roots=(str(tmp_path),)))
    take(facts, Received(), Settled)
    client.close()
    with pytest.raises(LinkError) as raised:
        take(facts, Received(), Settled)
    assert raised.value.kind == "lost"


@pytest.mark.skipif(os.name != "posix", reason="sshd")
def test_a_home_root_is_the_logins_own(client: paramiko.SSHClient, sshd: SshServer) -> None:
    facts = SftpLink(client.open_sftp()).open(FollowRequest(roots=("~/runs",), once=True))
    hello = take(facts, Received(), Hello)[-1]
    assert isinstance(hello, Hello)
    assert hello.searched[0].endswith("/runs")
    assert hello.searched[0].startswith("/")
