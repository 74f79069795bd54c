"""status.json, read without trust: what has the wrong type becomes None, never a crash.

Written by LibreYOLO's TrainingStatusCallback (``training/artifacts.py``, 1.6.0).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from tui.facts import FileTrouble
from tui.runs.decode import decode_json, instant, number, text, whole
from tui.runs.files import STATUS
from tui.runs.model import RunError
from tui.text import said

KNOWN_SCHEMA = 1
MOST_EPOCHS = 10_000_000
_LARGEST_PID = 2**31 - 1
_LONGEST = 20 * 365 * 86_400.0

StatusKind = Literal["readable", "missing", "unreadable", "broken"]

_ERRNO_WORDS = {
    "EACCES": "permission denied",
    "EPERM": "permission denied",
    "ESTALE": "stale file handle",
    "EIO": "input/output error",
    "ENOENT": "no such file",
    "EISDIR": "is a directory",
    "ELOOP": "too many symbolic links",
    "EFBIG": "too large to be one of LibreYOLO's",
    "ETIMEDOUT": "timed out",
}


class StatusFile(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of status.json that boxtop uses, each None where it is absent or of no use.

    ``has`` holds the keys that are present, so that null can be told from absent. Times are seconds
    since the epoch, durations seconds; text is as the file has it, not yet clean.
    """

    has: frozenset[str]
    schema_version: int | None = None
    state: str | None = None
    pid: int | None = None
    model_family: str | None = None
    model_size: str | None = None
    task: str | None = None
    total_epochs: int | None = None
    start_epoch: int | None = None
    current_epoch: int | None = None
    completed_epochs: int | None = None
    started_at: float | None = None
    updated_at: float | None = None
    elapsed_seconds: float | None = None
    epoch_seconds: float | None = None
    mean_epoch_seconds: float | None = None
    eta_seconds: float | None = None
    train_loss: float | None = None
    validated: bool | None = None
    current_metric: float | None = None
    current_metric_name: str | None = None
    best_metric: float | None = None
    best_metric_name: str | None = None
    best_epoch: int | None = None
    error: RunError | None = None


class StatusReading(msgspec.Struct, frozen=True):
    """What came of reading status.json: ``file`` unless it could not be read, ``trouble`` why."""

    kind: StatusKind
    file: StatusFile | None = None
    trouble: str | None = None


def read_status(data: bytes | None, trouble: FileTrouble | None = None) -> StatusReading:
    """Read the content of status.json, or say why there is none.

    Content that was read before a trouble is still used, and the trouble told beside it.
    """
    told = trouble_text(trouble) if trouble else None
    if data is None:
        return StatusReading("unreadable" if told else "missing", trouble=told)
    if not data.strip(b" \t\r\n\0"):
        return StatusReading("broken", trouble=told or f"{STATUS}: empty")
    try:
        document = decode_json(data)
    except ValueError:
        return StatusReading("broken", trouble=told or f"{STATUS}: half-written or no JSON")
    if not isinstance(document, dict):
        return StatusReading("broken", trouble=told or f"{STATUS}: not a JSON object")
    return StatusReading("readable", decode_status(document), told)


def trouble_text(trouble: FileTrouble) -> str:
    """Say why a file cannot be read: ``status.json: permission denied (root, 0600)``."""
    why = _ERRNO_WORDS.get(trouble.error) or said(trouble.error, 80)
    line = f"{said(trouble.name, 80)}: {why}"
    if trouble.stat is not None and why == "permission denied":
        owner = f"{said(trouble.stat.owner, 40)}, " if trouble.stat.owner else ""
        line += f" ({owner}{trouble.stat.mode & 0o7777:04o})"
    return line


def decode_status(document: Mapping[str, object]) -> StatusFile:
    """Take what is usable from a decoded status.json."""
    get = document.get

    def seconds(key: str) -> float | None:
        found = number(get(key))
        return found if found is not None and 0 <= found <= _LONGEST else None

    def epoch(key: str) -> int | None:
        return whole(get(key), 0, MOST_EPOCHS)

    validated = get("validated")
    return StatusFile(
        has=frozenset(key for key in document if key in StatusFile.__struct_fields__),
        schema_version=whole(get("schema_version"), 0, 1_000_000),
        state=text(get("state")),
        pid=whole(get("pid"), 1, _LARGEST_PID),
        model_family=text(get("model_family")),
        model_size=text(get("model_size")),
        task=text(get("task")),
        total_epochs=whole(get("total_epochs"), 1, MOST_EPOCHS),
        start_epoch=whole(get("start_epoch"), 1, MOST_EPOCHS),
        current_epoch=epoch("current_epoch"),
        completed_epochs=epoch("completed_epochs"),
        started_at=instant(get("started_at")),
        updated_at=instant(get("updated_at")),
        elapsed_seconds=seconds("elapsed_seconds"),
        epoch_seconds=seconds("epoch_seconds"),
        mean_epoch_seconds=seconds("mean_epoch_seconds"),
        eta_seconds=seconds("eta_seconds"),
        train_loss=number(get("train_loss")),
        validated=validated if isinstance(validated, bool) else None,
        current_metric=number(get("current_metric")),
        current_metric_name=text(get("current_metric_name")),
        best_metric=number(get("best_metric")),
        best_metric_name=text(get("best_metric_name")),
        best_epoch=epoch("best_epoch"),
        error=_error(get("error")),
    )


def _error(value: object) -> RunError | None:
    """The exception of a failed run; a bare string counts as its message."""
    if isinstance(value, str):
        value = {"message": value}
    if not isinstance(value, dict):
        return None
    kind, message = text(value.get("type")), text(value.get("message"))
    if kind is None and message is None:
        return None
    return RunError(
        type=said(kind, 100) if kind else None,
        message=said(" ".join(message.split()), 1000) if message else None,
    )
