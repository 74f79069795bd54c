"""Why an action failed: a word for programs, one line for people, and the next step."""

from __future__ import annotations

from typing import Literal, get_args

from tui.links.base import LinkError

ActionKind = Literal[
    "usage",  # what was asked for makes no sense
    "unreachable",  # the box cannot be reached, or is too busy
    "lost",  # the connection broke, or the program on the box ended, in the middle
    "timeout",  # it did not come in time
    "auth",  # the box refuses our keys, or its own key is not the known one
    "no_exec",  # the login runs no commands
    "no_python",  # the box has no python, or too old a one
    "protocol",  # the reply is not what our program says
    "missing",  # no such file
    "denied",  # the box or this machine forbids it
    "refused",  # a name that leads elsewhere
    "changed",  # the file changed in every try
    "damaged",  # no complete checkpoint, or other bytes than the box told
    "unreadable",  # the disk says another error
    "too_large",
    "disk_full",
    "busy",  # somebody else does the same at this moment
    "cancelled",
    "internal",
]

HEALING: frozenset[ActionKind] = frozenset(
    {"unreachable", "lost", "timeout", "changed", "protocol"}
)
"""What another try may heal without a person."""

_FROM_LINKS: dict[str, ActionKind] = {
    "busy": "unreachable",
    "hostkey_unknown": "auth",
    "hostkey_changed": "auth",
}
_KINDS: dict[str, ActionKind] = {kind: kind for kind in get_args(ActionKind)}


class ActionError(Exception):
    """``str(error)`` is one line for people, ``hint`` the next step."""

    def __init__(self, kind: ActionKind, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.kind: ActionKind = kind
        self.hint = hint

    @property
    def heals(self) -> bool:
        """Whether another try may succeed without a person."""
        return self.kind in HEALING

    @classmethod
    def of_link(cls, error: LinkError) -> ActionError:
        """Return what a link's error means for an action."""
        kind = _FROM_LINKS.get(error.kind) or known_kind(error.kind)
        return cls(kind, str(error), error.hint)


def known_kind(word: object) -> ActionKind:
    """Return a kind as a box names it; "protocol" for a word that is none."""
    return _KINDS.get(word, "protocol") if isinstance(word, str) else "protocol"
