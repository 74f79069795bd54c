"""TCP to a server: to whichever of its addresses answers first, within a time limit."""

from __future__ import annotations

import errno
import os
import selectors
import socket
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from tui.links.base import LinkError
from tui.links.ssh.hops import Hop
from tui.links.ssh.parts import Parts
from tui.text import one_line

CONNECT_SECONDS = 10.0
NEXT_ADDRESS_SECONDS = 0.25
"""The next address is tried beside a silent one after this time (RFC 8305)."""

USER_TIMEOUT_MS = 15_000
_TICK_SECONDS = 0.1
_FAMILIES = {"any": socket.AF_UNSPEC, "inet": socket.AF_INET, "inet6": socket.AF_INET6}

STARTING_HINT = (
    "is the box running, and are address and port current? "
    "A box that has just started can need minutes until its sshd answers"
)

Address = tuple[socket.AddressFamily, tuple[str, int] | tuple[str, int, int, int]]


def connect_tcp(hop: Hop, parts: Parts) -> socket.socket:
    """Connect to a hop within its ConnectTimeout, or CONNECT_SECONDS.

    Raises LinkError("unreachable"), or Closed.
    """
    seconds = hop.connect_timeout or CONNECT_SECONDS
    deadline = time.monotonic() + seconds
    addresses = interleaved(_resolve(hop, deadline, parts))
    race = _Race(hop, addresses)
    try:
        winner = race.run(deadline, parts)
    finally:
        race.close()
    if winner is None:
        raise _unreachable(hop, race.errors, seconds)
    _tune(winner)
    return winner


def interleaved(addresses: Iterable[Address]) -> list[Address]:
    """Order addresses so that the families take turns, beginning with the first one's."""
    listed = list(dict.fromkeys(addresses))
    if not listed:
        return []
    first = [address for address in listed if address[0] == listed[0][0]]
    second = [address for address in listed if address[0] != listed[0][0]]
    ordered = []
    while first or second:
        ordered += first[:1] + second[:1]
        first, second = first[1:], second[1:]
    return ordered


def _resolve(hop: Hop, deadline: float, parts: Parts) -> list[Address]:
    """Look the name up on a thread of its own: the resolver takes no deadline."""
    found: list[Address] = []
    failure: list[OSError] = []
    done = threading.Event()

    def look_up() -> None:
        family = _FAMILIES[hop.address_family]
        try:
            for entry in socket.getaddrinfo(hop.hostname, hop.port, family, socket.SOCK_STREAM):
                found.append((entry[0], entry[4]))  # type: ignore[arg-type]  # of AF_INET*
        except (OSError, UnicodeError) as error:
            failure.append(error if isinstance(error, OSError) else OSError(str(error)))
        done.set()

    threading.Thread(target=look_up, name="look up a name", daemon=True).start()
    while not done.wait(_TICK_SECONDS):
        parts.check()
        if time.monotonic() > deadline:
            raise LinkError(
                "unreachable", f"the name {hop.hostname} was not resolved in time", "check the DNS"
            )
    if failure:
        raise LinkError(
            "unreachable",
            f"the name {one_line(hop.hostname)} is not known: {failure[0].strerror or failure[0]}",
            "check the address, or add the host to ~/.ssh/config",
        )
    return found


@dataclass
class _Race:
    """Attempts to connect that run beside each other until one succeeds."""

    hop: Hop
    waiting: list[Address]
    errors: list[OSError] = field(default_factory=list)
    running: set[socket.socket] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.selector = selectors.DefaultSelector()

    def run(self, deadline: float, parts: Parts) -> socket.socket | None:
        next_start = time.monotonic()
        while (self.waiting or self.running) and time.monotonic() < deadline:
            parts.check()
            if self.waiting and (time.monotonic() >= next_start or not self.running):
                self._start(*self.waiting.pop(0))
                next_start = time.monotonic() + NEXT_ADDRESS_SECONDS
            for key, _ in self.selector.select(_TICK_SECONDS) if self.running else []:
                attempt = key.fileobj
                assert isinstance(attempt, socket.socket)
                if self._succeeded(attempt):
                    return attempt
        return None

    def close(self) -> None:
        for attempt in self.running:
            attempt.close()
        self.selector.close()

    def _start(self, family: socket.AddressFamily, address: tuple[str | int, ...]) -> None:
        attempt = None
        try:
            attempt = socket.socket(family, socket.SOCK_STREAM)
            attempt.setblocking(False)
            code = attempt.connect_ex(address)
            if code not in {0, errno.EINPROGRESS, errno.EWOULDBLOCK}:
                raise OSError(code, os.strerror(code))
        except OSError as error:
            self.errors.append(error)
            if attempt is not None:
                attempt.close()
            return
        self.running.add(attempt)
        self.selector.register(attempt, selectors.EVENT_WRITE)

    def _succeeded(self, attempt: socket.socket) -> bool:
        self.selector.unregister(attempt)
        self.running.discard(attempt)
        code = attempt.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            self.errors.append(OSError(code, os.strerror(code)))
            attempt.close()
        return not code


def _tune(connected: socket.socket) -> None:
    connected.setblocking(True)
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, USER_TIMEOUT_MS)


def _unreachable(hop: Hop, errors: list[OSError], seconds: float) -> LinkError:
    host = f"[{hop.hostname}]" if ":" in hop.hostname else hop.hostname
    where = f"{host}:{hop.port}"
    codes = {error.errno for error in errors}
    if errno.ECONNREFUSED in codes:
        return LinkError("unreachable", f"{where} refuses the connection", STARTING_HINT)
    if not errors or errno.ETIMEDOUT in codes:
        message = f"{where} does not answer: timed out after {seconds:g} s"
        return LinkError("unreachable", message, STARTING_HINT)
    reason = errors[0].strerror or str(errors[0])
    return LinkError("unreachable", f"{where} cannot be reached: {reason}", "check the network")
