"""The data types of the SSH protocol (RFC 4251, section 5) that keys and agents are written in."""

from __future__ import annotations


class Truncated(ValueError):
    """The bytes end before the value does."""


def pack_string(data: bytes) -> bytes:
    """Return ``data`` with its length before it."""
    return len(data).to_bytes(4, "big") + data


def pack_mpint(number: int) -> bytes:
    """Return a number ≥ 0 as a multiple-precision integer."""
    return pack_string(number.to_bytes(number.bit_length() // 8 + 1, "big") if number else b"")


class Reader:
    """Reads values one after the other; raises Truncated where there are none."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def take(self, count: int) -> bytes:
        """Return the next ``count`` bytes."""
        end = self.position + count
        if end > len(self.data):
            raise Truncated(f"{end - len(self.data)} bytes are missing")
        taken = self.data[self.position : end]
        self.position = end
        return taken

    def uint32(self) -> int:
        """Return the next four bytes as a number."""
        return int.from_bytes(self.take(4), "big")

    def string(self) -> bytes:
        """Return the next string, without its length."""
        return self.take(self.uint32())
