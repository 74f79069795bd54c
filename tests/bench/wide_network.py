"""A wide-area network on one machine: two network namespaces and a process that delays packets.

Unlike a TCP relay it delays the TCP handshake as well, and a packet that is dropped is answered by
nobody. A namespace belongs to a thread here: what a thread starts while it is ``inside`` (sockets,
processes, threads) lives there. Everything is gone when the network is closed.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from types import TracebackType

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN_NO_PI = 0x1001
SIOCGIFFLAGS, SIOCSIFFLAGS = 0x8913, 0x8914
SIOCSIFADDR, SIOCSIFDSTADDR, SIOCSIFNETMASK = 0x8916, 0x8918, 0x891C
UP_AND_RUNNING = 0x41

CLIENT_ADDRESS = "10.9.0.1"
SERVER_ADDRESS = "10.9.0.2"

_libc = ctypes.CDLL(None, use_errno=True)


class WideNetwork:
    """Two sides, ``delay`` seconds apart in each direction. Raises OSError where not permitted."""

    def __init__(self, delay: float) -> None:
        self._client, client_tun = _new_side(CLIENT_ADDRESS, SERVER_ADDRESS)
        self._server, server_tun = _new_side(SERVER_ADDRESS, CLIENT_ADDRESS)
        command = [sys.executable, "-m", "tests.bench.packet_relay"]
        self._relay = subprocess.Popen(
            [*command, str(client_tun), str(server_tun), str(delay)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(client_tun, server_tun),
        )
        os.close(client_tun)
        os.close(server_tun)
        assert self._relay.stdout is not None
        if self._relay.stdout.readline() != b"up\n":
            raise OSError("the packet relay does not run")

    def __enter__(self) -> WideNetwork:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._relay.kill()
        self._relay.wait()
        os.close(self._client)
        os.close(self._server)

    @contextlib.contextmanager
    def at_client(self) -> Iterator[None]:
        """Let this thread, and what it starts, live on the client's side."""
        with _inside(self._client):
            yield

    @contextlib.contextmanager
    def at_server(self) -> Iterator[None]:
        """Let this thread, and what it starts, live on the server's side."""
        with _inside(self._server):
            yield

    def vanish(self) -> None:
        """Drop every packet from now on."""
        assert self._relay.stdin is not None
        self._relay.stdin.write(b"drop\n")
        self._relay.stdin.flush()


def why_not() -> str | None:
    """Return why there can be no such network here, None when there can."""
    try:
        with WideNetwork(0.0):
            return None
    except OSError as error:
        return f"no network namespaces here ({error.strerror or error})"


@contextlib.contextmanager
def _inside(namespace: int) -> Iterator[None]:
    with open("/proc/thread-self/ns/net", "rb") as before:
        _check(_libc.setns(namespace, CLONE_NEWNET))
        try:
            yield
        finally:
            _check(_libc.setns(before.fileno(), CLONE_NEWNET))


def _new_side(address: str, peer: str) -> tuple[int, int]:
    """Make a namespace with one end of a tunnel; return both as descriptors."""
    made: list[tuple[int, int] | OSError] = []

    def make() -> None:
        try:
            _check(_libc.unshare(CLONE_NEWNET))
            tun = _tunnel()
            _configure("lo", "127.0.0.1", None)
            _configure("tun0", address, peer)
            made.append((os.open("/proc/thread-self/ns/net", os.O_RDONLY), tun))
        except OSError as error:
            made.append(error)

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    if isinstance(made[0], OSError):
        raise made[0]
    return made[0]


def _tunnel() -> int:
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH14x", b"tun0", IFF_TUN_NO_PI))
    return tun


def _configure(device: str, address: str, peer: str | None) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        _set_address(control, SIOCSIFADDR, device, address)
        if peer is not None:
            _set_address(control, SIOCSIFDSTADDR, device, peer)
            _set_address(control, SIOCSIFNETMASK, device, "255.255.255.255")
        request = struct.pack("16sH14x", device.encode(), 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(control, SIOCGIFFLAGS, request))[1]
        request = struct.pack("16sH14x", device.encode(), flags | UP_AND_RUNNING)
        fcntl.ioctl(control, SIOCSIFFLAGS, request)


def _set_address(control: socket.socket, call: int, device: str, address: str) -> None:
    packed = socket.inet_aton(address)
    request = struct.pack("16sHH4s8x", device.encode(), socket.AF_INET, 0, packed)
    fcntl.ioctl(control, call, request)


def _check(answer: int) -> None:
    if answer != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
