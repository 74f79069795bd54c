"""The pipe to a command on the box, and everything on its way that may block."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import paramiko
import pytest
from paramiko.common import AUTH_SUCCESSFUL, OPEN_SUCCEEDED

from tests.conftest import MakeServer, trust
from tests.links.conftest import Dial
from tests.links.person import Person
from tests.relay import Relay
from tests.sshd import SshServer
from tests.waiting import wait_until
from tui.boxes import SshTarget
from tui.links.base import LinkError
from tui.links.ssh.connection import GuessedWrong
from tui.links.ssh.exec_pipe import ExecPipe
from tui.links.ssh.parts import Closed, Parts
from tui.links.ssh.sockets import Address, interleaved
from tui.links.ssh.transport import EARLY_BYTES
from tui.links.ssh.watchdog import Watchdog

sshd = pytest.mark.sshd


def read_all(pipe: ExecPipe) -> bytes:
    received = b""
    while data := pipe.read(10):
        received += data
    return received


@sshd
class TestExecPipe:
    """One command, its input, output and errors."""

    @pytest.fixture
    def box(self, sshd: SshServer, home: Path) -> SshTarget:
        trust(sshd, home)
        return sshd.target

    def test_output_errors_and_exit_status_come_apart(self, box: SshTarget, dial: Dial) -> None:
        pipe = ExecPipe(dial(box), "echo out; echo err >&2; exit 3")
        assert read_all(pipe) == b"out\n"
        wait_until(lambda: pipe.exit_status == 3)
        assert pipe.errors == "err\n"

    def test_silence_is_told_after_the_time_asked_for(self, box: SshTarget, dial: Dial) -> None:
        pipe = ExecPipe(dial(box), "cat")
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            pipe.read(0.2)
        assert 0.2 <= time.monotonic() - started < 2

    @pytest.mark.parametrize("size", [1, EARLY_BYTES - 1, EARLY_BYTES + 1, 3_000_000])
    def test_input_of_any_size_arrives_whole(self, box: SshTarget, dial: Dial, size: int) -> None:
        pipe = ExecPipe(dial(box), f"head -c {size} | cksum; cat")
        data = bytes(range(256)) * (size // 256 + 1)
        pipe.write(data[:size])
        pipe.write(b"ping\n")
        answer = b""
        while not answer.endswith(b"ping\n"):
            answer += pipe.read(10)
        assert answer.split()[1] == str(size).encode()

    def test_a_flood_of_errors_does_not_stop_the_output(self, box: SshTarget, dial: Dial) -> None:
        pipe = ExecPipe(dial(box), "head -c 20000000 /dev/zero | tr '\\0' x >&2; echo done")
        with pytest.raises(TimeoutError):
            pipe.read(0.05)
        output = b""
        while not output:
            try:
                output = pipe.read(0.05)
            except TimeoutError:
                continue
        assert output == b"done\n"
        assert len(pipe.errors) <= 4096

    def test_a_write_that_nobody_takes_ends_in_time(
        self, sshd: SshServer, home: Path, dial: Dial, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tui.links.ssh.exec_pipe.WRITE_SECONDS", 0.5)
        with Relay(sshd.port) as relay:
            pipe = ExecPipe(
                dial(replace(sshd.target, port=relay.port), Person(accepts=True)), "cat"
            )
            relay.stall()
            started = time.monotonic()
            with pytest.raises(LinkError) as caught:
                for _ in range(100):
                    pipe.write(bytes(1_000_000))
            assert caught.value.kind == "lost"
            assert time.monotonic() - started < 5
            pipe.close()

    def test_a_session_that_is_never_confirmed_ends_in_time(
        self, sshd: SshServer, home: Path, dial: Dial, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tui.links.ssh.connection.CHANNEL_SECONDS", 0.5)
        with Relay(sshd.port) as relay:
            connection = dial(replace(sshd.target, port=relay.port), Person(accepts=True))
            ExecPipe(connection, "cat")
            relay.stall()
            started = time.monotonic()
            with pytest.raises(LinkError) as caught:
                ExecPipe(connection, "cat")
            assert caught.value.kind == "lost"
            assert time.monotonic() - started < 5


@sshd
class TestTheFirstSession:
    """It is opened, requested and fed in one flight where the server is OpenSSH."""

    def test_it_takes_one_round_trip(self, sshd: SshServer, home: Path, dial: Dial) -> None:
        with Relay(sshd.port, delay=0.25) as relay:
            connection = dial(replace(sshd.target, port=relay.port), Person(accepts=True))
            started = time.monotonic()
            pipe = ExecPipe(connection, "cat")
            pipe.write(b"ping")
            assert pipe.read(10) == b"ping"
            assert time.monotonic() - started < 0.95

    def test_where_that_goes_wrong_the_next_connection_asks_step_by_step(
        self, make_sshd: MakeServer, home: Path, dial: Dial, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tui.links.ssh.connection.SESSION_TRIES", 1)
        server = make_sshd(options=["MaxSessions 0"])
        trust(server, home)
        pipe = ExecPipe(dial(server.target), "true")
        with pytest.raises(GuessedWrong) as caught:
            pipe.read(10)
        assert caught.value.retried
        with pytest.raises(LinkError, match="MaxSessions"):
            ExecPipe(dial(server.target), "true")

    def test_another_kind_of_server_is_asked_step_by_step(
        self, refusing_port: int, home: Path, dial: Dial
    ) -> None:
        connection = dial(SshTarget("127.0.0.1", "me", refusing_port), Person(accepts=True))
        assert not connection.transport.can_guess


@sshd
def test_a_name_with_an_address_that_is_dead_is_reached_by_the_other(
    make_sshd: MakeServer, home: Path, dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = make_sshd()
    real = socket.getaddrinfo

    def two_addresses(host: str, port: int, *rest: int) -> list[object]:
        dead = (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", port, 0, 0))
        return [dead, *real("127.0.0.1", port, *rest)]

    monkeypatch.setattr(socket, "getaddrinfo", two_addresses)
    target = SshTarget("two-ways.example", server.user, server.port, (str(server.key.path),))
    assert dial(target, Person(accepts=True)).alive
    known = (home / ".ssh" / "known_hosts").read_text()
    assert known.startswith(f"[two-ways.example]:{server.port} ")


def test_families_take_turns() -> None:
    six: list[Address] = [(socket.AF_INET6, (f"::{n}", 22, 0, 0)) for n in (1, 2)]
    four: list[Address] = [(socket.AF_INET, (f"127.0.0.{n}", 22)) for n in (1, 2, 3)]
    ordered = interleaved([*six, *four, six[0]])
    assert ordered == [six[0], four[0], six[1], four[1], four[2]]


class RefusingServer(paramiko.ServerInterface):
    """An SSH server that lets everybody in and runs nothing."""

    def get_allowed_auths(self, username: str) -> str:
        return "none"

    def check_auth_none(self, username: str) -> int:
        return AUTH_SUCCESSFUL

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return OPEN_SUCCEEDED

    def check_channel_exec_request(self, channel: paramiko.Channel, command: bytes) -> bool:
        return False


@pytest.fixture
def refusing_port() -> Iterator[int]:
    listener = socket.create_server(("127.0.0.1", 0))
    transports: list[paramiko.Transport] = []

    def serve() -> None:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        transport = paramiko.Transport(client)
        transports.append(transport)
        transport.add_server_key(paramiko.ECDSAKey.generate())
        transport.start_server(server=RefusingServer())

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield listener.getsockname()[1]
    listener.close()
    for transport in transports:
        transport.close()


def test_a_server_that_refuses_commands_says_so(refusing_port: int, home: Path, dial: Dial) -> None:
    connection = dial(SshTarget("127.0.0.1", "me", refusing_port), Person(accepts=True))
    pipe = ExecPipe(connection, "true")
    pipe.write(b"input")
    with pytest.raises(LinkError, match="runs no commands") as caught:
        pipe.read(10)
    assert caught.value.kind == "no_exec"


class TestParts:
    """What is closed, from whichever thread, stays closed."""

    def test_everything_is_closed_even_when_one_part_fails(self) -> None:
        closed: list[int] = []
        parts = Parts()
        done = threading.Event()
        parts.add(lambda: closed.append(1))
        parts.add(lambda: closed.append(2))
        parts.add(done.set)
        parts.close()
        assert done.wait(10)
        assert closed == [1, 2]
        assert parts.closed

    def test_what_comes_too_late_is_closed_at_once(self) -> None:
        parts = Parts()
        parts.close()
        closed: list[int] = []
        with pytest.raises(Closed):
            parts.add(lambda: closed.append(1))
        assert closed == [1]


class TestWatchdog:
    """What takes too long is ended from outside, and nothing else."""

    def test_an_overdue_block_is_ended(self) -> None:
        ended = threading.Event()
        with Watchdog().limit(0.05, ended.set) as expiry:
            assert ended.wait(10)
        assert expiry.expired

    def test_a_block_in_time_is_left_alone(self) -> None:
        ended, later = threading.Event(), threading.Event()
        watchdog = Watchdog()
        with watchdog.limit(0.05, ended.set) as expiry:
            pass
        with watchdog.limit(0.2, later.set):
            assert later.wait(10)
        assert not ended.is_set()
        assert not expiry.expired

    def test_an_earlier_limit_overtakes_a_later_one(self) -> None:
        early, late = threading.Event(), threading.Event()
        watchdog = Watchdog()
        with watchdog.limit(60, late.set), watchdog.limit(0.05, early.set):
            assert early.wait(10)
        assert not late.is_set()
