"""The demo's own directory: keys, ssh settings, the boxes' homes, the mirror; gone afterwards.

The directory is held by a lock that dies with its holders, so the next demo knows a directory
that a crash left behind and removes it, together with processes that still run for it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

PREFIX = "boxtop-demo-"
MARK = "BOXTOP_DEMO_SANDBOX"
"""Environment variable of everything a demo starts; its value is the sandbox's directory."""

_LOCK = "lock"


class Sandbox:
    """One demo's directory. ``lock`` is an open file whose lock all holders share."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self.lock = lock

    @property
    def client_key(self) -> Path:
        """The private key that opens the demo's boxes."""
        return self.path / "client_key"

    @property
    def known_hosts(self) -> Path:
        """The boxes' host keys."""
        return self.path / "known_hosts"

    @property
    def ssh_config(self) -> Path:
        """An OpenSSH configuration that knows the boxes and nothing of the user's."""
        return self.path / "ssh_config"

    @property
    def data(self) -> Path:
        """Where boxtop mirrors the demo's runs."""
        return self.path / "data"

    def home(self, box: str) -> Path:
        """The home directory on one box."""
        return self.path / box

    def remove(self) -> None:
        """End what still runs for this sandbox and remove the directory; once is enough."""
        if self.lock >= 0:
            _remove(self.path)
            os.close(self.lock)
            self.lock = -1  # the number may soon be another file's


def make_sandbox() -> Sandbox:
    """Make a new, locked sandbox, after removing those that crashed demos left behind."""
    sweep()
    path = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
    # Locked under another name first: a sweep never sees a lock file that nobody holds yet.
    fresh = path / f"{_LOCK}.new"
    lock = os.open(fresh, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    fresh.rename(path / _LOCK)
    return Sandbox(path, lock)


def sweep() -> list[Path]:
    """Remove the sandboxes of this user that nobody holds any more; returns their paths."""
    left = [path for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*") if _abandoned(path)]
    for path in left:
        _remove(path.resolve())
    return left


def _abandoned(path: Path) -> bool:
    try:
        if path.is_symlink() or path.stat().st_uid != os.getuid():
            return False
        lock = os.open(path / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True


def _remove(path: Path) -> None:
    for pid in _inhabitants(path):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    for _ in range(20):  # a process that is just ending may still have written a file
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            return


def _inhabitants(path: Path) -> Iterator[int]:
    """Processes whose environment carries this sandbox's mark (Linux; elsewhere none)."""
    mark = f"{MARK}={path}".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                yield int(entry.name)
