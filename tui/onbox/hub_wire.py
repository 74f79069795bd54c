"""What the Hub program says: marked lines of JSON, and never a token in them."""

from __future__ import annotations

import json
import os
import re
import sys

_TOKENS = re.compile(
    r"hf_(?!(?:hub|xet|transfer|token|home|api|endpoint)(?![A-Za-z0-9]))[A-Za-z0-9]+"
)
_SIGNED = re.compile(r"(https?://[^\s?'\"<>]+)\?[^\s'\"<>)]+")
MASK = "hf_***"


def redacted(text: str, secrets: tuple[str, ...] = ()) -> str:
    """Return text without the given secrets, Hub tokens, and what follows ``?`` in addresses.

    The Hub's storage has addresses that are signed: who knows one may write.
    """
    for secret in secrets:
        if secret:
            text = text.replace(secret, MASK)
    return _SIGNED.sub(r"\1?***", _TOKENS.sub(MASK, text))


def encoded(document: dict[str, object], secrets: tuple[str, ...] = ()) -> str:
    """Return a document as one line of ASCII without tokens in its texts."""
    return json.dumps(_masked(document, secrets), separators=(",", ":"))


def _masked(value: object, secrets: tuple[str, ...]) -> object:
    """Mask inside of values: whatever a token looks like, the line stays JSON."""
    if isinstance(value, str):
        return redacted(value, secrets)
    if isinstance(value, dict):
        return {redacted(str(key)): _masked(one, secrets) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_masked(one, secrets) for one in value]
    return value


class Wire:
    """Lines ``@@MARKER {json}`` on a file descriptor (1: standard output).

    Every line but signs of life says which request it answers (``re``); the last holds ``done``.
    """

    def __init__(
        self,
        marker: str,
        secrets: tuple[str, ...] = (),
        number: object = None,
        descriptor: int = 1,
    ) -> None:
        self.marker = marker
        self.secrets = secrets
        self.number = number
        self.descriptor = descriptor

    def hello(self) -> None:
        """Send the first line; what a login printed before it may lack its newline."""
        os.write(self.descriptor, b"\n")
        self._line({"hello": 1, "python": ".".join(map(str, sys.version_info[:3]))})

    def beat(self) -> None:
        """Send a sign of life."""
        self._line({"beat": 1})

    def send(self, kind: str, document: object) -> None:
        """Send ``{kind: document}``; OSError when nobody reads any more."""
        self._line({"re": self.number, kind: document})

    def done(self, kind: str, document: object) -> None:
        """Send the last reply, ``{"done": {kind: document}}``."""
        self._line({"re": self.number, "done": {kind: document}})

    def _line(self, document: dict[str, object]) -> None:
        text = f"@@{self.marker} {encoded(document, self.secrets)}\n"
        data = text.encode("ascii")
        while data:
            data = data[os.write(self.descriptor, data) :]
