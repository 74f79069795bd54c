"""The document of `boxtop status --json`, schema_version 1: only ever extended.

Unknown is null, never 0 or "". Times are ISO 8601 in UTC, durations seconds, sizes bytes, money
US dollars. Words from a box come without control characters and tokens; ``id`` and ``path`` stay
exact, so that a script can find the run, but for bytes that are no text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from tui.facts import Disk, Gpu
from tui.money import Rate
from tui.rent import RentView
from tui.report.order import by_need
from tui.runs.model import Best, Checkpoint, Cost, Current, RunError, Saved
from tui.text import clean, redact
from tui.view import BoxView, PendingView, RunView

SCHEMA_VERSION = 1

Json = dict[str, Any]


def status_document(boxes: Sequence[BoxView], generated_at: float) -> Json:
    """Return the whole document; ``generated_at`` is this machine's time."""
    return {
        "schema_version": SCHEMA_VERSION,
        "generated_at": iso_time(generated_at),
        "boxes": [_box(box) for box in boxes],
    }


def json_text(document: Json) -> str:
    """Return a document as text: ASCII only, every control character escaped."""
    return json.dumps(document, indent=2, allow_nan=False).replace("\x7f", "\\u007f")


def iso_time(seconds: float | None) -> str | None:
    """Return ``2026-11-30T02:00:00Z``, None for what is no time."""
    if seconds is None or not math.isfinite(seconds):
        return None
    try:
        moment = datetime.fromtimestamp(int(seconds), UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return moment.isoformat().replace("+00:00", "Z")


def exact(text: str) -> str:
    """Return a name or path of a box as it is; undecodable bytes become U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def words(text: str | None) -> str | None:
    """Return what a box says without control characters and tokens, None for nothing.

    Cleaned first: a colour before a token would hide where it begins.
    """
    return (redact(clean(text)) or None) if text is not None else None


def number(value: float | None, digits: int | None = None) -> float | None:
    """Return a finite number or None, rounded where its source is no more exact."""
    if value is None or not math.isfinite(value):
        return None
    return value if digits is None else round(value, digits)


def _box(box: BoxView) -> Json:
    return {
        "name": exact(box.name),
        "target": redact(clean(box.target)),
        "link": {
            "state": box.link.state,
            "age_s": number(box.link.age_s, 3),
            "error": words(box.link.error),
        },
        "clock_skew_s": number(box.clock_skew_s, 3),
        "gpus": [_gpu(gpu) for gpu in box.gpus],
        "disk": _disk(fullest_disk(box.runs)),
        "provider": None if box.rent is None else rent_document(box.rent),
        "notices": [words(line) for line in (*box.unsearched, *box.notices)],
        "runs": [_run(view) for view in by_need(box.runs)],
    }


def rent_document(rent: RentView) -> Json:
    """Return what its provider tells of a box; unknown rates are null with source "unknown".

    ``rate_assumed`` says of ``rate_now`` that the state does not tell what is billed.
    """
    return {
        "name": rent.provider,
        "id": exact(rent.id),
        "state": rent.state,
        "raw_state": words(rent.raw_state),
        "gpu_name": words(rent.gpu_name),
        "gpu_count": rent.gpu_count,
        "rate_now": rate_document(rent.rate_now),
        "rate_assumed": rent.rate_assumed,
        "rate_running": rate_document(rent.rate_running),
        "rate_stopped": rate_document(rent.rate_stopped),
        "contract_end": iso_time(rent.contract_end),
        "credit": number(rent.credit, 4),
        "runway_s": None if rent.runway is None else number(rent.runway.seconds, 0),
        "age_s": number(rent.age_s, 3),
        "reason": words(rent.reason),
        "error": words(rent.error),
        "gone_maybe": rent.gone_maybe,
        "warnings": [words(line) for line in rent.warnings],
    }


def rate_document(rate: Rate) -> Json:
    """Return an hourly price with its source."""
    return {"usd_per_hour": number(rate.usd_per_hour, 6), "source": rate.source}


def fullest_disk(runs: Sequence[RunView]) -> RunView | None:
    """Return the run whose file system has the smallest share of free space."""
    known = [view for view in runs if view.disk is not None]
    return min(known, key=lambda view: _free_share(view.disk), default=None)


def _free_share(disk: Disk | None) -> float:
    return disk.free / disk.total if disk is not None and disk.total > 0 else 1.0


def _disk(view: RunView | None) -> Json | None:
    if view is None or view.disk is None:
        return None
    return {
        "path": exact(view.disk.path),
        "free": view.disk.free,
        "total": view.disk.total,
        "full_in_s": number(view.disk_full_in_s, 0),
    }


def _gpu(gpu: Gpu) -> Json:
    return {
        "index": gpu.index,
        "name": words(gpu.name),
        "util": number(gpu.util),
        "memory_used": gpu.memory_used,
        "memory_total": gpu.memory_total,
        "temperature_c": number(gpu.temperature_c),
        "power_w": number(gpu.power_w),
    }


def _run(view: RunView) -> Json:
    run = view.run
    return {
        "id": exact(run.id),
        "path": exact(run.path),
        "model": words(run.model),
        "task": words(run.task),
        "reported_state": words(run.reported_state),
        "verdict": run.verdict,
        "reason": words(run.reason),
        "early_stopped": run.early_stopped,
        "resumed": run.resumed,
        "epoch": run.epoch,
        "total_epochs": run.total_epochs,
        "progress": number(run.progress),
        "epoch_s": number(run.epoch_s, 3),
        "eta_s": number(run.eta_s, 3),
        "train_loss": number(run.train_loss),
        "current": _current(run.current),
        "best": _best(run.best),
        "started_at": iso_time(run.started_at),
        "updated_at": iso_time(run.updated_at),
        "age_s": number(run.age_s, 3),
        "pid": run.pid,
        "pid_alive": run.pid_alive,
        "bad_lines": run.bad_lines,
        "error": _error(run.error),
        "checkpoints": [_checkpoint(checkpoint) for checkpoint in run.checkpoints],
        "cost": _cost(run.cost),
        "pending_pushes": [_pending(push) for push in view.pending],
    }


def _pending(push: PendingView) -> Json:
    return {
        "to": words(push.to),
        "names": [exact(name) for name in push.names],
        "at": iso_time(push.at),
    }


def _current(current: Current | None) -> Json:
    return {
        "name": words(current.name) if current else None,
        "value": number(current.value) if current else None,
    }


def _best(best: Best | None) -> Json:
    return {
        "name": words(best.name) if best else None,
        "value": number(best.value) if best else None,
        "epoch": best.epoch if best else None,
    }


def _error(error: RunError | None) -> Json | None:
    if error is None:
        return None
    return {"type": words(error.type), "message": words(error.message)}


def _checkpoint(checkpoint: Checkpoint) -> Json:
    return {
        "name": exact(checkpoint.name),
        "bytes": checkpoint.bytes,
        "modified_at": iso_time(checkpoint.modified_at),
        "complete": checkpoint.complete,
        "saved": _saved(checkpoint.saved),
    }


def _saved(saved: Saved | None) -> Json | None:
    if saved is None:
        return None
    return {
        "where": words(saved.where),
        "sha256": saved.sha256,
        "commit": saved.commit,
        "at": iso_time(saved.at),
        "current": saved.current,
    }


def _cost(cost: Cost | None) -> Json | None:
    if cost is None:
        return None
    return {
        "so_far": number(cost.so_far, 4),
        "to_finish": number(cost.to_finish, 4),
        "wasted": number(cost.wasted, 4),
    }
