"""What an upload says beside the run of the checkpoints that it has pushed, for whoever watches it.

``{"schema_version": 1, "files": {NAME: {...}}}`` holds of each checkpoint the last push: repo,
commit, at, path, size, sha256, mtime, inode, epoch. Who reads it has to ask the Hub.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from typing import Any

STATUS = "status.json"
MOST_BYTES = 1000000


def add_note(note: object, repo: str, commit: str | None) -> None:
    """Add the files of ``{path, files: {NAME: {...}}}`` to the note at ``path``. Raises OSError."""
    if not isinstance(note, dict) or commit is None:
        return
    path = str(note["path"])
    now = {"repo": repo, "commit": commit, "at": round(time.time(), 3)}
    files = {name: {**values, **now} for name, values in dict(note["files"]).items()}
    document = {"schema_version": 1, "files": {**_files(path), **files}}
    new = os.path.join(os.path.dirname(path), ".%s.%d.tmp" % (os.path.basename(path), os.getpid()))
    try:
        with open(new, "w", encoding="ascii") as file:
            json.dump(document, file, indent=1)
        _date(new, os.path.join(os.path.dirname(path), STATUS))
        os.replace(new, path)
    except OSError:
        if os.path.lexists(new):
            os.unlink(new)
        raise


def _date(path: str, status: str) -> None:
    """Make a file as old as the status: a push is no sign of life of its training."""
    with suppress(OSError):
        info = os.stat(status)
        os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))


def _files(path: str) -> dict[str, Any]:
    """Return what the note says so far."""
    try:
        with open(path, "rb") as file:
            document = json.loads(file.read(MOST_BYTES).decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    files = document.get("files") if isinstance(document, dict) else None
    return files if isinstance(files, dict) else {}
