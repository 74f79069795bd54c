"""The last Python traceback in the lines of a log, chained ones as a whole."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

_HEADER = re.compile(r"^(?P<prefix>.*?)(Traceback \(most recent call last\):|\+ Exception Group)")
_RANK = re.compile(r"\[rank\d+\]:\s?$")
_CHAIN = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
_LOG_RECORD = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_ERROR_LINE = re.compile(r"[A-Za-z_][\w.]*(\s*:|$)")
MOST_LINES = 60
_LONGEST_LINE = 300


class Traceback(msgspec.Struct, frozen=True):
    """``error`` is the last exception's line, ``lines`` the whole chain, ``at`` where it begins."""

    error: str
    lines: tuple[str, ...]
    at: int


def last_traceback(lines: Sequence[str]) -> Traceback | None:
    """Return the last traceback in ``lines``, with those it was raised from."""
    headers = [index for index, line in enumerate(lines) if "Traceback (most" in line]
    if not headers:
        return None
    begin = headers[-1]
    prefix = _rank_prefix(lines[begin])
    for earlier in reversed(headers[:-1]):
        if not any(line.endswith(_CHAIN) for line in lines[earlier:begin]):
            break
        begin = earlier
    block, error = _last_block([_without(line, prefix) for line in lines[headers[-1] :]])
    before = [_without(line, prefix) for line in lines[begin : headers[-1]]]
    told = [line[:_LONGEST_LINE] for line in before + block]
    return Traceback(error, tuple(told[-MOST_LINES:]), begin)


def _last_block(lines: list[str]) -> tuple[list[str], str]:
    """Return one traceback's lines from its header to the end of its message, and its error."""
    end = 1
    while end < len(lines) and (lines[end][:1].isspace() or not lines[end]):
        end += 1
    if end == len(lines):
        return lines, lines[-1].strip()
    error = lines[end]
    end += 1
    if _ERROR_LINE.match(error):
        while end < len(lines) and lines[end].strip() and not _LOG_RECORD.match(lines[end]):
            end += 1
    return lines[:end], error


def _rank_prefix(header: str) -> str:
    """``[rank0]: `` of a header that torch's launcher marked with its rank, else nothing."""
    found = _HEADER.match(header)
    prefix = found["prefix"] if found else ""
    return prefix if _RANK.search(prefix) else ""


def _without(line: str, prefix: str) -> str:
    return line.removeprefix(prefix) if prefix else line
