"""The frames between a follower and us: bytes in, facts out, nothing believed without a look.

One frame is ``@@MARKER KIND LENGTH…``, a newline, the fields one after another, a newline. Numbers
are decimal text; paths and names are the box's bytes. The marker is drawn anew for every
connection, so whatever else a login prints between frames is told apart and dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tui.facts import Fact
from tui.links.base import LinkError
from tui.links.follower.wire import PREFIX
from tui.links.frame_facts import FactReader
from tui.links.noise import explain_noise

MAX_HEADER = 4096
MAX_BODY = 2_000_000
MAX_NOISE = 1_000_000
KEPT_NOISE = 4096

ASK_FOR_SHELL = b"sh"
"""The kind of the one frame that a box without a usable python sends: it wants the sh source."""

_HEADER = re.compile(rb"([A-Za-z]{1,8})((?: [0-9]{1,7}){0,512})")


class Decoder:
    """Turns the bytes of one connection into facts.

    Memory stays bounded whatever the box sends. ``started`` becomes true with the first frame,
    ``wants_shell`` when the box asks for the sh follower.
    """

    def __init__(self, marker: str) -> None:
        self._prefix = PREFIX + marker.encode("ascii") + b" "
        self._buffer = bytearray()
        self._noise = bytearray()
        self._dropped = 0
        self._reader = FactReader()
        self.started = False
        self.wants_shell = False

    @property
    def noise(self) -> bytes:
        """What was printed before the first frame, its newest part."""
        return bytes(self._noise)

    def feed(self, data: bytes) -> list[Fact]:
        """Take the next bytes and return the facts that are complete.

        Raises LinkError("protocol") for a frame that cannot be one, LinkError("no_exec") when far
        too much was printed without any.
        """
        self._buffer += data
        facts: list[Fact] = []
        while self._align():
            frame = self._next_frame()
            if frame is None:
                break
            kind, fields = frame
            fact = self._fact(kind, fields)
            if fact is not None:
                facts.append(fact)
        return facts

    def finish(self) -> None:
        """Say that no more bytes come; raises LinkError when that cuts a reply off."""
        if not self.started:
            raise self.explain()
        if self._buffer:
            raise LinkError("protocol", "reply cut: the connection ended within a message")

    def explain(self, errors: str = "") -> LinkError:
        """Return why no frame came, from what was printed instead."""
        text = self.noise.decode("utf-8", "replace") or self._buffer.decode("utf-8", "replace")
        return explain_noise(text, errors)

    def _align(self) -> bool:
        """Drop what stands before the next frame; False when its start has not come yet."""
        if self._buffer.startswith(self._prefix):
            return True
        at = self._buffer.find(self._prefix)
        if at < 0:
            at = len(self._buffer) - self._partial_prefix()
            self._drop(at)
            return False
        self._drop(at)
        return True

    def _partial_prefix(self) -> int:
        """Return how many bytes at the end may be the start of a prefix."""
        longest = min(len(self._prefix) - 1, len(self._buffer))
        for size in range(longest, 0, -1):
            if self._buffer.endswith(self._prefix[:size]):
                return size
        return 0

    def _drop(self, size: int) -> None:
        if not self.started:
            self._noise += self._buffer[:size]
            del self._noise[:-KEPT_NOISE]
        del self._buffer[:size]
        self._dropped += size
        if self._dropped > MAX_NOISE:
            raise self.explain() if not self.started else _broken("much that is no message")

    def _next_frame(self) -> tuple[bytes, list[bytes]] | None:
        """Cut the next frame off the buffer, None while it is not complete."""
        start = len(self._prefix)
        end = self._buffer.find(b"\n", start, start + MAX_HEADER)
        if end < 0:
            if len(self._buffer) >= start + MAX_HEADER:
                raise _broken("a message without an end of its first line")
            return None
        header = _HEADER.fullmatch(self._buffer, start, end)
        if header is None:
            raise _broken("a first line that says no lengths")
        sizes = [int(size) for size in header[2].split()]
        total = sum(sizes)
        if total > MAX_BODY:
            raise _broken(f"a message of {total} bytes")
        if len(self._buffer) < end + total + 2:
            return None
        if self._buffer[end + 1 + total] != 0x0A:
            raise _broken("a message that does not end where it says")
        kind = bytes(header[1])
        fields, at = [], end + 1
        for size in sizes:
            fields.append(bytes(self._buffer[at : at + size]))
            at += size
        del self._buffer[: at + 1]
        self.started = True
        return kind, fields

    def _fact(self, kind: bytes, fields: Sequence[bytes]) -> Fact | None:
        if kind == ASK_FOR_SHELL:
            self.wants_shell = True
            return None
        try:
            return self._reader.read(kind, fields)
        except (ValueError, IndexError, OverflowError) as error:
            raise _broken(f"a message that cannot be read ({error})") from error


def _broken(what: str) -> LinkError:
    return LinkError("protocol", f"the box's reply is broken: {what}")
