"""What the follower itself takes from status.json; read once somebody asks for it."""

import json


def parsed(data: bytes) -> "dict[str, object]":
    """Return a JSON object, empty where the bytes are none."""
    try:
        text = data.decode("utf-8", "replace").strip("\ufeff\0 \t\r\n")
        values = json.loads(text, parse_int=float)
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def parsed_number(value: object) -> float:
    """Return a number, also one that is written as text; 0.0 for anything else."""
    if not isinstance(value, (float, str)) or (isinstance(value, str) and len(value) > 64):
        return 0.0
    try:
        return float(value)
    except ValueError:
        return 0.0


def parsed_time(text: object) -> float:
    """Return an ISO 8601 time in seconds since the epoch, UTC without a zone; 0.0 for none."""
    if not isinstance(text, str):
        return 0.0
    text = text.strip()
    day, clock = text[:10], text[11:19]
    try:
        year, month, of_month = (int(part) for part in day.split("-"))
        hours, minutes, seconds = (int(part) for part in clock.split(":"))
        zone = zone_seconds(text[19:].lstrip(".0123456789"))
    except ValueError:
        return 0.0
    year -= month < 3
    days = year * 365 + year // 4 - year // 100 + year // 400
    days += (153 * ((month + 9) % 12) + 2) // 5 + of_month - 719469
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds - zone)


def zone_seconds(zone: str) -> int:
    """Return what ``Z``, ``+05:30`` or ``-0700`` is ahead of UTC. Raises ValueError."""
    if zone in ("", "Z", "z"):
        return 0
    digits = zone[1:].replace(":", "")
    if zone[0] not in "+-" or len(digits) not in (2, 4):
        raise ValueError("no time zone")
    ahead = int(digits[:2]) * 3600 + int(digits[2:] or "0") * 60
    return ahead if zone[0] == "+" else -ahead
