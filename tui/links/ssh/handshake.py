"""Greeting and key exchange with one server, each in its own time, and how to break off."""

from __future__ import annotations

import contextlib
import socket
import threading

from paramiko.ssh_exception import IncompatiblePeer

from tui.links.base import LinkError
from tui.links.ssh.auth import BUSY_HINT
from tui.links.ssh.greeting import NoGreeting
from tui.links.ssh.hops import Hop
from tui.links.ssh.openssh_needed import NeedsOpenSsh
from tui.links.ssh.parts import Parts
from tui.links.ssh.proxy_command import ProxyProcess
from tui.links.ssh.transport import IDLE_SECONDS, BoxTransport
from tui.links.ssh.watchdog import limit
from tui.links.ssh.words import not_in_common, plain

GREETING_SECONDS = 15.0
KEYS_SECONDS = 20.0


def shake_hands(
    transport: BoxTransport, hop: Hop, parts: Parts, proxy: ProxyProcess | None
) -> None:
    """Take the server's greeting and exchange keys.

    Raises LinkError, NeedsOpenSsh where the two have no algorithm in common, or Closed.
    """
    transport.banner_timeout = GREETING_SECONDS
    exchanged = threading.Event()
    transport.start_client(event=exchanged)
    in_time = _reached(
        transport, transport.greeted, parts, GREETING_SECONDS + 2 * IDLE_SECONDS
    ) and _reached(transport, exchanged, parts, KEYS_SECONDS)
    parts.check()
    error = transport.get_exception()
    if not in_time:
        raise LinkError("busy", f"{hop.address} is too slow at the key exchange", BUSY_HINT)
    if error is not None or not transport.is_active():
        raise _explained(transport, hop, error, proxy)


def cut(transport: BoxTransport) -> None:
    """End a transport now: its thread wakes up, and so does whoever waits for it."""
    stream = transport.sock
    with contextlib.suppress(OSError, EOFError):
        stream.shutdown(socket.SHUT_RDWR)
    transport.close()
    auth = transport.auth_handler
    if auth is not None:
        auth.abort()


def _reached(transport: BoxTransport, goal: threading.Event, parts: Parts, seconds: float) -> bool:
    """Wait for a goal or the transport's end, which comes after so many seconds at the latest."""
    with limit(seconds, lambda: cut(transport)) as expiry:
        while not goal.wait(0.2) and transport.is_active():
            parts.check()
    return not expiry.expired


def _explained(
    transport: BoxTransport, hop: Hop, error: BaseException | None, proxy: ProxyProcess | None
) -> Exception:
    missing = not_in_common(error) if isinstance(error, IncompatiblePeer) else None
    if missing is not None:
        return NeedsOpenSsh(f"{hop.alias} and boxtop have no algorithm in common ({missing})")
    if proxy is not None and proxy.complaint:
        return LinkError(
            "unreachable",
            f"ProxyCommand of {hop.alias}: {proxy.complaint}",
            "run the command by hand, or correct it in ~/.ssh/config",
        )
    if isinstance(error, NoGreeting):
        return LinkError(error.kind, f"{hop.address} {error}", error.hint)
    reason = transport.disconnect_reason or plain(error)
    told = f": {reason}" if reason else ""
    message = f"{hop.address} greeted and then broke off the key exchange{told}"
    return LinkError("busy", message, BUSY_HINT)
