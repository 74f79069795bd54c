"""Xet's containers, read back into the bytes that were sent: xorbs, shards, LZ4 frames.

Written from the published format pages (xorb, shard, LZ4 block and frame). Chunk hashes are not
checked: the Hub here hashes the whole file it puts together.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

_BOOKEND = b"\xff" * 32
_VERIFIED, _WITH_SHA256 = 1 << 31, 1 << 30
_LZ4_MAGIC = 0x184D2204


@dataclass(frozen=True)
class Term:
    xorb: str
    start: int
    end: int


@dataclass(frozen=True)
class ShardFile:
    file_hash: str
    terms: tuple[Term, ...]
    sha256: str | None


def hash_text(raw: bytes) -> str:
    """Return a hash as xet writes it: four little-endian numbers."""
    return "".join(f"{number:016x}" for number in struct.unpack("<4Q", raw))


def chunks_of(xorb: bytes) -> list[bytes]:
    """Return the unpacked chunks of a serialized xorb; its footer is not needed."""
    chunks, at = [], 0
    while at + 8 <= len(xorb) and xorb[at] == 0:
        packed = int.from_bytes(xorb[at + 1 : at + 4], "little")
        scheme = xorb[at + 4]
        size = int.from_bytes(xorb[at + 5 : at + 8], "little")
        body = xorb[at + 8 : at + 8 + packed]
        if len(body) != packed:
            raise ValueError("a chunk is cut")
        chunks.append(_unpacked(body, scheme, size))
        at += 8 + packed
    return chunks


def files_of(shard: bytes) -> list[ShardFile]:
    """Return the files a shard describes."""
    found, at = [], 48
    while shard[at : at + 32] != _BOOKEND:
        file_hash = hash_text(shard[at : at + 32])
        flags, count = struct.unpack_from("<II", shard, at + 32)
        at += 48
        terms = []
        for _ in range(count):
            start, end = struct.unpack_from("<II", shard, at + 40)
            terms.append(Term(hash_text(shard[at : at + 32]), start, end))
            at += 48
        at += 48 * count if flags & _VERIFIED else 0
        sha256 = None
        if flags & _WITH_SHA256:
            # The client keeps it in its own hash type, which swaps bytes in groups of eight.
            sha256 = hash_text(shard[at : at + 32])
            at += 48
        found.append(ShardFile(file_hash, tuple(terms), sha256))
    return found


def _unpacked(body: bytes, scheme: int, size: int) -> bytes:
    if scheme == 0:
        return body
    data = lz4_frame(body)
    if len(data) != size:
        raise ValueError("a chunk has another size than it says")
    return data if scheme == 1 else _ungrouped(data)


def _ungrouped(data: bytes) -> bytes:
    """Undo byte grouping: all first bytes of four, all second bytes and so on."""
    result, at = bytearray(len(data)), 0
    for group in range(4):
        length = (len(data) + 3 - group) // 4
        result[group::4] = data[at : at + length]
        at += length
    return bytes(result)


def lz4_frame(frame: bytes) -> bytes:
    """Return what an LZ4 frame holds; checksums are skipped."""
    magic, flags = struct.unpack_from("<IB", frame)
    if magic != _LZ4_MAGIC:
        raise ValueError("not an LZ4 frame")
    at = 6 + (8 if flags & 0x08 else 0) + (4 if flags & 0x01 else 0) + 1
    result = bytearray()
    while True:
        (word,) = struct.unpack_from("<I", frame, at)
        at += 4
        if word == 0:
            return bytes(result)
        size = word & 0x7FFFFFFF
        block = frame[at : at + size]
        if word & 0x80000000:
            result += block
        else:
            _lz4_block(block, result)
        at += size + (4 if flags & 0x10 else 0)


def _lz4_block(block: bytes, result: bytearray) -> None:
    at = 0
    while at < len(block):
        token = block[at]
        length, at = _length(block, at + 1, token >> 4)
        result += block[at : at + length]
        at += length
        if at >= len(block):
            return
        offset = block[at] | block[at + 1] << 8
        length, at = _length(block, at + 2, token & 15)
        _copy(result, offset, length + 4)


def _length(block: bytes, at: int, length: int) -> tuple[int, int]:
    if length == 15:
        while True:
            length += block[at]
            at += 1
            if block[at - 1] != 255:
                break
    return length, at


def _copy(result: bytearray, offset: int, length: int) -> None:
    start = len(result) - offset
    if offset >= length:
        result += result[start : start + length]
        return
    pattern = bytes(result[start:])
    result += (pattern * (length // offset + 1))[:length]
