"""What went wrong on a connection, in words for a person: the SSH library's own never get out."""

from __future__ import annotations

import re

from tui.text import one_line

_RULES = (
    (r"Signature verification|Bad host key", "its proof of its host key is wrong"),
    (r"Invalid packet|Mismatched MAC|Expect\w* packet|Illegal|Oops|unpack|decompress|index out of",
     "what came over it is garbled"),
    (r"[Tt]imed? ?out|Timeout", "no answer came in time"),
    (r"not active|No existing session|[Cc]losed", "it was closed"),
    (r"Negotiation failed|No acceptable|no acceptable", "no way of encryption was agreed on"),
)  # fmt: skip

_IN_COMMON = {
    "kex algorithm": "key exchange",
    "host key": "type of host key",
    "ciphers": "cipher",
    "macs": "message authentication",
    "compression": "compression",
}


def plain(error: BaseException | None) -> str:
    """Return a few words for what ended a connection, "" where there is nothing to say."""
    if error is None or isinstance(error, EOFError):
        return ""
    if isinstance(error, TimeoutError):
        return "no answer came in time"
    if isinstance(error, OSError):
        return one_line(error.strerror or "the network failed")
    text = str(error)
    for pattern, words in _RULES:
        if re.search(pattern, text):
            return words
    return f"the SSH exchange failed ({type(error).__name__})"


def not_in_common(error: BaseException) -> str | None:
    """Return what two sides have no kind of in common, where that is why they part."""
    found = re.search(r"no acceptable ([\w ]+)", str(error))
    return None if found is None else _IN_COMMON.get(found[1], "algorithm")
