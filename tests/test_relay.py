"""The relay does to a connection what its methods say."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from tests.relay import Relay


@pytest.fixture
def echo() -> Iterator[int]:
    """The port of a server that sends back what it gets."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(client: socket.socket) -> None:
        with client, contextlib.suppress(ConnectionResetError):
            while data := client.recv(65536):
                client.sendall(data)

    def run() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(client,), daemon=True).start()

    threading.Thread(target=run, daemon=True).start()
    yield listener.getsockname()[1]
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def dial(relay: Relay) -> socket.socket:
    return socket.create_connection(("127.0.0.1", relay.port), timeout=10)


def receive(client: socket.socket, count: int) -> bytes:
    received = b""
    while len(received) < count:
        part = client.recv(count - len(received))
        if not part:
            break
        received += part
    return received


def test_bytes_pass_both_ways_with_the_delay(echo: int) -> None:
    with Relay(echo, delay=0.05) as relay, dial(relay) as client:
        started = time.monotonic()
        client.sendall(b"ping")
        assert receive(client, 4) == b"ping"
        assert 0.1 <= time.monotonic() - started < 1


def test_many_bytes_pass_unharmed(echo: int) -> None:
    data = bytes(range(256)) * 8000
    with Relay(echo) as relay, dial(relay) as client:
        threading.Thread(target=client.sendall, args=(data,), daemon=True).start()
        assert receive(client, len(data)) == data
        client.shutdown(socket.SHUT_WR)
        assert client.recv(1) == b""


def test_a_stalled_relay_is_silent_until_it_resumes(echo: int) -> None:
    with Relay(echo) as relay, dial(relay) as client:
        relay.stall()
        client.sendall(b"ping")
        client.settimeout(0.1)
        with pytest.raises(TimeoutError):
            client.recv(4)
        relay.resume()
        client.settimeout(10)
        assert receive(client, 4) == b"ping"


def test_a_cut_comes_at_the_very_byte(echo: int) -> None:
    with Relay(echo) as relay, dial(relay) as client:
        relay.cut_after(5)
        client.sendall(b"0123456789")
        received = b""
        with pytest.raises(ConnectionResetError):
            while True:
                part = client.recv(100)
                assert part
                received += part
        assert relay.bytes_to_client == 5
        assert b"01234".startswith(received)


def test_dropped_connections_are_reset_and_new_ones_can_be_refused(echo: int) -> None:
    with Relay(echo) as relay:
        with dial(relay) as client:
            client.sendall(b"ping")
            assert receive(client, 4) == b"ping"
            relay.drop()
            with pytest.raises(ConnectionResetError):
                client.recv(1)
        relay.refuse()
        with pytest.raises(ConnectionRefusedError):
            dial(relay)
        assert relay.accepted == 1
