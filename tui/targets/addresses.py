"""SSH addresses as people write them: checked so that none can pass for an option or a command."""

from __future__ import annotations

import re

from tui.errors import UserError
from tui.text import one_line

_HOST = re.compile(r"\w[\w.+-]{0,252}")
_USER = re.compile(r"\w[\w.+=@-]{0,252}\$?")
PROMPT = re.compile(r"^[\s`]*(?:[$%>#]\s+)?")
"""What stands before a command that was copied from a terminal or a web page."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_HOP = re.compile(r"(?:(?P<user>.*)@)?(?P<host>\[[^\]]*\]|[^:]*)(?::(?P<port>[^:]*))?")


def is_ssh_line(text: str) -> bool:
    """Whether a text is a whole ssh command (``ssh …``, ``$ ssh …``, ``/usr/bin/ssh …``)."""
    words = PROMPT.sub("", text, count=1).split(maxsplit=1)
    return bool(words) and words[0].rsplit("/", 1)[-1] == "ssh" and "://" not in words[0]


def checked_host(host: str) -> str:
    """Return a host name or address without its brackets.

    Raises UserError for everything that a shell or ssh could take for something else: a leading
    dash, blanks, quotes and other signs that no host name has.
    """
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if ":" in bare:
        if is_ipv6(bare):
            return bare
    elif _HOST.fullmatch(bare):
        return bare
    if not bare:
        raise UserError("the address names no host", "write it like root@203.0.113.7:41022")
    reason = "starts with a dash" if bare.startswith("-") else "is no host name"
    raise UserError(f"the host {_shown(host)} {reason}", "host names have letters, digits, . and -")


def checked_user(user: str) -> str:
    """Return a user name. Raises UserError for names that ssh or a shell could misread."""
    if _USER.fullmatch(user):
        return user
    raise UserError(f"the user {_shown(user)} is no user name")


def checked_port(port: str) -> int:
    """Return a port. Raises UserError outside 1 to 65535."""
    if re.fullmatch(r"[0-9]{1,5}", port) and 1 <= int(port) <= 65535:
        return int(port)
    raise UserError(f"the port {_shown(port)} must be a number from 1 to 65535")


def checked_jump(jump: str) -> str:
    """Return a ProxyJump value (``user@hop:port,hop``, or ``none``) with every hop checked."""
    for hop in jump.removeprefix("ssh://").split(","):
        match = _HOP.fullmatch(hop.strip().removeprefix("ssh://").rstrip("/"))
        if match is None:
            raise UserError(f"the jump host {_shown(hop)} is no address")
        checked_host(match["host"])
        if match["user"] is not None:
            checked_user(match["user"])
        if match["port"] is not None:
            checked_port(match["port"])
    return jump


def checked_path(path: str) -> str:
    """Return a path. Raises UserError when it holds control characters."""
    if path and not _CONTROL.search(path):
        return path
    raise UserError(f"the path {_shown(path)} is empty or has control characters")


def is_ipv6(text: str) -> bool:
    """Whether a text is an IPv6 address, with or without a zone (``fe80::1%eth0``)."""
    from ipaddress import AddressValueError, IPv6Address

    address, _, zone = text.partition("%")
    if (zone and not re.fullmatch(r"[A-Za-z0-9._-]+", zone)) or text.endswith("%"):
        return False
    try:
        IPv6Address(address)
    except AddressValueError:
        return False
    return True


def split_url(url: str) -> tuple[str | None, str, int | None, str | None]:
    """Split ``ssh://user@host:port/path`` into user, host, port and path, all but it checked.

    ``/~/runs`` is the home's ``~/runs``, as git reads it.
    """
    rest = url[len("ssh://") :]
    authority, slash, path = rest.partition("/")
    login, at, address = authority.rpartition("@")
    login = login.split(";", 1)[0]
    if ":" in login:
        raise UserError(
            "a password in an address is not used", "log in with a key, or let the agent hold it"
        )
    match = _HOP.fullmatch(address)
    if match is None:
        raise UserError(f"the address {_shown(address)} is none", "IPv6 stands in brackets: [::1]")
    user = checked_user(_decoded(login)) if at else None
    port = checked_port(match["port"]) if match["port"] else None
    root = None
    if slash and path.strip("/"):
        decoded = _decoded(path).rstrip("/")
        root = decoded if decoded.startswith("~/") else "/" + decoded.lstrip("/")
    return user, checked_host(_decoded(match["host"])), port, root


def _decoded(text: str) -> str:
    from urllib.parse import unquote

    return unquote(text, errors="surrogateescape")


def _shown(text: str) -> str:
    return repr(one_line(text, 80))
