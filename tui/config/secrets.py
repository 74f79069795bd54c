"""Which settings are secrets: they ask for mode 0600 and are never shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tui.config.settings import SECRET_KEYS
from tui.text import redact

MASK = "***"
_COMMANDS = frozenset({"stop", "start", "destroy", "state"})
"""A box's own commands are shown as they are: they name programs, not secrets."""
_USERINFO = re.compile(r"(?<=://)[^/@\s]+(?=@)")
_WEB_PATH = re.compile(r"(?i)^(https?://[^/?#]*)[/?#].+$")
"""Whoever knows the path of a webhook may post there: all of it is the secret."""
_LONG_WORD = re.compile(r"(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{20,}")


def secret_keys(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the dotted keys of all values that hold a secret."""
    return tuple(
        ".".join(path) for path, value in _values(document) if masked(path, value) != value
    )


def masked(path: tuple[str, ...], value: str) -> str:
    """Return a setting's text without the secret in it."""
    if path[0] == "box" and path[-1] in _COMMANDS:
        return redact(value)
    if path[0] == "providers" and path[-1] in SECRET_KEYS:
        return MASK
    if path[:2] == ("alerts", "urls"):
        value = _WEB_PATH.sub(rf"\1/{MASK}", value)
        value = _LONG_WORD.sub(MASK, _USERINFO.sub(MASK, value))
    return redact(value)


def _values(table: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every text of a document with its path; all items of a list share the list's path."""
    if isinstance(table, str):
        yield path, table
    elif isinstance(table, list):
        for item in table:
            yield from _values(item, path)
    elif isinstance(table, Mapping):
        for key, value in table.items():
            yield from _values(value, (*path, key))
