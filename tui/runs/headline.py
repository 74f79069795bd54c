"""The one line that says what a run is doing."""

from __future__ import annotations

from tui.runs.findings import Findings
from tui.runs.verdict import BOXTOP_STOPPED, Judgement, early_stopped, is_derived, is_silent
from tui.runs.words import clock_text


def headline(found: Findings, judgement: Judgement) -> str:
    """Return the line; the verdict's own word stands in it where an epoch alone would mislead."""
    line = _line(found, judgement)
    if not is_derived(found):
        return line
    told = line.lower().startswith(judgement.verdict)
    return f"derived: {line}" if told else f"derived: {judgement.verdict}, {line}"


def _line(found: Findings, judgement: Judgement) -> str:
    verdict, reason = judgement.verdict, judgement.reason
    match verdict:
        case "starting":
            return _warming_up(found)
        case "running" | "unknown" if found.state == "running":
            return _running(found)
        case "stalled":
            return _stalled(found, judgement)
        case "diverged":
            return f"{_epoch(found)} - {reason}"
        case "dead":
            return f"DEAD (was running, {_epoch(found)})"
        case "stopped":
            return f"{reason} at {_count(found)}" if reason == BOXTOP_STOPPED else f"{reason}"
        case "failed":
            return f"failed at {_count(found)}{_percent(found)}"
        case "completed":
            return _completed(found)
        case _:
            return _epoch(found) if found.epoch else "no epochs yet"


def _running(found: Findings) -> str:
    if is_silent(found):
        return f"{_epoch(found)} - nothing new for {clock_text(found.quiet_s or 0.0)}"
    at_end = found.total is not None and found.epoch == found.total
    return f"{_epoch(found)} - still training" if at_end else _epoch(found)


def _warming_up(found: Findings) -> str:
    """``epoch 1/100 - warming up 6:40``: the epoch that runs, and for how long the run has."""
    total = f"/{found.total}" if found.total else ""
    line = f"epoch {(found.epoch or 0) + 1}{total} - warming up"
    began = found.status.started_at
    return line if began is None else f"{line} {clock_text(found.evidence.clock - began)}"


def _stalled(found: Findings, judgement: Judgement) -> str:
    quiet = clock_text(found.quiet_s or 0.0)
    diagnosis = judgement.diagnosis
    if diagnosis is not None and diagnosis.kind == "disk_full":
        return f"running? {_epoch(found)} - {diagnosis.summary}, nothing written for {quiet}"
    return f"stalled at {_epoch(found)} - nothing new for {quiet}"


def _completed(found: Findings) -> str:
    if early_stopped(found):
        return f"completed - stopped early at {_count(found)}"
    return f"completed - {_count(found)}" if found.epoch is not None else "completed"


def _percent(found: Findings) -> str:
    if found.epoch is None or not found.total:
        return ""
    return f" ({int(100 * found.epoch / found.total)} %)"


def _epoch(found: Findings) -> str:
    return f"epoch {_count(found)}"


def _count(found: Findings) -> str:
    epoch = "?" if found.epoch is None else str(found.epoch)
    return f"{epoch}/{found.total}" if found.total else epoch
