"""Values out of replies that may hold anything: null, text for numbers, control characters.

Nothing here raises: what is not what was asked for is None, or empty.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tui.text import said

Row = Mapping[str, Any]

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}|[0-9A-Fa-f]*:[0-9A-Fa-f:.]{1,45}")
EARLIEST = 946684800.0
LATEST = 7258118400.0
"""No instance is older than 2000 or newer than 2200: other numbers are no times."""


def row(value: object) -> Row:
    """Return an object of the reply, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def rows(value: object) -> list[object]:
    """Return a list of the reply, an empty one for anything else."""
    return value if isinstance(value, list) else []


def text(value: object, limit: int = 200) -> str | None:
    """Return text fit to be shown, without tokens; None for what is no text, or blank."""
    if not isinstance(value, str) or not value.strip():
        return None
    return said(value.strip(), limit)


def number(value: object) -> float | None:
    """Return a finite number, ``"0.05"`` is one; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and "_" in value:
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def whole(value: object) -> int | None:
    """Return a whole number of 0 or more."""
    found = number(value)
    return int(found) if found is not None and found >= 0 and found.is_integer() else None


def ident(value: object) -> str | None:
    """Return an id as text: 700001, "700001" and 700001.0 are one. None if it cannot be one.

    What is returned holds nothing that a URL or a command line could take for more than a name.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        value = int(value) if value.is_integer() else None
    if isinstance(value, int):
        value = str(value) if 0 <= value < 10**30 else None
    if not isinstance(value, str):
        return None
    found = value.strip()
    return found if _ID.fullmatch(found) and ".." not in found else None


def host(value: object) -> str | None:
    """Return a host name or an IP address that no program can take for an option."""
    found = value.strip() if isinstance(value, str) else ""
    return found if _HOST.fullmatch(found) else None


def port(value: object) -> int | None:
    """Return a TCP port."""
    found = whole(value)
    return found if found is not None and 0 < found < 65536 else None


def moment(value: object) -> float | None:
    """Return a time as seconds since the epoch, from such a number or from ISO 8601."""
    found = number(value)
    if found is None and isinstance(value, str):
        try:
            when = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
        try:
            found = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            return None
    return found if found is not None and EARLIEST < found < LATEST else None


def word(value: object) -> str:
    """Return a status as it is compared: lower case, no blanks around; "" for null."""
    return value.strip().lower() if isinstance(value, str) else ""


def raw_word(value: object) -> str:
    """Return a status as the vendor wrote it, fit to be shown; "" for null."""
    if value is None:
        return ""
    return said(value.strip() if isinstance(value, str) else str(value), 60)
