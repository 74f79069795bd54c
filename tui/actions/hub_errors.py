"""Raw facts of a failed talk with the Hub, recognised and worded.

The facts are those of ``tui.onbox.hub_facts``, from the box or from here; they are hostile text
and only ever shown through ``tui.text``. A page of HTML is never shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from tui.actions.hub_facts import Asked, Facts, read_facts
from tui.actions.hub_problem import HubKind, HubProblem
from tui.actions.hub_wait import wait_seconds
from tui.actions.hub_words import WORDS
from tui.text import said

RATE_S = 60.0
"""How long to leave the Hub alone when it says 429 and no time."""

_QUOTA = re.compile(
    r"storage (?:limit|patterns)|quota|upgrade your plan|storage.{0,40}exceeded", re.I
)
_NAMESPACE = re.compile(r"under the namespace|rights to create|not a member", re.I)
_OLD_CLI = re.compile(r"no longer works|is deprecated and (?:has been )?removed", re.I)
_CUT = re.compile(
    r"reset by peer|broken pipe|disconnected|closed (?:by|without)|incomplete|unexpected eof"
    r"|error sending request|connection aborted",
    re.I,
)
_ERRNO: dict[str, HubKind] = {
    "GAI": "dns",
    "ENOSPC": "disk_full",
    "EDQUOT": "disk_full",
    "ECONNREFUSED": "unreachable",
    "ENETUNREACH": "unreachable",
    "EHOSTUNREACH": "unreachable",
    "ENETDOWN": "unreachable",
    "ETIMEDOUT": "unreachable",
    "ECONNRESET": "cut",
    "ECONNABORTED": "cut",
    "EPIPE": "cut",
}
_NAMES: dict[str, HubKind] = {
    "LocalTokenNotFoundError": "no_token",
    "NoClient": "no_client",
    "NoPip": "no_client",
    "PipFailed": "no_client",
    "Public": "public",
    "Changed": "changed",
    "WrongHash": "wrong_hash",
    "Stalled": "stalled",
    "Timeout": "unreachable",
    "Cancelled": "cancelled",
    "Vanished": "vanished",
    "NoUploader": "vanished",
    "BadRequest": "usage",
    "JobExists": "usage",
    "NoJob": "no_job",
    "NameResolutionError": "dns",
    "SSLError": "tls",
    "SSLCertVerificationError": "tls",
    "OfflineModeIsEnabled": "usage",
    "UnsupportedProtocol": "usage",
    "ConnectTimeout": "unreachable",
    "ConnectTimeoutError": "unreachable",
    "ReadTimeout": "unreachable",
    "ConnectError": "unreachable",
    "NewConnectionError": "unreachable",
    "RemoteProtocolError": "cut",
    "ProtocolError": "cut",
    "ReadError": "cut",
    "WriteError": "cut",
    "ChunkedEncodingError": "cut",
    "IncompleteRead": "cut",
}
_STATUS: dict[int, HubKind] = {
    401: "bad_token",
    402: "quota",
    404: "missing",
    408: "unreachable",
    409: "conflict",
    412: "conflict",
    429: "rate",
    507: "quota",
}


def problem_of(
    facts: Mapping[str, object],
    asked: Asked | None = None,
    landed: bool | None = False,
    now: datetime | None = None,
) -> HubProblem:
    """Return what raw facts mean.

    ``landed`` is what is known of a commit that was under way: None when that cannot be told,
    which makes every failure without a clear refusal ``unconfirmed``.
    """
    known = read_facts(facts)
    asked = asked or Asked()
    kind = kind_of(known)
    if landed is None and kind not in _CLEAR_REFUSALS:
        kind = "unconfirmed"
    message, hint = WORDS[kind](known, asked)
    return HubProblem(kind, message, hint, _wait(kind, known, now))


def problem_of_output(text: str) -> HubProblem | None:
    """Return the problem in what a command line tool printed, whatever its exit code was."""
    if not _OLD_CLI.search(text):
        return None
    message = "the command line tool on the box does nothing any more: " + said(text.strip(), 120)
    return HubProblem("old_cli", message, "boxtop uses the huggingface_hub library instead")


def kind_of(known: Facts) -> HubKind:
    """Return the kind of a failure: by our own word for it, the system's, the status, the text."""
    own = _NAMES.get(known.type)
    if own and known.status is None:
        return own
    if known.errno in _ERRNO and known.status is None:
        return _ERRNO[known.errno]
    if known.status is not None:
        return _of_status(known)
    for name in reversed(known.chain):
        if name in _NAMES:
            kind = _NAMES[name]
            return "tls" if "CERTIFICATE_VERIFY" in known.text else kind
    kind = _of_text(known.text)
    return "cut" if kind == "unknown" and known.type == "Impatient" else kind


def _of_status(known: Facts) -> HubKind:
    status = known.status or 0
    if status == 403 or (status == 400 and _QUOTA.search(known.text)):
        if _QUOTA.search(known.text):
            return "quota"
        return "namespace" if _NAMESPACE.search(known.text) else "role"
    if status >= 500 and status not in _STATUS:
        return "server"
    return _STATUS.get(status, "refused")


def _of_text(text: str) -> HubKind:
    lowered = text.lower()
    if _OLD_CLI.search(text):
        return "old_cli"
    if "dns error" in lowered or "name or service not known" in lowered:
        return "dns"
    if "certificate" in lowered:
        return "tls"
    if "no space left" in lowered:
        return "disk_full"
    if "connection refused" in lowered or "timed out" in lowered:
        return "unreachable"
    return "cut" if _CUT.search(text) else "unknown"


_CLEAR_REFUSALS: frozenset[HubKind] = frozenset(
    {
        "bad_token",
        "role",
        "namespace",
        "scope",
        "quota",
        "missing",
        "conflict",
        "rate",
        "refused",
        "no_job",
        "usage",
        "changed",
        "public",
        "no_client",
        "no_token",
    }
)
"""After these a commit is certainly not there."""


def _wait(kind: HubKind, known: Facts, now: datetime | None) -> float | None:
    wait = wait_seconds(known.retry_after, known.ratelimit, known.text, now)
    if kind == "rate":
        return RATE_S if wait is None else wait
    return wait if kind == "server" and known.retry_after else None
