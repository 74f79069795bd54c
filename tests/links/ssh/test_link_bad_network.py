"""Connections that break, at any byte, or are closed are noticed and named."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import MakeServer, trust
from tests.links.person import Person
from tests.links.ssh.conftest import WELL, Look, seen
from tests.relay import Relay
from tests.sshd import SshServer
from tests.waiting import wait_until
from tui.boxes import SshTarget
from tui.facts import Fact, Settled
from tui.links.base import DEADLINE_SECONDS, FollowRequest, LinkError
from tui.links.ssh.link import SshLink
from tui.links.ssh.parts import Parts

pytestmark = pytest.mark.sshd


@pytest.fixture
def relay(sshd: SshServer) -> Iterator[Relay]:
    with Relay(sshd.port) as relay:
        yield relay


@pytest.fixture
def target(relay: Relay, sshd: SshServer, home: Path) -> SshTarget:
    trust(sshd, home)
    known_hosts = home / ".ssh" / "known_hosts"
    known_hosts.write_text(known_hosts.read_text().replace(str(sshd.port), str(relay.port)))
    return replace(sshd.target, port=relay.port)


def follow(target: SshTarget, runs: Path, links: list[SshLink]) -> Iterator[Fact]:
    link = SshLink(target, Person())
    links.append(link)
    facts = link.open(FollowRequest((str(runs),)))
    for fact in facts:
        if isinstance(fact, Settled):
            break
    return facts


def test_a_cut_in_the_middle_of_a_message_is_a_lost_link(
    target: SshTarget, relay: Relay, runs: Path, links: list[SshLink]
) -> None:
    facts = follow(target, runs, links)
    relay.cut_after(100)
    with (runs / "run1" / "metrics.jsonl").open("a") as metrics:
        metrics.write("".join(f'{{"epoch": 2, "x": "{os.urandom(40).hex()}"}}\n' for _ in "x" * 99))
    with pytest.raises(LinkError) as caught:
        for _ in facts:
            continue
    assert caught.value.kind == "lost"
    assert caught.value.retried


@pytest.mark.parametrize("count", [0, 10, 30, 900, 1500, 2300])
def test_a_cut_while_connecting_is_an_error_that_heals(
    target: SshTarget, relay: Relay, runs: Path, look: Look, count: int
) -> None:
    relay.cut_after(count)
    try:
        assert seen(look(target, runs)) == WELL  # a session cut at its start is opened again
    except LinkError as error:
        assert error.retried, error
    assert relay.bytes_to_client >= count


def test_a_killed_server_process_is_a_lost_link(
    make_sshd: MakeServer, home: Path, runs: Path, links: list[SshLink]
) -> None:
    server = make_sshd()
    trust(server, home)
    facts = follow(server.target, runs, links)
    server.kill_connections()
    with pytest.raises(LinkError) as caught:
        for _ in facts:
            continue
    assert caught.value.kind == "lost"


def test_a_vanished_peer_is_noticed_by_the_deadline(
    target: SshTarget,
    relay: Relay,
    runs: Path,
    links: list[SshLink],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    facts = follow(target, runs, links)
    monkeypatch.setattr("tui.links.pipe.DEADLINE_SECONDS", 1.0)
    relay.stall()
    started = time.monotonic()
    with pytest.raises(LinkError) as caught:
        for _ in facts:
            continue
    assert caught.value.kind == "lost"
    assert time.monotonic() - started < DEADLINE_SECONDS


def test_a_server_that_never_greets_is_busy(
    target: SshTarget,
    relay: Relay,
    runs: Path,
    look: Look,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tui.links.ssh.handshake.GREETING_SECONDS", 0.5)
    relay.stall()
    with pytest.raises(LinkError, match=r"sent nothing for 0\.5 s") as caught:
        look(target, runs)
    assert caught.value.kind == "busy"


def test_another_service_at_the_port_is_named(runs: Path, look: Look, home: Path) -> None:
    import socket

    def serve(listener: socket.socket) -> None:
        client, _ = listener.accept()
        client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 50)
        client.shutdown(socket.SHUT_WR)
        client.recv(1000)
        client.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        with pytest.raises(LinkError) as caught:
            look(SshTarget("127.0.0.1", port=listener.getsockname()[1]), runs)
    assert caught.value.kind in {"protocol", "busy"}


def test_closing_from_another_thread_ends_a_live_stream(
    target: SshTarget, runs: Path, links: list[SshLink]
) -> None:
    facts = follow(target, runs, links)
    rest: list[Fact] = []
    reader = threading.Thread(target=lambda: rest.extend(facts))
    reader.start()
    started = time.monotonic()
    links[-1].close()
    assert time.monotonic() - started < 2.0
    reader.join(15)
    assert not reader.is_alive()


def test_closing_ends_an_attempt_to_connect(
    target: SshTarget,
    relay: Relay,
    runs: Path,
    links: list[SshLink],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    under_way = threading.Event()
    add = Parts.add

    def tell_and_add(parts: Parts, closer: Callable[[], None]) -> None:
        add(parts, closer)
        under_way.set()

    monkeypatch.setattr(Parts, "add", tell_and_add)
    relay.stall()
    link = SshLink(target, Person())
    links.append(link)
    ended: list[list[Fact]] = []
    request = FollowRequest((str(runs),))
    reader = threading.Thread(target=lambda: ended.append(list(link.open(request))))
    reader.start()
    assert under_way.wait(15)
    link.close()
    reader.join(10)
    assert ended == [[]]


def test_a_closed_link_leaves_nothing_running_on_the_box(
    make_sshd: MakeServer, home: Path, runs: Path, links: list[SshLink]
) -> None:
    server = make_sshd()
    trust(server, home)
    follow(server.target, runs, links)
    links[-1].close()
    wait_until(lambda: not server.connections(), what="the session on the box ends")
