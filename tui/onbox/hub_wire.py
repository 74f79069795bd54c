"""What the Hub program says: marked lines of JSON, and never a token in them."""

from __future__ import annotations

import json
import os
import re
import sys

_TOKENS = re.compile(
    r"hf_(?!(?:hub|xet|transfer|token|home|api|endpoint)(?![A-Za-z0-9]))[A-Za-z0-9]+"
)
MASK = "hf_***"


def redacted(text: str, secrets: tuple[str, ...] = ()) -> str:
    """Return text without the given secrets and without anything that looks like a Hub token."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, MASK)
    return _TOKENS.sub(MASK, text)


def encoded(document: dict[str, object], secrets: tuple[str, ...] = ()) -> str:
    """Return a document as one line of ASCII without tokens."""
    return redacted(json.dumps(document, separators=(",", ":")), secrets)


class Wire:
    """Lines ``@@MARKER {json}`` on a file descriptor (1: standard output)."""

    def __init__(self, marker: str, secrets: tuple[str, ...] = (), descriptor: int = 1) -> None:
        self.marker = marker
        self.secrets = secrets
        self.descriptor = descriptor

    def hello(self) -> None:
        """Send the first line; what a login printed before it may lack its newline."""
        os.write(self.descriptor, b"\n")
        self.send("hello", 1, python=".".join(map(str, sys.version_info[:3])))

    def send(self, kind: str, document: object, **more: object) -> None:
        """Send ``{kind: document}``; OSError when nobody reads any more."""
        line = encoded({kind: document, **more}, self.secrets)
        data = (f"@@{self.marker} {line}\n").encode("ascii")
        while data:
            data = data[os.write(self.descriptor, data) :]
