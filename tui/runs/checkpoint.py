"""Whether a checkpoint is complete, without ever unpickling it.

``torch.save`` writes a zip archive of stored members straight to its final path, so a reader may
meet half of one, or a new beginning before an old end.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from typing import BinaryIO

import msgspec

from tui.text import said

_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
_LOCAL_MAGIC = b"PK\x03\x04"
_SIZES_FOLLOW = 0x08  # the local header holds no CRC and sizes: a data descriptor does
_PIECE = 1 << 20
_PICKLE = "data.pkl"


class CheckpointCheck(msgspec.Struct, frozen=True):
    """``complete`` and, when it is not, the ``reason`` in words."""

    complete: bool
    reason: str | None = None


class _Incomplete(Exception):
    """Why a checkpoint is refused."""


def check(file: BinaryIO, *, full: bool = True) -> CheckpointCheck:
    """Check a seekable binary file from its start to its end.

    ``full`` also compares the CRC of every member (it reads the whole file); without it the end
    record, the directory and each member's own header must agree, which costs a few reads.
    """
    try:
        _check(file, full)
    except _Incomplete as found:
        return CheckpointCheck(False, str(found))
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError) as error:
        return CheckpointCheck(False, said(f"damaged: {error}"))
    except (ValueError, RuntimeError, OSError) as error:
        return CheckpointCheck(False, said(f"unreadable: {error}"))
    return CheckpointCheck(True)


def _check(file: BinaryIO, full: bool) -> None:
    size = file.seek(0, 2)
    if size == 0:
        raise _Incomplete("0 bytes")
    file.seek(0)
    if file.read(4) != _LOCAL_MAGIC:
        raise _Incomplete("no zip archive")
    try:
        archive = zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:
        raise _Incomplete(_directory_words(error)) from error
    with archive:
        members = archive.infolist()
        if not any(_short(member) == _PICKLE for member in members):
            raise _Incomplete(f"no {_PICKLE}")
        for member in members:
            _check_header(file, member, archive.start_dir)
            if full:
                _check_content(archive, member)


def _directory_words(error: zipfile.BadZipFile) -> str:
    ends = "not a zip file" in str(error)
    return "no end record" if ends else said(f"directory damaged: {error}")


def _check_header(file: BinaryIO, member: zipfile.ZipInfo, directory: int) -> None:
    """Compare a member's own header with the directory's entry: a rewritten beginning differs."""
    file.seek(member.header_offset)
    header = file.read(_LOCAL_HEADER.size)
    if len(header) < _LOCAL_HEADER.size or not header.startswith(_LOCAL_MAGIC):
        raise _Incomplete(f"header of {_short(member)} is damaged")
    _, _, flags, _, _, _, crc, _, length, name_length, extra_length = _LOCAL_HEADER.unpack(header)
    end = member.header_offset + _LOCAL_HEADER.size + name_length + extra_length
    if end + member.compress_size > directory:
        raise _Incomplete(f"{_short(member)} is cut short")
    if flags & _SIZES_FOLLOW:
        return
    if length not in (member.file_size, 0xFFFFFFFF):
        raise _Incomplete(f"size differs in {_short(member)}")
    if crc != member.CRC:
        raise _Incomplete(f"CRC differs in {_short(member)}")


def _check_content(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    try:
        with archive.open(member) as content:
            while content.read(_PIECE):
                continue
    except zipfile.BadZipFile as error:
        if "CRC" in str(error):
            raise _Incomplete(f"CRC differs in {_short(member)}") from error
        raise


def _short(member: zipfile.ZipInfo) -> str:
    """A member's name below the archive's own folder: ``data.pkl``."""
    return said(member.filename.partition("/")[2] or member.filename, 80)
