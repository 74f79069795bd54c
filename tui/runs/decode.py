"""JSON of unknown quality to plain values: what has the wrong type becomes None, never a crash."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime

import msgspec

LARGEST = 1e300
"""Numbers beyond this break charts and mean nothing in a training."""

_INSTANTS = (1_420_070_400.0, 32_503_680_000.0)
"""2015 to the year 3000: a smaller number is no time of a training, but a duration or nonsense."""


def decode_json(data: bytes) -> object:
    """Decode one JSON document; NaN and ±Infinity are allowed. Raises ValueError if it is none."""
    data = data.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n\0")
    try:
        return _FAST.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return _decode_tolerantly(data)


def _decode_tolerantly(data: bytes) -> object:
    """Decode what the fast decoder refuses: NaN, Infinity, broken UTF-8, endless numbers."""
    try:
        return _TOLERANT.decode(data.decode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) < 20 else float(digits)


_FAST = msgspec.json.Decoder()
_TOLERANT = json.JSONDecoder(parse_int=_whole_number)


def number(value: object) -> float | None:
    """Return a finite number (also from a numeric string); None for anything else."""
    if isinstance(value, float):
        found = value
    elif isinstance(value, bool):
        return None
    elif isinstance(value, int):
        found = float(value) if value.bit_length() < 1000 else math.inf
    elif isinstance(value, str):
        found = _from_text(value)
    else:
        return None
    return found if -LARGEST <= found <= LARGEST else None


def _from_text(value: str) -> float:
    if len(value) > 64 or "_" in value:
        return math.nan
    try:
        return float(value)
    except ValueError:
        return math.nan


def whole(value: object, least: int, most: int) -> int | None:
    """Return a whole number between ``least`` and ``most`` (12, 12.0 and "12" are one)."""
    found = value if type(value) is int else number(value)  # a bool is no number
    if found is None or not least <= found <= most or found != int(found):
        return None
    return int(found)


def text(value: object) -> str | None:
    """Return a string that says something; None for anything else."""
    return value if isinstance(value, str) and value.strip() else None


def instant(value: object) -> float | None:
    """Return seconds since the epoch of an ISO 8601 time; without a zone it is UTC."""
    found: float | None
    if isinstance(value, str) and len(value) <= 64:
        try:
            when = datetime.fromisoformat(value.strip())
            found = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            found = None
    else:
        found = None if isinstance(value, str) else number(value)
    earliest, latest = _INSTANTS
    return found if found is not None and earliest < found < latest else None
