"""Reads ``timeline.jsonl``: what can be read of it, and how much cannot."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

from tui.links.base import LinkError

_OPERATIONS = ("replace", "append", "stat", "exit")
_HINT = "each line is an object with t, file and op: replace, append, stat or exit"


class Events(NamedTuple):
    """The events of a recording in their order, and how many lines are none."""

    events: list[dict[str, Any]]
    bad_lines: int


def read_events(path: Path) -> Events:
    """Read a recording; a last line without its end was being written and is left out.

    Raises LinkError("usage") when there is no event in it, which names the first line.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise LinkError("usage", f"{path}: {error.strerror}", "name a timeline.jsonl") from error
    torn = lines.pop()
    events: list[dict[str, Any]] = []
    problems: list[str] = []
    for number, line in enumerate([*lines, torn], 1):
        try:
            if line.strip():
                events.append(_event(line))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            problems.append(f"{path}:{number}: no event ({error})")
    if not events and problems:
        raise LinkError("usage", problems[0], _HINT)
    if not events:
        raise LinkError("usage", f"{path}: an empty recording", "name a timeline.jsonl")
    is_torn = bool(problems) and problems[-1].startswith(f"{path}:{len(lines) + 1}: ")
    return Events(events, len(problems) - is_torn)


def _event(line: bytes) -> dict[str, Any]:
    """Return an event. Raises when this is none."""
    event = json.loads(line)
    if not isinstance(event, dict):
        raise TypeError("no object")
    if not (math.isfinite(float(event["t"])) and float(event["t"]) >= 0):
        raise ValueError("t is no time")
    if not isinstance(event["file"], str) or event["op"] not in _OPERATIONS:
        raise ValueError("unknown op or file")
    if event["op"] in ("replace", "append") and not isinstance(event["data"], str):
        raise TypeError("data is no text")
    if event["op"] == "stat":
        int(event["size"])
    return event
