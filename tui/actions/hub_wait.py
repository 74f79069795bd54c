"""How long the Hub wants to be left alone: Retry-After, RateLimit, and what its text says."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_S = 24 * 3600.0
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_UNIT = "seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d"
_PART = rf"(\d+(?:\.\d+)?)\s*({_UNIT})(?![a-z])"
_TEXT = re.compile(
    r"(?:retry|try again|wait|available|reset)[^.\n]{0,60}?"
    rf"(?P<parts>{_PART}(?:[\s,]*(?:and\s+)?{_PART})*)",
    re.IGNORECASE,
)
_ONE = re.compile(_PART, re.IGNORECASE)
_RATELIMIT = re.compile(r"r\s*=\s*(?P<left>\d+)\s*;\s*t\s*=\s*(?P<seconds>\d+)")


def wait_seconds(
    retry_after: str | None, ratelimit: str | None, text: str, now: datetime | None = None
) -> float | None:
    """Return the longest wait that any of them names, in seconds; None when none does.

    ``retry_after`` is a number of seconds or an HTTP date (RFC 9110), ``ratelimit`` as in the
    IETF draft (``"api";r=0;t=55``).
    """
    waits = [*_of_header(retry_after, now or datetime.now(UTC)), *_of_text(text)]
    match = _RATELIMIT.search(ratelimit or "")
    if match and match["left"] == "0":
        waits.append(float(match["seconds"]))
    return min(max(waits), LONGEST_S) if waits else None


def _of_header(value: str | None, now: datetime) -> list[float]:
    if not value:
        return []
    try:
        return [max(0.0, float(value))] if float(value) < float("inf") else []
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return []
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return [max(0.0, (moment - now).total_seconds())]


def _of_text(text: str) -> list[float]:
    return [
        sum(
            float(number) * _UNITS[unit[0].lower()] for number, unit in _ONE.findall(match["parts"])
        )
        for match in _TEXT.finditer(text)
    ]
