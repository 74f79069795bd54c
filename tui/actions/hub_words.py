"""The words for each kind of problem with the Hub: what happened to what, and the next step."""

from __future__ import annotations

from collections.abc import Callable

from tui.actions.hub_facts import Asked, Facts
from tui.actions.hub_problem import HubKind
from tui.text import said

TOKENS_PAGE = "huggingface.co/settings/tokens"
INSTALL_HINT = "let boxtop install it into a directory of its own, or push with --via here"
NO_XET_HINT = "try again; HF_HUB_DISABLE_XET=1 set where boxtop runs sends it another way"

AGAIN = "try again"
UPLOADING = ("", "uploading", "committing")
"""Stages in which bytes are sent; others ask the Hub something."""
BEGINNING = "the push to {} is only beginning"

Words = tuple[str, str | None]


def _quoted(known: Facts) -> str:
    return f": {known.words}" if known.words else ""


def _no_token(known: Facts, asked: Asked) -> Words:
    return "no Hugging Face token", f"run `hf auth login`, or set HF_TOKEN from {TOKENS_PAGE}"


def _bad_token(known: Facts, asked: Asked) -> Words:
    source = f" (from {said(asked.source, 80)})" if asked.source else ""
    return f"token invalid or expired{source}", f"make a new one at {TOKENS_PAGE}"


def _role(known: Facts, asked: Asked) -> Words:
    if asked.role == "read":
        message = f"{asked.token} is read-only; {asked.namespace} needs write"
    elif asked.role == "fineGrained":
        message = f"{asked.token} has no write access to {asked.place}"
    else:
        message = f"{asked.token} may not write to {asked.place}{_quoted(known)}"
    return message, f"make one with write access at {TOKENS_PAGE}"


def _namespace(known: Facts, asked: Asked) -> Words:
    message = f"{asked.token} may not create anything under {asked.namespace}"
    return message, f"use your own name, or ask {asked.namespace} for write access"


def scope_words(asked: Asked) -> Words:
    """Return the words for a fine-grained token that was not given this place."""
    message = f"{asked.token} is fine-grained and has no write access to {asked.place}"
    return message, f"add {asked.namespace} to it at {TOKENS_PAGE}"


def _quota(known: Facts, asked: Asked) -> Words:
    message = f"no storage left for {asked.namespace}; the weights are NOT saved{_quoted(known)}"
    return message, "delete old files there, use a public repository, or pull the weights home"


def _public(known: Facts, asked: Asked) -> Words:
    message = f"{asked.place} is public: everybody could read these weights"
    return message, "agree to that, or name another repository"


def _missing(known: Facts, asked: Asked) -> Words:
    message = f"the Hub has no {asked.place}, or {asked.token} may not see it"
    return message, "check the name, and whether the token's account is a member there"


def _conflict(known: Facts, asked: Asked) -> Words:
    if known.stage not in UPLOADING:
        status = known.status or 409
        return f"the Hub has no answer for {asked.place} just now ({status}){_quoted(known)}", AGAIN
    return f"another commit to {asked.place} came between{_quoted(known)}", "try again"


def _rate(known: Facts, asked: Asked) -> Words:
    message = f"the Hub wants to be left alone for a while ({asked.place}){_quoted(known)}"
    return message, "the next try waits as long as it says"


def _server(known: Facts, asked: Asked) -> Words:
    message = f"the Hub has a fault of its own ({known.status or '5xx'}) at {asked.place}"
    return message, "try again later; status.huggingface.co says more"


def _refused(known: Facts, asked: Asked) -> Words:
    status = f" ({known.status})" if known.status else ""
    return f"the Hub refused this for {asked.place}{status}{_quoted(known)}", None


def _dns(known: Facts, asked: Asked) -> Words:
    message = f"the name {asked.host} cannot be resolved where the upload runs"
    return message, "check its network and DNS, or push with --via here"


def _unreachable(known: Facts, asked: Asked) -> Words:
    message = f"{asked.host} does not answer where the upload runs"
    return message, "check its network, firewall and proxy, or push with --via here"


def _tls(known: Facts, asked: Asked) -> Words:
    message = f"no trusted connection to {asked.host}: its TLS certificate is not accepted"
    return message, "check clock and certificates (package ca-certificates) where it runs"


def _stalled(known: Facts, asked: Asked) -> Words:
    stage = f" while {known.stage}" if known.stage else ""
    hint = NO_XET_HINT if known.stage in UPLOADING else AGAIN
    return f"the upload to {asked.place} stalled{stage}: no byte moved", hint


def _cut(known: Facts, asked: Asked) -> Words:
    if known.stage not in UPLOADING:
        return f"the connection to {asked.host} broke before the Hub answered", AGAIN
    return f"the connection to {asked.host} broke during the upload", NO_XET_HINT


def _unconfirmed(known: Facts, asked: Asked) -> Words:
    message = f"whether the commit to {asked.place} is there cannot be told: its answer got lost"
    return message, "boxtop looks at the repository before it tries again"


def _vanished(known: Facts, asked: Asked) -> Words:
    message = f"the upload to {asked.place} ended without a result"
    return message, "it was killed, or the box restarted or ran out of memory: try again"


def _cancelled(known: Facts, asked: Asked) -> Words:
    return f"the upload to {asked.place} was cancelled", None


def _disk_full(known: Facts, asked: Asked) -> Words:
    message = "the disk is full where the upload runs"
    return message, "free some space there, send it the other way (--via), or pull the weights home"


def _changed(known: Facts, asked: Asked) -> Words:
    message = f"the file changed while it was read{_quoted(known)}"
    return message, "try again after the next epoch is saved"


def _wrong_hash(known: Facts, asked: Asked) -> Words:
    message = f"{asked.place} lists other bytes than were sent: NOT saved{_quoted(known)}"
    return message, "push again; do not stop the box"


def _no_client(known: Facts, asked: Asked) -> Words:
    return f"there is no usable huggingface_hub on the box{_quoted(known)}", INSTALL_HINT


def _old_cli(known: Facts, asked: Asked) -> Words:
    message = "the command line tool on the box does nothing any more: nothing was uploaded"
    return message, "boxtop uses the huggingface_hub library instead"


def _no_job(known: Facts, asked: Asked) -> Words:
    return f"nothing is known any more of this push to {asked.place} where it ran", None


def _beginning(known: Facts, asked: Asked) -> Words:
    return BEGINNING.format(asked.place), None


def _usage(known: Facts, asked: Asked) -> Words:
    if known.type == "OfflineModeIsEnabled":
        return "HF_HUB_OFFLINE forbids every connection to the Hub", "unset it, then try again"
    if known.type == "UnsupportedProtocol":
        return f"HF_ENDPOINT is no address of a Hub: {asked.host}", "unset it, or write https://..."
    return f"the push was not understood{_quoted(known)}", None


def _unknown(known: Facts, asked: Asked) -> Words:
    name = f" ({known.type})" if known.type.isidentifier() else ""
    return f"the push to {asked.place} failed{name}{_quoted(known)}", None


WORDS: dict[HubKind, Callable[[Facts, Asked], Words]] = {
    "no_token": _no_token,
    "bad_token": _bad_token,
    "role": _role,
    "namespace": _namespace,
    "scope": lambda known, asked: scope_words(asked),
    "quota": _quota,
    "public": _public,
    "missing": _missing,
    "conflict": _conflict,
    "rate": _rate,
    "server": _server,
    "refused": _refused,
    "dns": _dns,
    "unreachable": _unreachable,
    "tls": _tls,
    "stalled": _stalled,
    "cut": _cut,
    "unconfirmed": _unconfirmed,
    "vanished": _vanished,
    "cancelled": _cancelled,
    "disk_full": _disk_full,
    "changed": _changed,
    "wrong_hash": _wrong_hash,
    "no_client": _no_client,
    "old_cli": _old_cli,
    "no_job": _no_job,
    "beginning": _beginning,
    "usage": _usage,
    "unknown": _unknown,
}
