"""What listens at a port and is no SSH server, or a broken one, is said to be just that."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from tests.links.conftest import Dial
from tui.boxes import SshTarget
from tui.links.base import LinkError
from tui.links.ssh.greeting import MOST_BYTES, NoGreeting, read_greeting
from tui.links.ssh.words import plain

Behaviour = Callable[[socket.socket, threading.Event], None]

JARGON = re.compile(
    "Invalid packet|Incompatible|banner|Error reading|Negotiation|paramiko|Exception|Indecipherable"
)


@dataclass
class Impostor:
    """Something that listens; each connection is handed to ``behaviour`` on a thread."""

    listener: socket.socket
    over: threading.Event

    @property
    def target(self) -> SshTarget:
        return SshTarget("127.0.0.1", "root", int(self.listener.getsockname()[1]))

    def serve(self, behaviour: Behaviour) -> None:
        def talk(client: socket.socket) -> None:
            with client, contextlib.suppress(OSError):
                behaviour(client, self.over)

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    client, _ = self.listener.accept()
                    threading.Thread(target=talk, args=(client,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()


@pytest.fixture
def impostor(home: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[Impostor]:
    monkeypatch.setattr("tui.links.ssh.handshake.GREETING_SECONDS", 1.0)
    monkeypatch.setattr("tui.links.ssh.handshake.KEYS_SECONDS", 1.0)
    monkeypatch.setattr("tui.links.ssh.greeting.QUIET_SECONDS", 0.3)
    monkeypatch.setattr("tui.links.ssh.transport.BoxTransport._active_check_timeout", 0.05)
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Impostor(listener, over)
        over.set()
        listener.shutdown(socket.SHUT_RDWR)


def says(words: bytes, then_closes: bool = False) -> Behaviour:
    """Say something and wait, or hang up (after the client's own greeting was read)."""

    def behave(client: socket.socket, over: threading.Event) -> None:
        client.recv(100)
        client.sendall(words)
        if not then_closes:
            over.wait()

    return behave


def floods(words: bytes, pause: float = 0.0) -> Behaviour:
    def behave(client: socket.socket, over: threading.Event) -> None:
        while not over.wait(pause):
            client.sendall(words)

    return behave


HTTP = b"HTTP/1.1 400 Bad Request\r\nServer: nginx\r\n\r\n"
GREETED = b"SSH-2.0-OpenSSH_9.2\r\n"
ENDLESS = "sends text without end before its SSH greeting"

CASES: dict[str, tuple[Behaviour, str, str]] = {
    "silent": (says(b""), "accepted the connection and sent nothing for 1 s", "busy"),
    "endless lines": (floods(b"welcome to the box\n" * 50), ENDLESS, "protocol"),
    "endless line": (floods(b"x" * 1000), ENDLESS, "protocol"),
    "dripping": (floods(b"wait ", 0.1), ENDLESS, "protocol"),
    "http": (says(HTTP), 'answers, but not with SSH (said "HTTP/1.1 400 Bad Request")', "protocol"),
    "http that ends": (says(HTTP, True), '(said "HTTP/1.1 400 Bad Request")', "protocol"),
    "mail": (says(b"220 mx ESMTP\r\n"), 'not with SSH (said "220 mx ESMTP")', "protocol"),
    "tls": (says(b"\x15\x03\x01\x00\x02\x02\x46"), "answers, but not with SSH", "protocol"),
    "escapes": (says(b"\x1b[2J\x07oops\r\n", True), '(said "oops")', "protocol"),
    "old": (says(b"SSH-1.5-OpenSSH_1.2\r\n"), "speaks SSH 1.5", "protocol"),
    "half": (says(b"SSH-2.0\r\n"), 'answers, but not with SSH (said "SSH-2.0")', "protocol"),
    "latin": (says(b"SSH-2.0-\xff\xfe\r\n"), "answers, but not with SSH", "protocol"),
    "closing": (says(b"", True), "closed the connection at once", "busy"),
    "full": (says(b"Exceeded MaxStartups\r\n", True), "turned the connection away", "busy"),
    "garbage": (says(GREETED + b"\xff" * 400), "broke off the key exchange", "busy"),
    "nulls": (says(GREETED + b"\0" * 400), "broke off the key exchange", "busy"),
    "text": (says(GREETED + b"hello world\r\n" * 99), "broke off the key exchange", "busy"),
    "stuck": (says(GREETED), "is too slow at the key exchange", "busy"),
    "leaving": (says(GREETED, True), "broke off the key exchange", "busy"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_no_ssh_server_is_named(impostor: Impostor, dial: Dial, case: str) -> None:
    behaviour, words, kind = CASES[case]
    impostor.serve(behaviour)
    with pytest.raises(LinkError) as caught:
        dial(impostor.target)
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"root@127.0.0.1:{impostor.target.port} ") or ":" in words
    assert caught.value.kind == kind
    assert caught.value.retried
    assert caught.value.hint
    assert not JARGON.search(str(caught.value))
    assert str(caught.value).isprintable()


def chunks(*parts: bytes) -> Callable[[float], bytes]:
    waiting = list(parts)

    def receive(timeout: float) -> bytes:
        if not waiting:
            raise TimeoutError
        return waiting.pop(0)

    return receive


@pytest.mark.parametrize(
    "parts",
    [
        (b"SSH-2.0-x y\r\nrest",),
        (b"S", b"SH-", b"2.0-x y", b"\r", b"\nrest"),
        (b"Authorised users only\r\n\r\nSSH", b"-2.0-x y\r\nrest"),
        (b"line\n" * 1000, b"SSH-2.0-x y\nrest"),
    ],
)
def test_lines_before_the_greeting_are_no_part_of_it(parts: tuple[bytes, ...]) -> None:
    greeting, rest = read_greeting(chunks(*parts), 5.0)
    assert (greeting, b"rest"[len(rest) :]) == ("SSH-2.0-x y", b"rest"[len(rest) :])
    assert b"rest".startswith(rest) and rest


def test_no_more_is_kept_of_a_flood_than_a_greeting_may_need() -> None:
    sent: list[int] = []

    def receive(timeout: float) -> bytes:
        sent.append(1000)
        return b"y" * 1000

    with pytest.raises(NoGreeting, match="without end"):
        read_greeting(receive, 60.0)
    assert sum(sent) < MOST_BYTES + 2000


@pytest.mark.parametrize(
    "error",
    [
        Exception("Invalid packet blocking"),
        Exception("Mismatched MAC"),
        Exception("Expecting packet from (30,), got 20"),
        Exception("Negotiation failed."),
        Exception("SSH session not active"),
        Exception("Signature verification (ssh-ed25519) failed."),
        Exception("who knows what"),
        OSError("no number"),
    ],
)
def test_every_fault_of_the_library_has_words_of_ours(error: Exception) -> None:
    words = plain(error)
    assert words
    assert str(error) not in words
    assert not JARGON.search(words.replace("(Exception)", ""))


def test_who_sends_until_the_time_is_over_sends_without_end() -> None:
    """However little of the time is left for the last wait."""
    pieces = iter([b"wait ", b"wait "])

    def receive(seconds: float) -> bytes:
        for piece in pieces:
            return piece
        raise TimeoutError

    with pytest.raises(NoGreeting, match=ENDLESS):
        read_greeting(receive, 1.0)
