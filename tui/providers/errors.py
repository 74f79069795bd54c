"""What can go wrong with a provider: a word for programs, what happened, and the next step."""

from __future__ import annotations

from typing import Literal

from tui.text import said

ProviderKind = Literal[
    "no_key",  # no API key where one is looked for
    "bad_key",  # what is there can be no key
    "auth",  # 401: the key is unknown or revoked
    "forbidden",  # 403: the key's scope does not allow it
    "rate",  # 429, or the time it asked to wait is not over
    "unreachable",  # nobody answers; a change was certainly not sent
    "timeout",  # it did not answer in time
    "server",  # 5xx
    "protocol",  # an answer that is not the API's: HTML, no list, too large
    "refused",  # another answer that is no success
    "unsupported",  # this provider has no such thing
    "usage",  # settings that cannot be used
    "program",  # a program of this machine is missing or failed
    "closed",  # boxtop ends
    "internal",  # a fault of boxtop
]

HEALING: frozenset[ProviderKind] = frozenset({"rate", "unreachable", "timeout", "server"})
"""What another read may heal without a person."""


class ProviderError(Exception):
    """``str(error)`` is one line for people, ``hint`` the next step; neither holds a key.

    ``retry_after_s`` is the earliest next try in seconds, None when nothing says it.
    """

    def __init__(
        self,
        kind: ProviderKind,
        message: str,
        hint: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: ProviderKind = kind
        self.hint = hint
        self.retry_after_s = retry_after_s

    @property
    def heals(self) -> bool:
        """Whether another read may succeed without a person."""
        return self.kind in HEALING


def as_provider_error(error: Exception, who: str) -> ProviderError:
    """Return what went wrong as a ProviderError; anything else is a fault of boxtop."""
    if isinstance(error, ProviderError):
        return error
    return ProviderError("internal", said(f"{who}: {type(error).__name__}: {error}"))
