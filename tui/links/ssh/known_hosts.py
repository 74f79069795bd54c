"""The user's known_hosts: read line by line, appended to, never rewritten but for one chosen host.

A line is ``[@marker] hosts type base64 [comment]``; see sshd(8), SSH_KNOWN_HOSTS FILE FORMAT. Lines
that cannot be read are somebody else's business: they are skipped and left as they are.
"""

from __future__ import annotations

import base64
import binascii
import errno
import hashlib
import hmac
import os
import shlex
import stat
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tui.links.ssh.config_file import matches_list

Standing = Literal["known", "unknown", "changed", "revoked"]
DEFAULT_PORT = 22
_appending = threading.Lock()


@dataclass(frozen=True, slots=True)
class HostKey:
    """A public key as the wire carries it."""

    type: str
    blob: bytes

    @staticmethod
    def from_blob(blob: bytes) -> HostKey:
        """Read the type out of the blob itself. Raises ValueError for anything else."""
        length = int.from_bytes(blob[:4], "big")
        if not 0 < length <= 64 or len(blob) <= 4 + length:
            raise ValueError("not a public key")
        return HostKey(blob[4 : 4 + length].decode("ascii"), blob)

    @property
    def fingerprint(self) -> str:
        """``SHA256:…`` as ssh-keygen prints it."""
        digest = base64.b64encode(hashlib.sha256(self.blob).digest()).decode("ascii")
        return "SHA256:" + digest.rstrip("=")

    @property
    def text(self) -> str:
        """``type base64`` as a known_hosts line ends."""
        return f"{self.type} {base64.b64encode(self.blob).decode('ascii')}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A known key of a host, and where it stands."""

    key: HostKey
    path: Path
    line: int


@dataclass(frozen=True, slots=True)
class Known:
    """What the files say of one host: its ``keys``, ``revoked`` ones, and whether a CA vouches."""

    host: str
    keys: tuple[Entry, ...] = ()
    revoked: tuple[HostKey, ...] = ()
    has_authority: bool = False

    def standing(self, key: HostKey) -> Standing:
        """Judge the key that a server has shown.

        The handshake prefers the types known here, so a key of a type that is not known says that
        the server no longer has any of the known ones: it changed.
        """
        if key in self.revoked:
            return "revoked"
        if any(entry.key == key for entry in self.keys):
            return "known"
        return "changed" if self.keys else "unknown"

    @property
    def key_types(self) -> tuple[str, ...]:
        """The types of the known keys, in the order of the files."""
        return tuple(dict.fromkeys(entry.key.type for entry in self.keys))


def host_name(host: str, port: int) -> str:
    """Return how known_hosts names a server: ``[host]:port``, the bare host for port 22."""
    host = host.lower()
    return host if port == DEFAULT_PORT else f"[{host}]:{port}"


def look_up(name: str, paths: Sequence[Path]) -> Known:
    """Return what the files say of ``name`` (see ``host_name``). Missing files say nothing."""
    keys: list[Entry] = []
    revoked: list[HostKey] = []
    has_authority = False
    for path in paths:
        for number, marker, hosts, key in _entries(path):
            if not _names(hosts, name):
                continue
            if marker == "@revoked":
                revoked.append(key)
            elif marker == "@cert-authority":
                has_authority = True
            elif not marker:
                keys.append(Entry(key, path, number))
    return Known(name, tuple(keys), tuple(revoked), has_authority)


def accept(path: Path, name: str, key: HostKey) -> None:
    """Append exactly one line for ``name``; nothing else of the file changes.

    Raises OSError when the file cannot be written.
    """
    if path.is_fifo() or path.is_socket():
        raise OSError(errno.EINVAL, "not a regular file")
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    with _appending, path.open("a+b") as file:
        newline = b""
        if file.seek(0, os.SEEK_END) > 0:
            file.seek(-1, os.SEEK_END)
            newline = b"" if file.read(1) == b"\n" else b"\n"
        file.write(newline + f"{name} {key.text}\n".encode())


def holds(path: Path, name: str) -> bool:
    """Whether ``replace`` would find a known key of exactly ``name`` in a file."""
    try:
        content = path.read_bytes() if path.is_file() else b""
    except OSError:
        return False
    return any(_without(line, name) is not None for line in content.splitlines())


def replace(path: Path, name: str, key: HostKey) -> int:
    """Put ``key`` in the place of every known key of exactly ``name``; returns how many went.

    All other lines stay byte-equal, and so does a pattern that happens to match: that is for the
    person to edit. A name that shares its line with others is taken out of the list. Raises
    OSError; the old file stays whole then.
    """
    real = Path(os.path.realpath(path))
    lines: list[bytes] = []
    replaced = 0
    new_line = f"{name} {key.text}\n".encode()
    for line in real.read_bytes().splitlines(keepends=True):
        rest = _without(line, name)
        if rest is None:
            lines.append(line)
            continue
        if not replaced:
            lines.append(new_line)
        replaced += 1
        if rest:
            lines.append(rest)
    if replaced:
        _write_over(real, b"".join(lines))
    return replaced


def removal_hint(name: str, path: Path | None = None, home: Path | None = None) -> str:
    """Return the command that removes the entries of ``name``, for a file that is not the usual."""
    usual = (home or Path.home()) / ".ssh" / "known_hosts"
    command = f"ssh-keygen -R {shlex.quote(name)}"
    return command if path is None or path == usual else f"{command} -f {shlex.quote(str(path))}"


def _entries(path: Path) -> Iterator[tuple[int, str, str, HostKey]]:
    """Yield (line number, marker, hosts, key) of every line that can be read."""
    try:
        if not path.is_file():  # a FIFO would be waited for, and a device has no end
            return
        content = path.read_bytes()
    except OSError:
        return
    for number, line in enumerate(content.splitlines(), 1):
        parsed = _parse(line)
        if parsed:
            yield number, *parsed


def _parse(line: bytes) -> tuple[str, str, HostKey] | None:
    words = line.decode("utf-8", "surrogateescape").split()
    marker = words.pop(0) if words and words[0].startswith("@") else ""
    if len(words) < 3 or words[0].startswith("#"):
        return None
    try:
        key = HostKey.from_blob(base64.b64decode(words[2], validate=True))
    except (ValueError, binascii.Error):
        return None
    return (marker, words[0], key) if key.type == words[1] else None


def _names(hosts: str, name: str) -> bool:
    """Whether a line's host field speaks of ``name``: hashed, or a list of patterns."""
    if hosts.startswith("|"):
        return _hashed_names(hosts, name)
    return matches_list(name, hosts.lower().split(","))


def _hashed_names(hosts: str, name: str) -> bool:
    parts = hosts.split("|")
    if len(parts) != 4 or parts[1] != "1":
        return False
    try:
        salt, digest = base64.b64decode(parts[2]), base64.b64decode(parts[3])
    except binascii.Error:
        return False
    return hmac.compare_digest(hmac.digest(salt, name.encode(), "sha1"), digest)


def _without(line: bytes, name: str) -> bytes | None:
    """Return the line without ``name`` (empty if it held nothing else), None if it lacks it."""
    parsed = _parse(line)
    if parsed is None or parsed[0]:
        return None
    hosts = parsed[1]
    if hosts.startswith("|"):
        return b"" if _hashed_names(hosts, name) else None
    listed = hosts.split(",")
    others = [host for host in listed if host.lower() != name]
    if len(others) == len(listed):
        return None
    if not others:
        return b""
    old = hosts.encode("utf-8", "surrogateescape")
    return line.replace(old, ",".join(others).encode("utf-8", "surrogateescape"), 1)


def _write_over(path: Path, content: bytes) -> None:
    """Replace a file at once, keeping its mode and owner."""
    before = path.stat()
    handle, name = tempfile.mkstemp(prefix=".known_hosts.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(stat.S_IMODE(before.st_mode))
        if hasattr(os, "chown") and (before.st_uid, before.st_gid) != (os.getuid(), os.getgid()):
            os.chown(temporary, before.st_uid, before.st_gid)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
