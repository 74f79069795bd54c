"""What the system's ssh prints when it fails, turned into link errors."""

from __future__ import annotations

import re
from pathlib import Path

from tui.links.base import ErrorKind, LinkError
from tui.links.ssh.auth import BUSY_HINT, NEW_KEYS_HINT
from tui.links.ssh.hops import Hop
from tui.links.ssh.known_hosts import host_name, removal_hint
from tui.links.ssh.sockets import STARTING_HINT
from tui.text import one_line

_HOST_KEY_HINT = "log in once with ssh to see and accept the key"
_RULES: tuple[tuple[str, ErrorKind, str, str | None], ...] = (
    (r"REMOTE HOST IDENTIFICATION HAS CHANGED|Host key .*changed", "hostkey_changed",
     "host key CHANGED", None),
    (r"REVOKED HOST KEY|marked as revoked", "hostkey_changed",
     "host key is revoked", None),
    (r"revoked by file", "hostkey_changed", "host key is revoked",
     "RevokedHostKeys names this key: ask whoever runs the box for its new one"),
    (r"in revoked keys file", "usage", "RevokedHostKeys cannot be read", "correct ~/.ssh/config"),
    (r"No \S+ host key is known|Host key verification failed", "hostkey_unknown",
     "host key is not known", _HOST_KEY_HINT),
    (r"Too many authentication failures", "auth", "closed the connection after too many keys",
     "set IdentitiesOnly yes and IdentityFile for this host in ~/.ssh/config"),
    (r"Permission denied", "auth", "refuses the login", NEW_KEYS_HINT),
    (r"Could not resolve hostname", "unreachable", "the name is not known",
     "check the address, or add the host to ~/.ssh/config"),
    (r"Connection refused", "unreachable", "refuses the connection", STARTING_HINT),
    (r"Connection timed out|Operation timed out|No route to host|Network is unreachable",
     "unreachable", "does not answer", STARTING_HINT),
    (r"banner exchange|kex_exchange_identification|ssh_exchange_identification", "busy",
     "closed the connection at once", BUSY_HINT),
    (r"Timeout, server|Broken pipe|closed by remote host|Connection reset", "lost",
     "the connection broke", None),
    (r"Unable to negotiate", "usage", "has no algorithm in common with ssh", None),
    (r"Bad configuration option|Bad owner or permissions|configuration options", "usage",
     "ssh cannot read its configuration", "correct ~/.ssh/config"),
    (r"Connection closed by", "busy", "closed the connection", BUSY_HINT),
)  # fmt: skip


def explain(hop: Hop, text: str) -> LinkError:
    """Return the error for ssh's own output; ``text`` is the end of its standard error."""
    for pattern, kind, words, hint in _RULES:
        found = re.search(pattern, text, re.IGNORECASE)
        if found:
            if kind == "hostkey_changed" and hint is None:
                hint = removal_hint(host_name(hop.hostname, hop.port), _offending_file(text))
            return LinkError(kind, f"{hop.address}: {words} ({_line_of(text, found)})", hint)
    last = [line for line in text.splitlines() if line.strip()]
    said = f": {one_line(last[-1], 200)}" if last else " without a word"
    return LinkError("lost", f"ssh to {hop.address} ended{said}")


def _line_of(text: str, found: re.Match[str]) -> str:
    start = text.rfind("\n", 0, found.start()) + 1
    end = text.find("\n", found.end())
    return one_line(text[start : end if end >= 0 else None].strip(" @\r"), 200)


def _offending_file(text: str) -> Path | None:
    found = re.search(r"Offending \S+ key in (.+):\d+", text)
    return Path(found[1]) if found else None
