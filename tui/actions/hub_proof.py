"""Saved or not: what was pushed against what the Hub lists, path by path.

A large file (LFS, xet) is proven by size and sha256. A small one has no sha256 at the Hub: it is
proven by size and by the git blob that its bytes make.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from tui.text import said_path

_SHA256 = re.compile(r"[0-9a-f]{64}")
_SHA1 = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class PushedFile:
    """A file as it was when it was read for the push; ``size`` in bytes, hashes in hex."""

    path: str
    size: int
    sha256: str
    blob_oid: str | None = None


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file as the Hub lists it. ``oid`` is the git blob, of a large file's pointer."""

    path: str
    size: int
    oid: str | None = None
    sha256: str | None = None
    xet_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """A path that is not proven, and how it differs, in words."""

    path: str
    how: str

    def __str__(self) -> str:
        return f"{said_path(self.path, 200)}: {self.how}"


def differences(
    pushed: Iterable[PushedFile], listed: Iterable[ListedFile]
) -> tuple[Difference, ...]:
    """Return every pushed path that the Hub does not list with the same content.

    Empty means proven, if anything was pushed at all: ask ``proven`` for that.
    """
    by_path: dict[str, list[ListedFile]] = {}
    for entry in listed:
        by_path.setdefault(entry.path, []).append(entry)
    found = []
    for file in pushed:
        how = _differs(file, by_path.get(file.path, []))
        if how:
            found.append(Difference(file.path, how))
    return tuple(found)


def proven(commit: str | None, pushed: Sequence[PushedFile], listed: Iterable[ListedFile]) -> bool:
    """Whether all of it is saved: a commit is known, and it lists everything as it was here."""
    return is_commit(commit) and bool(pushed) and not differences(pushed, listed)


def is_commit(value: object) -> TypeGuard[str]:
    """Whether it is a commit's id: a branch's name would lead elsewhere tomorrow."""
    return isinstance(value, str) and _SHA1.fullmatch(value) is not None


def blob_oid(data: bytes) -> str:
    """Return the name that git gives these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def pushed_files(values: object) -> tuple[PushedFile, ...]:
    """Return ``[{path, size, sha256, blob_oid?}]`` of a result; what is none is left out."""
    found = []
    for value in _entries(values):
        path, size, sha256 = value.get("path"), value.get("size"), value.get("sha256")
        if isinstance(path, str) and _is_size(size) and isinstance(sha256, str):
            blob = value.get("blob_oid")
            found.append(PushedFile(path, size, sha256, blob if isinstance(blob, str) else None))
    return tuple(found)


def listed_files(values: object) -> tuple[ListedFile, ...]:
    """Return ``[{path, size, oid, sha256, xet_hash}]`` of a listing; what is none is left out."""
    found = []
    for value in _entries(values):
        path, size = value.get("path"), value.get("size")
        if isinstance(path, str) and _is_size(size):
            texts = (value.get(name) for name in ("oid", "sha256", "xet_hash"))
            kept = (text if isinstance(text, str) else None for text in texts)
            found.append(ListedFile(path, size, *kept))
    return tuple(found)


def _differs(file: PushedFile, listed: list[ListedFile]) -> str | None:
    if not listed:
        return "the Hub does not list it"
    if len(listed) > 1:
        return "the Hub lists it more than once"
    entry = listed[0]
    if entry.size != file.size:
        return f"{entry.size} bytes at the Hub, {file.size} here"
    if entry.sha256 is not None:
        return None if _same(entry.sha256, file.sha256, _SHA256) else "another sha256 at the Hub"
    if file.blob_oid is None:
        return "no hash to compare it by"
    return None if _same(entry.oid, file.blob_oid, _SHA1) else "other bytes at the Hub"


def _same(one: str | None, other: str, form: re.Pattern[str]) -> bool:
    return one == other and form.fullmatch(other) is not None


def _entries(values: object) -> list[Mapping[str, object]]:
    return (
        [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []
    )


def _is_size(value: object) -> TypeGuard[int]:
    return type(value) is int and value >= 0
