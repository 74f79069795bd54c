"""The verdict table: what a run is really doing, from all signs together."""

from __future__ import annotations

from typing import NamedTuple

from tui.runs.diagnosis import INTERRUPT, diagnose
from tui.runs.disk import disk_full_text
from tui.runs.findings import Findings
from tui.runs.model import Diagnosis, RunError, Verdict
from tui.runs.pace import WARM_UP_SECONDS, silence_limit
from tui.runs.words import clock_text
from tui.text import said

DIVERGED_EPOCHS = 3
BOXTOP_STOPPED = "stopped by boxtop"
_KNOWN_STATES = frozenset({"running", "completed", "failed"})


class Judgement(NamedTuple):
    """A verdict, its reason in words, and what the logs add to it."""

    verdict: Verdict
    reason: str | None = None
    diagnosis: Diagnosis | None = None


def judge(found: Findings) -> Judgement:
    """Judge a run by its reported state, its process, its files' ages and its losses."""
    match found.state:
        case "completed":
            return _diverged(found) or Judgement("completed", _early_text(found))
        case "failed":
            return _failed(found)
        case "running":
            return _running(found)
        case _:
            return _left_over(found)


def is_derived(found: Findings) -> bool:
    """Whether no status says a state, so that the verdict comes from what is left."""
    return found.state is None


def lost_losses(found: Findings) -> list[int]:
    """The newest epochs in a row whose ``train/loss`` is not finite, oldest first."""
    lost = set(found.metrics.not_finite_epochs())
    row: list[int] = []
    for epoch in reversed(found.metrics.recent(len(lost))):
        if epoch not in lost:
            break
        row.insert(0, epoch)
    return row


def early_stopped(found: Findings) -> bool:
    """Whether a completed run has fewer epochs than planned."""
    if found.state != "completed" or found.epoch is None or found.total is None:
        return False
    return found.epoch < found.total


def _early_text(found: Findings) -> str | None:
    return f"stopped early at {found.epoch}/{found.total}" if early_stopped(found) else None


def _failed(found: Findings) -> Judgement:
    error = found.status.error
    epoch = found.status.current_epoch
    if error is not None and error.type == INTERRUPT:
        return Judgement("stopped", interrupted_text(epoch))
    diagnosis = diagnose(found.evidence, error, ended=True)
    if found.evidence.killed_by_boxtop:
        return Judgement("stopped", BOXTOP_STOPPED)
    if diagnosis is not None and diagnosis.kind == "interrupted":
        return Judgement("stopped", interrupted_text(epoch), diagnosis)
    told = error_text(error) or (diagnosis.summary if diagnosis else None)
    return Judgement("failed", told or "failed without a message", diagnosis)


def _running(found: Findings) -> Judgement:
    if found.life.alive is False:
        return _dead(found)
    if (stalled := _stalled(found)) is not None:
        return stalled
    if found.life.alive is None and is_silent(found):
        return Judgement("unknown", unseen_text(found))
    if found.first:
        return Judgement("starting")
    return _diverged(found) or Judgement("running")


def unseen_text(found: Findings) -> str:
    """Why nothing can be said of a run that is silent where no process can be seen."""
    silence = clock_text(found.quiet_s or 0.0)
    return f"nothing new for {silence}, and nobody can see whether its process lives"


def _dead(found: Findings) -> Judgement:
    """A run whose process is gone or another's: stopped if somebody ended it, else dead."""
    ended = found.life.reason
    survivors = survivors_of(found)
    if found.evidence.killed_by_boxtop and not survivors:
        return Judgement("stopped", BOXTOP_STOPPED)
    diagnosis = diagnose(found.evidence, None, ended=True)
    if diagnosis is not None and diagnosis.kind == "interrupted" and not survivors:
        return Judgement("stopped", interrupted_text((found.epoch or 0) + 1), diagnosis)
    cause = diagnosis.summary if diagnosis else None
    if cause is None and _log_says_complete(found):
        cause = "ended without a final status; the log says that training is complete"
    process = found.evidence.process
    if process is not None and process.state == "gone":
        return Judgement("dead", cause or "killed, reason unknown", diagnosis)
    return Judgement("dead", "; ".join(filter(None, (ended, cause))), diagnosis)


def is_silent(found: Findings) -> bool:
    """Whether a run has been silent for longer than a living one may be."""
    quiet = found.quiet_s
    return quiet is not None and quiet > silence_limit(found.pace_s, first=found.first)


def _stalled(found: Findings) -> Judgement | None:
    """A living run that has been silent for too long; a growing log is life."""
    quiet = found.quiet_s
    limit = silence_limit(found.pace_s, first=found.first)
    if not found.life.alive or quiet is None or not is_silent(found):
        return None
    diagnosis = diagnose(found.evidence, None, ended=False)
    full = disk_full_text(found.evidence.disk)
    silence = f"nothing new for {clock_text(quiet)} (expected within {clock_text(limit)})"
    told = full or (f"{silence}: {diagnosis.summary}" if diagnosis else silence)
    return Judgement("stalled", told, diagnosis)


def _diverged(found: Findings) -> Judgement | None:
    lost = lost_losses(found)
    if len(lost) < DIVERGED_EPOCHS:
        return None
    best = found.metrics.best()
    hint = "lower lr0, warm up longer, or set amp=false"
    if best is not None and best.epoch < lost[0]:
        hint = f"best.pt is of epoch {best.epoch}, before the loss broke; {hint}"
    reason = loss_text(lost)
    return Judgement("diverged", reason, Diagnosis("non_finite_loss", reason, hint))


def _left_over(found: Findings) -> Judgement:
    """No known state: the process, the ages of the files and the logs have to say it."""
    verdict, reason, diagnosis = _from_what_is_left(found)
    if found.state is not None and found.state not in _KNOWN_STATES:
        told = f"status.json says '{said(found.state, 40)}', which boxtop does not know"
        reason = f"{told}; {reason}" if reason else told
    return Judgement(verdict, reason or found.reading.trouble, diagnosis)


def _from_what_is_left(found: Findings) -> Judgement:
    if found.life.alive is not None:
        return _running(found)
    quiet = found.quiet_s
    moving: Verdict = "starting" if found.first else "running"
    if _log_says_complete(found):
        return Judgement("completed", "the log says that training is complete")
    diagnosis = diagnose(found.evidence, None, ended=True)
    if diagnosis is not None and diagnosis.kind == "interrupted":
        return Judgement("stopped", interrupted_text((found.epoch or 0) + 1), diagnosis)
    if diagnosis is not None and diagnosis.excerpt:
        return Judgement("failed", diagnosis.summary, diagnosis)
    if quiet is None:
        return _undated(found)
    limit = WARM_UP_SECONDS if found.first else silence_limit(found.pace_s, first=False)
    if quiet <= limit:
        return _diverged(found) or Judgement(moving)
    no_status = found.reading.trouble or "no status.json"
    return Judgement("unknown", f"{no_status}; nothing new for {clock_text(quiet)}")


def _undated(found: Findings) -> Judgement:
    """Nothing tells when anything was written: an empty directory is one that just begins."""
    if found.epoch is None and found.reading.kind == "missing" and found.evidence.config:
        return Judgement("starting", "no status and no epochs yet")
    return Judgement("unknown", found.reading.trouble or "no status.json")


def _log_says_complete(found: Findings) -> bool:
    tail = list(found.evidence.log.lines[-5:]) + list(found.evidence.console.lines[-10:])
    return any("Training complete" in line for line in tail)


def survivors_of(found: Findings) -> list[int]:
    """Pids of the training's tree that still live although its own process is gone."""
    process = found.evidence.process
    if process is None or process.state not in ("gone", "zombie"):
        return []
    return [task.pid for task in process.tree if task.state == "alive"]


def interrupted_text(epoch: int | None) -> str:
    """``interrupted (Ctrl-C) in epoch 5``."""
    where = f"in epoch {epoch}" if epoch else "before the first epoch"
    return f"interrupted (Ctrl-C) {where}"


def error_text(error: RunError | None) -> str | None:
    """``OutOfMemoryError: CUDA out of memory``; never a blank after the colon."""
    if error is None:
        return None
    return ": ".join(filter(None, (error.type, error.message))) or None


def loss_text(lost: list[int]) -> str:
    """``train/loss not finite since epoch 3``."""
    return f"train/loss not finite since epoch {lost[0]}"
