"""The line that an SSH server begins with, and what it means when something else comes.

A server may send lines of text before it (RFC 4253, section 4.2), so nothing is sure before a while
has passed or very much has come.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from paramiko.ssh_exception import SSHException

from tui.links.base import ErrorKind
from tui.links.ssh.auth import BUSY_HINT
from tui.text import said

MOST_BYTES = 64 * 1024
QUIET_SECONDS = 5.0
"""Who sent some other text and then nothing for so long is no SSH server."""

LONGEST_LINE = 1024
SHOWN = 60

PORT_HINT = "is this the port that the provider shows for SSH?"
SILENT_HINT = (
    "is this the port that the provider shows for SSH? A box that is just starting, or too busy to "
    "answer, does this as well: boxtop tries again"
)
OLD_HINT = "SSH 1 has been broken for decades: update the box's sshd"

_ELSE = re.compile(rb"HTTP/\d|\x15\x03|RFB \d|\* OK|\+OK|-ERR")
"""Web servers, TLS, VNC, mail, Redis: known by their first bytes, without waiting."""

_TURNED_AWAY = re.compile(rb"MaxStartups|Not allowed at this time|too many connections", re.I)

Receive = Callable[[float], bytes]
"""Returns the next bytes within so many seconds; raises TimeoutError, or EOFError at the end."""


class NoGreeting(SSHException):
    """The other side is no SSH server that can be used; the text follows its address."""

    def __init__(self, kind: ErrorKind, text: str, hint: str) -> None:
        super().__init__(text)
        self.kind: ErrorKind = kind
        self.hint = hint


def read_greeting(receive: Receive, seconds: float) -> tuple[str, bytes]:
    """Return the server's own line and what came behind it. Raises NoGreeting."""
    text = b""
    began = time.monotonic()
    while True:
        line = _own_line(text)
        if line is not None:
            return _checked(line), text[text.index(line) + len(line) + 1 :]
        if len(text) > MOST_BYTES:
            raise _endless(text)
        left = max(0.0, began + seconds - time.monotonic())
        try:
            text += receive(min(left, QUIET_SECONDS) if text else left)
        except TimeoutError:
            if not text:
                raise _silent(seconds) from None
            # Not quiet for long enough: it went on sending until the time was over.
            raise (_endless(text) if left < QUIET_SECONDS else _other(text)) from None
        except EOFError:
            raise _ended(text) from None
        if _ELSE.match(text):
            raise _other(text)
        if time.monotonic() > began + seconds and _own_line(text) is None:
            raise _endless(text)


def _own_line(text: bytes) -> bytes | None:
    """Return the first complete line that begins as an SSH server's, with its CR."""
    for line in text.split(b"\n")[:-1]:
        if line.startswith(b"SSH-"):
            return line
    return None


def _checked(line: bytes) -> str:
    """Return the line as text. Raises NoGreeting where no SSH 2 server wrote it."""
    try:
        text = line.removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError:
        raise _other(line) from None
    version = text.partition(" ")[0].split("-", 2)
    if len(version) < 3 or len(line) > LONGEST_LINE:
        raise _other(line)
    if version[1] not in ("2.0", "1.99"):
        told = f"speaks SSH {said(version[1], 20)}, and boxtop SSH 2.0 alone"
        raise NoGreeting("protocol", told, OLD_HINT)
    return text


def _silent(seconds: float) -> NoGreeting:
    told = f"accepted the connection and sent nothing for {seconds:g} s: no SSH server greets there"
    return NoGreeting("busy", told, SILENT_HINT)


def _endless(text: bytes) -> NoGreeting:
    told = f"sends text without end before its SSH greeting ({_quoted(text)})"
    return NoGreeting("protocol", told, PORT_HINT)


def _other(text: bytes) -> NoGreeting:
    return NoGreeting("protocol", f"answers, but not with SSH ({_quoted(text)})", PORT_HINT)


def _ended(text: bytes) -> NoGreeting:
    if not text:
        return NoGreeting("busy", "closed the connection at once, without a word", BUSY_HINT)
    if _TURNED_AWAY.search(text):
        return NoGreeting("busy", f"turned the connection away ({_quoted(text)})", BUSY_HINT)
    return _other(text)


def _quoted(text: bytes) -> str:
    """Return the first line that says something, harmless and short."""
    lines = [line for line in text[:LONGEST_LINE].splitlines() if line.strip()]
    return (
        f'said "{said(lines[0].strip().decode("utf-8", "replace"), SHOWN)}"' if lines else "blank"
    )
