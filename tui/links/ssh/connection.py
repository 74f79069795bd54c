"""An authenticated SSH connection to a box, through its jump hosts.

Every hop is checked before anything is told to it, and logged in on its own; an error names the hop
it came from. All that blocks has a deadline; ``Parts.close`` ends everything from any thread.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from paramiko.channel import Channel
from paramiko.ssh_exception import ChannelException, SSHException

from tui.links.base import Asker, LinkError
from tui.links.ssh.auth import Login
from tui.links.ssh.handshake import cut, shake_hands
from tui.links.ssh.hops import Hop, Plan
from tui.links.ssh.host_check import HostCheck
from tui.links.ssh.known_hosts import HostKey
from tui.links.ssh.openssh_needed import NeedsOpenSsh
from tui.links.ssh.parts import Closed, Parts
from tui.links.ssh.proxy_command import ProxyProcess
from tui.links.ssh.sockets import connect_tcp
from tui.links.ssh.transport import BoxTransport
from tui.links.ssh.userauth import UserAuth
from tui.links.ssh.watchdog import limit
from tui.links.ssh.words import plain
from tui.text import one_line

CHANNEL_SECONDS = 15.0
LOGIN_SECONDS = 150.0
"""For one hop's whole login, a person at a passphrase included (sshd's own grace is 120 s)."""

MOST_HANDSHAKES = 8
"""At once for each jump host: sshd's MaxStartups drops some of more than ten."""

SESSION_TRIES = 4
"""A session may be refused for a moment (MaxSessions): tried again after 0.3, 0.6 and 1.2 s."""

_PROHIBITED = 1


_no_guessing: set[str] = set()
"""Boxes of this process where a guessed session ended the connection: asked politely since."""


class GuessedWrong(LinkError):
    """The box did not take a guessed session: a new connection will open it step by step."""


@dataclass(slots=True)
class Connection:
    """Transports from the first hop to the box; ``notices`` are for the person to read once."""

    plan: Plan
    parts: Parts
    transports: list[BoxTransport] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    @property
    def transport(self) -> BoxTransport:
        """The transport that ends at the box."""
        return self.transports[-1]

    @property
    def alive(self) -> bool:
        """Whether every transport still stands, as far as is known."""
        return bool(self.transports) and all(each.is_active() for each in self.transports)

    def open_session(self, may_guess: bool = False) -> Channel:
        """Open a session channel for one command or subsystem.

        ``may_guess`` goes on without waiting for the box where that is safe to try.
        Raises LinkError: "busy" when the box allows no further one, "lost", or Closed.
        """
        if may_guess and self.transport.can_guess and self.plan.box.address not in _no_guessing:
            with self.deadline(CHANNEL_SECONDS):
                return self.transport.open_guessed_session()
        for attempt in range(SESSION_TRIES):
            if attempt and self.parts.wait(0.3 * 2 ** (attempt - 1)):
                raise Closed
            try:
                with self.deadline(CHANNEL_SECONDS):
                    return self.transport.open_session(timeout=CHANNEL_SECONDS)
            except ChannelException:
                continue
            except (SSHException, EOFError, OSError) as error:
                raise self.lost(error) from error
        raise LinkError(
            "busy",
            f"{self.plan.box.address} opens no further session (MaxSessions)",
            "boxtop needs one session on its connection; it tries again",
        )

    def lost(self, error: BaseException | None = None) -> LinkError:
        """Return the error for a connection that has ended. Raises Closed when we ended it."""
        self.parts.check()
        if self.transports and self.transport.guessing:
            _no_guessing.add(self.plan.box.address)
            return GuessedWrong("lost", f"{self.plan.box.address} ended the connection at once")
        reasons = [each.disconnect_reason for each in self.transports if each.disconnect_reason]
        told = reasons[0] if reasons else plain(error)
        message = f"the connection to {self.plan.box.address} broke"
        return LinkError("lost", f"{message}: {told}" if told else message)

    @contextlib.contextmanager
    def deadline(self, seconds: float) -> Iterator[None]:
        """End the connection when the block takes longer; what it raises then is LinkError."""
        with limit(seconds, self.abandon) as expiry:
            try:
                yield
            except LinkError:
                raise
            except Exception as error:
                if not expiry.expired:
                    raise
                self.parts.check()
                message = f"{self.plan.box.address} did not answer within {seconds:g} s"
                raise LinkError("lost", message) from error

    def abandon(self) -> None:
        """Cut the connection at its first socket, without waiting for anything."""
        for transport in self.transports:
            cut(transport)


def connect(plan: Plan, asker: Asker, parts: Parts, compress: bool = True) -> Connection:
    """Connect and log in, hop by hop; ``compress`` helps text and slows weights down.

    Raises LinkError, NeedsOpenSsh where only ssh itself can go on, or Closed.
    """
    connection = Connection(plan, parts)
    for hop in plan.hops:
        if hop.only_openssh:
            raise NeedsOpenSsh(f"{hop.only_openssh} for {hop.alias}")
    for position, hop in enumerate(plan.hops):
        is_jump = position < len(plan.jumps)
        try:
            with _turn(hop, parts) if is_jump else contextlib.nullcontext():
                _add_hop(connection, hop, asker, compress=compress and not is_jump)
        except LinkError as error:
            if is_jump:
                error.args = (f"jump host {hop.alias}: {error}",)
            raise
    return connection


_turns: dict[tuple[str, int], threading.BoundedSemaphore] = {}
_turns_lock = threading.Lock()


@contextlib.contextmanager
def _turn(hop: Hop, parts: Parts) -> Iterator[None]:
    """Wait until fewer than MOST_HANDSHAKES others are at the door of this jump host."""
    with _turns_lock:
        key = (hop.hostname, hop.port)
        turn = _turns.setdefault(key, threading.BoundedSemaphore(MOST_HANDSHAKES))
    while not turn.acquire(timeout=0.2):
        parts.check()
    try:
        yield
    finally:
        turn.release()


def _add_hop(connection: Connection, hop: Hop, asker: Asker, compress: bool) -> None:
    check = HostCheck.of(hop)
    if check.needs_certificate:
        raise NeedsOpenSsh(f"{hop.alias} is known by a host certificate")
    proxy, stream = _stream(connection, hop)
    transport = BoxTransport(stream)
    connection.parts.add(lambda: cut(transport))
    connection.transports.append(transport)
    transport.use_compression(compress)
    if not compress:
        transport.prefer_fast_ciphers()
    transport.prefer_host_keys(check.known.key_types)
    shake_hands(transport, hop, connection.parts, proxy)
    offered = HostKey.from_blob(transport.get_remote_server_key().asbytes())
    notice = check.judge(offered, asker)
    connection.parts.check()
    if notice:
        connection.notices.append(notice)
    with limit(LOGIN_SECONDS, connection.abandon):
        Login(hop, UserAuth(transport, hop.user), asker).run()
    connection.parts.check()


def _stream(connection: Connection, hop: Hop) -> tuple[ProxyProcess | None, socket.socket]:
    """Return a byte stream to the hop: through the one before it, a ProxyCommand, or TCP."""
    if connection.transports:
        return None, _through(connection, hop)
    if hop.proxy_command:
        proxy = ProxyProcess(hop.proxy_command)
        connection.parts.add(proxy.close)
        return proxy, proxy.socket
    return None, connect_tcp(hop, connection.parts)


def _through(connection: Connection, hop: Hop) -> socket.socket:
    last = connection.plan.hops[len(connection.transports) - 1]
    seconds = hop.connect_timeout or CHANNEL_SECONDS
    where = f"{hop.hostname}:{hop.port}"
    try:
        with connection.deadline(seconds + 1):
            return connection.transport.open_channel(  # type: ignore[return-value]  # used as one
                "direct-tcpip", (hop.hostname, hop.port), ("127.0.0.1", 0), timeout=seconds
            )
    except ChannelException as error:
        if error.code == _PROHIBITED:
            raise LinkError(
                "usage",
                f"jump host {last.alias} forbids forwarding to {where}",
                f"its sshd needs AllowTcpForwarding (and PermitOpen for {where})",
            ) from error
        raise LinkError(
            "unreachable",
            f"jump host {last.alias} cannot reach {where}: {one_line(error.text)}",
            "is the box running, and is the address right as seen from the jump host?",
        ) from error
    except (SSHException, EOFError, OSError) as error:
        told = plain(error) or "it ended the connection"
        message = f"jump host {last.alias} opened no way to {where}: {told}"
        raise LinkError("unreachable", message) from error
