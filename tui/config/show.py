"""The resolved settings as TOML or as plain data, without the secrets in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from tui.config.secrets import masked
from tui.config.settings import Duration, Settings


def shown_settings(settings: Settings) -> dict[str, Any]:
    """Return all settings as JSON-like data: what is not set is null, secrets are masked."""
    plain = msgspec.to_builtins(settings, enc_hook=_encode)
    return {key: _mask(value, (key,)) for key, value in plain.items()}


def settings_toml(settings: Settings) -> str:
    """Return all settings as a TOML document; what is not set is left out."""
    return "\n".join(_table_lines(shown_settings(settings), ())) + "\n"


def _encode(value: object) -> object:
    return duration_text(value) if isinstance(value, Duration) else str(value)


def duration_text(seconds: float) -> str:
    """Return a time as boxtop.toml writes it: "90s", "20m", "2h", "1d"."""
    whole = int(seconds)
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if whole and whole % size == 0:
            return f"{whole // size}{unit}"
    return f"{whole}s"


def _mask(value: object, path: tuple[str, ...]) -> object:
    if isinstance(value, dict):
        return {key: _mask(inner, (*path, key)) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mask(item, path) for item in value]
    return masked(path, value) if isinstance(value, str) else value


def _table_lines(table: dict[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    plain = {key: value for key, value in table.items() if not isinstance(value, dict)}
    if path and (plain or not table):
        yield f"[{'.'.join(_key(part) for part in path)}]"
        for key, value in plain.items():
            if value is not None:
                yield f"{_key(key)} = {_value(value)}"
        yield ""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _table_lines(value, (*path, key))


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)


def _value(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_value(item) for item in value)}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
