"""The bytes of a program on the box, taken apart; nothing in them is believed unchecked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tui.actions.errors import ActionError
from tui.links.follower.wire import PREFIX

MAX_LINE = 1 << 20
MAX_FRAME = 16 << 20
KEPT_NOISE = 4096


@dataclass(frozen=True, slots=True)
class Message:
    """One JSON reply."""

    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Data:
    """The next raw bytes of a data frame; a frame may come in several pieces."""

    payload: memoryview


Reply = Message | Data


class Decoder:
    """Feed it bytes as they come. ``noise`` is the end of what stood before the first reply."""

    def __init__(self, marker: str) -> None:
        self.started = False
        self.lacks_python = False
        self.noise = b""
        self._prefix = PREFIX + marker.encode("ascii") + b" "
        self._buffer = b""
        self._left = 0

    def feed(self, data: bytes) -> Iterator[Reply]:
        """Yield the replies that are complete. Raises ActionError("protocol")."""
        view, at = memoryview(data), 0
        while at < len(data):
            if self._left:
                payload = view[at : at + self._left]
                self._left -= len(payload)
                at += len(payload)
                yield Data(payload)
                continue
            end = data.find(b"\n", at)
            self._buffer += data[at : end if end >= 0 else len(data)]
            if len(self._buffer) > MAX_LINE:
                self._overlong()
            if end < 0:
                return
            line, self._buffer, at = self._buffer, b"", end + 1
            reply = self._line(line)
            if reply is not None:
                yield reply

    def _overlong(self) -> None:
        if self.started:
            raise ActionError("protocol", "a reply of the box has no end")
        self._buffer = self._buffer[-KEPT_NOISE:]

    def _line(self, line: bytes) -> Reply | None:
        """Return a line's reply, None for noise and for the announcement of data."""
        at = line.find(self._prefix)
        if at > 0 and self.started:
            at = -1
        if at < 0:
            self.noise = (self.noise + line + b"\n")[-KEPT_NOISE:]
            return None
        text = line[at + len(self._prefix) :]
        if text == b"sh":
            self.lacks_python = True
            return None
        values = _parsed(text)
        self.started = True
        if "data" not in values:
            return Message(values)
        count = values["data"]
        if type(count) is not int or not 0 <= count <= MAX_FRAME:
            raise ActionError("protocol", "the box announces data of no sensible size")
        self._left = count
        return None


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        values = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise ActionError("protocol", "a reply of the box cannot be read")
    return values
