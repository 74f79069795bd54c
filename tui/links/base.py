"""A link is a pipe of facts from one box; this file fixes its shape and its errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from tui.facts import Fact, ResumeToken
from tui.runs import files

__all__ = [
    "DEADLINE_SECONDS",
    "HEARTBEAT_SECONDS",
    "RETRIED",
    "Asker",
    "ChangedKeyQuestion",
    "ErrorKind",
    "FollowRequest",
    "HostKeyQuestion",
    "Link",
    "LinkError",
    "ResumeToken",
]

HEARTBEAT_SECONDS = 5.0
"""The follower sends a Beat at least this often; two missed ones make a link stale."""

DEADLINE_SECONDS = 14.0
"""Silence for this long ends a connection: a vanished peer shows within 16 s."""

ErrorKind = Literal[
    "usage",  # the target or the configuration cannot be used: retrying cannot help
    "unreachable",  # refused, no route, name not known, timed out before the SSH banner
    "busy",  # sshd answers but drops us (MaxStartups), banner missing
    "auth",  # the box refuses our keys: not retried by itself
    "hostkey_unknown",  # never seen, and nobody said yes
    "hostkey_changed",  # differs from the known one, or is revoked
    "no_exec",  # the gateway runs no commands (RunPod's proxy, a tmux login)
    "protocol",  # the reply is cut or is not ours
    "lost",  # the connection broke or went silent after it was live
    "internal",  # a fault of boxtop
    "unconnected",  # a mirror was opened: nothing is to be connected
    "no_address",  # its provider tells no address: it is off, or not up yet
]

RETRIED: frozenset[ErrorKind] = frozenset({"unreachable", "busy", "protocol", "lost", "internal"})
"""Kinds that heal by themselves; all others wait for a person (`r` on the screen)."""


class LinkError(Exception):
    """Why a link ended: ``str(error)`` is one line for people, ``hint`` the next step."""

    def __init__(self, kind: ErrorKind, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.hint = hint

    @property
    def retried(self) -> bool:
        """Whether a later attempt may succeed without a person."""
        return self.kind in RETRIED

    @property
    def refused(self) -> bool:
        """Whether the box, or what was asked for, stands against it."""
        return not self.retried and self.kind not in ("unconnected", "no_address")


@dataclass(frozen=True, slots=True)
class FollowRequest:
    """What to follow. ``resume`` maps (run path, file name) to a token.

    ``roots`` are absolute, or start with ``~/``; ``only`` limits the search to one run path.
    ``console`` is the path of the console log when the configuration names it. ``once`` ends the
    stream after Settled. ``consoles`` maps run paths to console logs that were found earlier, for
    runs whose process is gone. A directory that holds one of ``markers`` is a run.
    """

    roots: tuple[str, ...]
    resume: Mapping[tuple[str, str], ResumeToken] = field(default_factory=dict)
    only: str | None = None
    console: str | None = None
    once: bool = False
    vitals_seconds: float = 5.0
    search_seconds: float = 8.0
    consoles: Mapping[str, str] = field(default_factory=dict)
    markers: tuple[str, ...] = files.MARKERS


class Link(Protocol):
    """One way to reach one box. A link is opened again after it ended; one thread iterates."""

    def open(self, request: FollowRequest) -> Iterator[Fact]:
        """Connect and yield facts until closed.

        Raises LinkError for everything that goes wrong, before or after the first fact.
        """
        ...

    def close(self) -> None:
        """End the stream from any thread; never blocks for more than an instant."""
        ...


@dataclass(frozen=True, slots=True)
class HostKeyQuestion:
    """A host key nobody has seen: ``host`` as ``[ip]:port``, fingerprint as ``SHA256:…``."""

    host: str
    key_type: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class ChangedKeyQuestion:
    """A host key that differs from the ``known`` ones, all as fingerprints ``SHA256:…``."""

    host: str
    key_type: str
    known: tuple[str, ...]
    offered: str


class Asker(Protocol):
    """A person to ask, from a link's thread; an answer of None or False means no."""

    def accept_host_key(self, question: HostKeyQuestion) -> bool:
        """Whether this first key may be trusted and remembered."""
        ...

    def replace_host_key(self, question: ChangedKeyQuestion) -> bool:
        """Whether the known key shall be replaced: only ever a person's own, typed-out wish."""
        ...

    def passphrase(self, key_path: str, attempt: int) -> str | None:
        """The passphrase of a private key; ``attempt`` counts from 1 to 3."""
        ...
