"""One action on an instance at a time: in this process, and in all that share a data directory."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tui.actions.errors import ActionError
from tui.actions.instance_plan import Bound

FOLDER = "actions"


class Locks:
    """The locks of one data directory. A process that ends, however it ends, lets go."""

    def __init__(self, data: Path) -> None:
        self._directory = data / FOLDER

    @contextmanager
    def held(self, bound: Bound) -> Iterator[None]:
        """Hold an instance for a block. Raises ActionError("busy"), or ("denied") for no file."""
        handle = self._open(bound)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                message = f"another action on {bound} is under way"
                raise ActionError("busy", message, "wait for its end, then look again") from None
            yield
        finally:
            os.close(handle)

    def _open(self, bound: Bound) -> int:
        name = re.sub(r"[^A-Za-z0-9._-]", lambda found: f"%{ord(found[0]):x}", bound.id)
        path = self._directory / f"{bound.provider}-{name}.lock"
        try:
            self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise unkept(path, error) from None


def unkept(path: Path, error: OSError) -> ActionError:
    """Return why an action that could not be written down is not begun."""
    reason = error.strerror or type(error).__name__
    return ActionError(
        "denied",
        f"nothing was sent: {path} cannot be written ({reason}), and no action goes unrecorded",
        "make room there, or name another place with --data-dir",
    )
