"""Whether a checkpoint is complete, without ever unpickling it, and its hash in the same reading.

``torch.save`` writes a zip archive of stored members straight to its final path, so a reader may
meet half of one, or a new beginning before an old end. Only what torch writes is taken: members
that are stored one after the other, so that no archive costs more work than its size.
"""

from __future__ import annotations

import hashlib
import queue
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

PIECE = 4 << 20
"""Bytes that are read, hashed and summed at a time."""

MAX_DIRECTORY = 16000000
"""Bytes of a central directory: room for more than a hundred thousand tensors."""

_FIRST_MAGIC = b"PK\x03\x04"
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
_ENTRY = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_END_64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR_64 = struct.Struct("<4sIQI")
_NOT_HERE = 0xFFFFFFFF  # the value stands in the zip64 extra field
_ENCRYPTED = 0x01
_SIZES_FOLLOW = 0x08  # the local header holds no CRC and sizes: a data descriptor does
_PICKLE = "data.pkl"
_NO_END = "no end record"


class Damaged(Exception):
    """Why a file is no complete checkpoint, in words."""


class Member(NamedTuple):
    """One stored file of an archive: ``start`` is where its first byte lies."""

    name: str
    start: int
    size: int
    crc: int


class Examined(NamedTuple):
    """``sha256`` in hex, of all ``size`` bytes; ``reason`` why it is no complete checkpoint.

    A file that is none at first sight is not hashed: its ``sha256`` is empty.
    """

    size: int
    sha256: str
    reason: str | None


class _Entry(NamedTuple):
    name: bytes
    header: int
    size: int
    stored: int
    crc: int
    method: int
    flags: int


def reason(file: BinaryIO) -> str | None:
    """Return why a seekable file is no complete checkpoint, None when it is, by a few reads.

    The end record, the directory and each member's own header must agree. Raises OSError.
    """
    try:
        _members(file)
    except Damaged as found:
        return str(found)
    return None


def examine(file: BinaryIO, tell: Callable[[int], None] | None = None) -> Examined:
    """Read all of a seekable file once: compare every member's CRC, and hash the bytes.

    ``tell`` is told the bytes done so far and may raise to stop. Raises OSError.
    """
    size = file.seek(0, 2)
    try:
        members = _members(file)
    except Damaged as found:
        return Examined(size, "", str(found))
    sums = _Sums(members)
    file.seek(0)
    done, sha256 = _read_and_hash(file, sums.take, tell)
    if done != size:
        return Examined(done, sha256, "its size changed while it was read")
    return Examined(size, sha256, sums.reason())


def digest(file: BinaryIO, tell: Callable[[int], None] | None = None) -> tuple[int, str]:
    """Return size and sha256 of what a file holds from its present position on. Raises OSError."""
    return _read_and_hash(file, lambda piece: None, tell)


def _members(file: BinaryIO) -> list[Member]:
    """Return the members in the order of their bytes, every header compared. Raises Damaged."""
    size = file.seek(0, 2)
    if size == 0:
        raise Damaged("0 bytes")
    if _read(file, 0, 4) != _FIRST_MAGIC:
        raise Damaged("no zip archive")
    directory, data = _directory(file, size)
    entries = sorted(_entries(data), key=lambda entry: entry.header)
    if not any(_short(entry.name) == _PICKLE for entry in entries):
        raise Damaged(f"no {_PICKLE}")
    members = []
    ends = [entry.header for entry in entries[1:]] + [directory]
    for entry, end in zip(entries, ends):  # noqa: B905  # python 3.8 has no strict
        members.append(_member(file, entry, end, directory))
    return members


def _directory(file: BinaryIO, size: int) -> tuple[int, bytes]:
    """Return where the central directory lies, and its bytes. Raises Damaged."""
    end_at = size - _END.size
    end = _read(file, end_at, _END.size) if end_at > 0 else b""
    if len(end) < _END.size or not end.startswith(b"PK\x05\x06"):
        raise Damaged(_NO_END)
    _, _, _, _, count, length, start, comment = _END.unpack(end)
    if comment:
        raise Damaged(_NO_END)
    if count == 0xFFFF or length == _NOT_HERE or start == _NOT_HERE:
        end_at, count, length, start = _end_64(file, end_at)
    if start + length > end_at or length > MAX_DIRECTORY:
        raise Damaged("directory damaged: it does not fit its end record")
    data = _read(file, start, length)
    if len(data) < length or sum(1 for _ in _entries(data)) != count:
        raise Damaged("directory damaged: it lacks entries")
    return start, data


def _end_64(file: BinaryIO, end_at: int) -> tuple[int, int, int, int]:
    locator = _read(file, end_at - _LOCATOR_64.size, _LOCATOR_64.size)
    if len(locator) < _LOCATOR_64.size or not locator.startswith(b"PK\x06\x07"):
        raise Damaged(_NO_END)
    at = _LOCATOR_64.unpack(locator)[2]
    record = _read(file, at, _END_64.size) if at < end_at else b""
    if len(record) < _END_64.size or not record.startswith(b"PK\x06\x06"):
        raise Damaged(_NO_END)
    values = _END_64.unpack(record)
    return at, values[7], values[8], values[9]


def _entries(data: bytes) -> Iterator[_Entry]:
    """Yield the entries of a central directory. Raises Damaged where it is none."""
    at = 0
    while at < len(data):
        if data[at : at + 4] != b"PK\x01\x02" or at + _ENTRY.size > len(data):
            raise Damaged("directory damaged: an entry is none")
        values = _ENTRY.unpack_from(data, at)
        flags, method, crc, stored, size, name_length, extra_length, comment = (
            *values[3:5],
            *values[7:13],
        )
        name_at = at + _ENTRY.size
        extra_at = name_at + name_length
        at = extra_at + extra_length + comment
        if at > len(data):
            raise Damaged("directory damaged: an entry is cut short")
        large = _extra_64(data[extra_at : extra_at + extra_length], (size, stored, values[16]))
        name = data[name_at:extra_at]
        yield _Entry(name, large[2], large[0], large[1], crc, method, flags)


def _extra_64(extra: bytes, values: tuple[int, ...]) -> list[int]:
    """Return an entry's size, stored size and place, from its zip64 extra field where needed."""
    at, field = 0, b""
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            field = extra[at + 4 : at + 4 + length]
        at += 4 + length
    found, used = [], 0
    for value in values:
        if value == _NOT_HERE:
            if used + 8 > len(field):
                raise Damaged("directory damaged: a large size is missing")
            value = struct.unpack_from("<Q", field, used)[0]
            used += 8
        found.append(value)
    return found


def _member(file: BinaryIO, entry: _Entry, end: int, directory: int) -> Member:
    """Compare a member's own header with the directory's entry: a rewritten beginning differs.

    ``end`` is where the next member begins, or the directory. Raises Damaged.
    """
    name = _short(entry.name)
    header = _read(file, entry.header, _LOCAL_HEADER.size) if entry.header < directory else b""
    if len(header) < _LOCAL_HEADER.size or not header.startswith(_FIRST_MAGIC):
        raise Damaged(f"header of {name} is damaged")
    _, _, flags, method, _, _, crc, _, size, name_length, extra = _LOCAL_HEADER.unpack(header)
    if method or entry.method or (flags | entry.flags) & _ENCRYPTED or entry.stored != entry.size:
        raise Damaged(f"{name} is compressed, which torch never does")
    start = entry.header + _LOCAL_HEADER.size + name_length + extra
    if start + entry.size > end:
        raise Damaged(f"{name} is cut short")
    if _read(file, entry.header + _LOCAL_HEADER.size, name_length) != entry.name:
        raise Damaged(f"header of {name} has another name")
    if not flags & _SIZES_FOLLOW:
        if size not in (entry.size, _NOT_HERE):
            raise Damaged(f"size differs in {name}")
        if crc != entry.crc:
            raise Damaged(f"CRC differs in {name}")
    return Member(name, start, entry.size, entry.crc)


class _Sums:
    """The CRCs of an archive's members, while its bytes pass by in order."""

    def __init__(self, members: list[Member]) -> None:
        self._members = members
        self._next = 0
        self._sum = 0
        self._at = 0
        self._bad = ""

    def take(self, piece: bytes) -> None:
        """Add the next bytes of the file."""
        view = memoryview(piece)
        first, last = self._at, self._at + len(piece)
        self._at = last
        while self._next < len(self._members):
            member = self._members[self._next]
            end = member.start + member.size
            if member.start < last and end > first:
                part = view[max(member.start - first, 0) : end - first]
                self._sum = zlib.crc32(part, self._sum)
            if end > last:
                return
            if self._sum != member.crc:
                self._bad = self._bad or member.name
            self._next += 1
            self._sum = 0

    def reason(self) -> str | None:
        """Return what is wrong once all bytes have passed."""
        if self._bad:
            return f"CRC differs in {self._bad}"
        return None if self._next == len(self._members) else "its last member is cut short"


def _read_and_hash(
    file: BinaryIO, take: Callable[[bytes], None], tell: Callable[[int], None] | None
) -> tuple[int, str]:
    """Read to the end; a thread of its own hashes, since neither sum holds the interpreter."""
    pieces: queue.Queue[bytes] = queue.Queue(3)
    digest = hashlib.sha256()

    def hash_pieces() -> None:
        for piece in iter(pieces.get, b""):
            digest.update(piece)

    thread = threading.Thread(target=hash_pieces, name="hash", daemon=True)
    thread.start()
    done = 0
    try:
        for piece in iter(lambda: file.read(PIECE), b""):
            pieces.put(piece)
            take(piece)
            done += len(piece)
            if tell is not None:
                tell(done)
    finally:
        pieces.put(b"")
        thread.join()
    return done, digest.hexdigest()


def _read(file: BinaryIO, at: int, count: int) -> bytes:
    file.seek(max(at, 0))
    return file.read(count)


def _short(name: bytes) -> str:
    """A member's name below the archive's own folder: ``data.pkl``."""
    text = name.decode("utf-8", "replace")
    return (text.partition("/")[2] or text)[:80]
