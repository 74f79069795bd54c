"""Faults of boxtop itself: tracebacks go to the file of ``--debug``, never to a screen."""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime
from pathlib import Path

from tui.text import redact

_lock = threading.Lock()
_target: Path | None = None


def write_faults_to(target: Path) -> None:
    """Keep the tracebacks of this process in a file, readable by its owner alone."""
    global _target
    _target = target


def fault_file() -> Path | None:
    """The file that tracebacks go to, None without ``--debug``."""
    return _target


def record_fault(error: BaseException) -> None:
    """Append an exception with its traceback, tokens redacted; nothing without ``--debug``."""
    if _target is None:
        return
    import traceback

    at = datetime.now(UTC).isoformat(timespec="seconds")
    lines = redact("".join(traceback.format_exception(error)))
    with _lock:
        handle = os.open(_target, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(handle, "a", encoding="utf-8") as out:
            out.write(f"--- {at}\n{lines}")


def keep_threads_quiet() -> None:
    """Record what ends a thread that nobody waits for, and keep its traceback off the screen.

    paramiko's own threads end so, for one, where the host that they jumped through is gone first.
    """

    def record(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            record_fault(args.exc_value)

    threading.excepthook = record


def fault_line(error: BaseException) -> str:
    """One line for a person about a fault of boxtop's own."""
    name = f"unexpected {type(error).__name__}"
    if _target is not None:
        return f"boxtop: {name}; the traceback is in {_target}"
    return f"boxtop: {name}; run it again with --debug: the traceback then goes to a file"
