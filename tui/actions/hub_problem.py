"""What can go wrong with the Hub: a word for programs, what happened, and the next step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

HubKind = Literal[
    "no_token",  # none was found where the client looks
    "bad_token",  # 401: expired, revoked or mistyped
    "role",  # the token may only read
    "namespace",  # the account is no member there, or may not create
    "scope",  # a fine-grained token without write access to it
    "quota",  # storage is used up; 402 and some 403
    "public",  # the repository is public and nobody agreed to that
    "missing",  # 404
    "conflict",  # 409, 412: another commit came between
    "rate",  # 429
    "server",  # 5xx
    "refused",  # another answer of the Hub that is no success
    "dns",  # the name cannot be resolved
    "unreachable",  # nobody answers
    "tls",  # the certificate is not believed
    "stalled",  # nothing moved for minutes
    "cut",  # the connection broke
    "unconfirmed",  # the answer to a commit got lost, and it cannot be told whether it is there
    "vanished",  # the upload ended without a result
    "cancelled",
    "disk_full",
    "changed",  # a file is not what it was
    "wrong_hash",  # the Hub lists other bytes
    "no_client",  # huggingface_hub is missing, broken or too old
    "old_cli",  # a command line tool that does nothing any more
    "no_job",  # nothing is known of this push where it is to run
    "beginning",  # the push of another process, or of just now, is about to begin
    "usage",  # what was asked for makes no sense
    "unknown",
]

HEALING: frozenset[HubKind] = frozenset(
    {
        *("rate", "server", "dns", "unreachable", "stalled", "cut", "conflict"),
        *("vanished", "changed", "beginning"),
    }
)
"""What another try may heal without a person. An ``unconfirmed`` commit is looked for first."""


@dataclass(frozen=True, slots=True)
class HubProblem:
    """``message`` says what happened to what, ``hint`` the next step; both are fit to be shown."""

    kind: HubKind
    message: str
    hint: str | None = None
    retry_after_s: float | None = None
    """The earliest next try in seconds, as the Hub says it; None when it says nothing."""

    @property
    def retryable(self) -> bool:
        """Whether another try may succeed without a person."""
        return self.kind in HEALING

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class HubError(Exception):
    """A problem, raised."""

    def __init__(self, problem: HubProblem) -> None:
        super().__init__(str(problem))
        self.problem = problem
