"""Whether a checkpoint of this machine is complete: the typed front of what boxes run as well."""

from __future__ import annotations

from typing import BinaryIO

import msgspec

from tui.onbox import archive
from tui.text import said


class CheckpointCheck(msgspec.Struct, frozen=True):
    """``complete`` and, when it is not, the ``reason`` in words."""

    complete: bool
    reason: str | None = None


def check(file: BinaryIO, *, full: bool = True) -> CheckpointCheck:
    """Check a seekable binary file from its start to its end; nothing is ever unpickled.

    ``full`` also compares the CRC of every member (it reads the whole file); without it the end
    record, the directory and each member's own header must agree, which costs a few reads.
    """
    try:
        reason = archive.examine(file).reason if full else archive.reason(file)
    except OSError as error:
        reason = f"unreadable: {error}"
    return CheckpointCheck(reason is None, said(reason) if reason else None)
