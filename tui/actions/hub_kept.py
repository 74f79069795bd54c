"""What this machine cannot keep, in words: a full disk here is no fault of boxtop."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from tui.actions.errors import ActionError, ActionKind

_KINDS: dict[int | None, ActionKind] = {
    errno.ENOSPC: "disk_full",
    errno.EDQUOT: "disk_full",
    errno.EACCES: "denied",
    errno.EPERM: "denied",
    errno.EROFS: "denied",
}


@contextmanager
def kept(message: str, hint: str | None = None) -> Iterator[None]:
    """Turn an OSError into ActionError: ``message: no space left on device``."""
    try:
        yield
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        kind = _KINDS.get(error.errno, "unreadable")
        raise ActionError(kind, f"{message}: {why}", hint) from error
