"""Frames on their way out: how they are written, and what happens when the line is slow."""

import os

PREFIX = b"@@"
"""Written before the marker on the wire only: an echoed command line never looks like a frame."""

HIGH_WATER = 65536
"""Unsent bytes above this stop all reading: what changes meanwhile waits on disk, not in memory."""

WRITE_BYTES = 65536


def frame(marker: bytes, kind: bytes, fields: "tuple[bytes, ...]") -> bytes:
    """Return one frame: ``@@MARKER KIND LENGTH…`` newline, the fields, newline."""
    lengths = b"".join(b" %d" % len(field) for field in fields)
    return b"".join((PREFIX, marker, b" ", kind, lengths, b"\n", b"".join(fields), b"\n"))


class Memory:
    """Frames kept in memory, for a follower that runs inside the watching process."""

    descriptor = -1

    def __init__(self, marker: bytes) -> None:
        self.marker = marker
        self.pending = bytearray()

    @property
    def full(self) -> bool:
        """Whether nothing more should be read for now."""
        return False

    def send(self, kind: bytes, *fields: bytes) -> None:
        """Queue one frame."""
        self.pending += frame(self.marker, kind, fields)

    def flush(self) -> None:
        """Do nothing: the owner takes the bytes."""
        return

    def take(self) -> bytes:
        """Return what was queued since the last call."""
        data = bytes(self.pending)
        self.pending.clear()
        return data


class Output(Memory):
    """Frames on a file descriptor that never blocks."""

    def __init__(self, marker: bytes, descriptor: int) -> None:
        Memory.__init__(self, marker)
        self.descriptor = descriptor
        os.set_blocking(descriptor, False)

    @property
    def full(self) -> bool:
        """Whether nothing more should be read for now."""
        return len(self.pending) > HIGH_WATER

    def send(self, kind: bytes, *fields: bytes) -> None:
        """Queue one frame, and write early when much is queued."""
        Memory.send(self, kind, *fields)
        if len(self.pending) > HIGH_WATER:
            self.flush()

    def flush(self) -> None:
        """Write as much as the line takes now; OSError when the other side is gone."""
        while self.pending:
            try:
                sent = os.write(self.descriptor, bytes(self.pending[:WRITE_BYTES]))
            except BlockingIOError:
                return
            del self.pending[:sent]
