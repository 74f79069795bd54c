"""From everything known of a run to the Run that people see."""

from __future__ import annotations

from tui.money import amount, cost_of
from tui.runs import watched
from tui.runs.alerts import alerts
from tui.runs.evidence import Evidence
from tui.runs.findings import Findings, find
from tui.runs.headline import headline
from tui.runs.model import Checkpoint, Cost, Run, Verdict
from tui.runs.pace import eta_of, eta_words
from tui.runs.proofs import saved_as
from tui.runs.verdict import early_stopped, is_derived, judge
from tui.text import said

ENDED: frozenset[Verdict] = frozenset({"completed", "failed", "dead", "stopped"})
"""Verdicts of runs that do nothing any more."""

_NEARLY = 0.9999


def assess(evidence: Evidence) -> Run:
    """Judge a run. Pure and total: whatever the files hold, it returns a Run."""
    found = find(evidence)
    judgement = judge(found)
    eta, ended_at = _end(found, judgement.verdict)
    return Run(
        id=evidence.id,
        path=evidence.path,
        model=_model(found),
        task=_said(found.status.task),
        reported_state=_said(found.status.state),
        verdict=judgement.verdict,
        reason=judgement.reason,
        early_stopped=early_stopped(found),
        resumed=found.resumed,
        epoch=found.epoch,
        total_epochs=found.total,
        progress=_progress(found, judgement.verdict),
        epoch_s=found.pace_s,
        eta_s=eta,
        train_loss=watched.train_loss(found),
        current=watched.current(found),
        best=watched.best(found),
        started_at=found.status.started_at,
        updated_at=found.updated_at,
        age_s=found.age_s,
        pid=found.status.pid or (evidence.process.pid if evidence.process else None),
        pid_alive=found.life.alive,
        bad_lines=found.metrics.bad_lines,
        error=found.status.error,
        checkpoints=_checkpoints(found),
        cost=_cost(found, eta, ended_at),
        headline=headline(found, judgement),
        eta_text=eta_words(eta, found.age_s, found.status.mean_epoch_seconds or found.pace_s),
        derived=is_derived(found),
        warnings=alerts(found, judgement),
        diagnosis=judgement.diagnosis,
        ended_at=ended_at,
    )


def _end(found: Findings, verdict: Verdict) -> tuple[float | None, float | None]:
    """Return the ETA of a run that goes on, and when one that does not ended or last moved."""
    if found.state in ("completed", "failed"):
        return None, found.updated_at
    if verdict in ENDED:
        return None, found.seen_at
    eta = None if found.state is None else _eta(found)
    return eta, found.seen_at if verdict == "stalled" else None


def _eta(found: Findings) -> float | None:
    if found.first or found.epoch is None:
        return None
    return eta_of(
        found.status,
        found.metrics,
        found.epoch,
        found.total,
        found.start_epoch,
        found.age_s or 0.0,
    )


def _progress(found: Findings, verdict: Verdict) -> float | None:
    """The share of epochs that are done: 1.0 only for a completed run, below 1.0 otherwise."""
    if verdict == "completed" or found.state == "completed":
        return 1.0
    if found.epoch is None or found.total is None:
        return None
    share = found.epoch / found.total
    if found.epoch >= found.total:  # RF-DETR reports its last epoch while it still trains
        share = max(0.99, (found.total - 0.5) / found.total)
    return min(share, _NEARLY)


def _model(found: Findings) -> str | None:
    """Return ``yolo9s``; each part is cleaned alone, for joined a token would not be known."""
    parts = (found.status.model_family, found.status.model_size)
    return "".join(said(part, 60).strip() for part in parts if part) or None


def _said(text: str | None) -> str | None:
    return said(text, 60) if text else None


def _checkpoints(found: Findings) -> tuple[Checkpoint, ...]:
    """Judge each checkpoint; what was saved of an earlier training at this path is none of it."""
    began = None if found.resumed else found.status.started_at
    return tuple(
        Checkpoint(
            *(file.name, file.size, file.mtime, file.complete),
            saved_as(file, found.evidence.proofs, began),
        )
        for file in found.evidence.checkpoints
    )


def _cost(found: Findings, eta: float | None, ended_at: float | None) -> Cost | None:
    """What the run has cost and wasted; None without a price. What does not apply is None too."""
    rate = amount(found.evidence.price_per_hour)
    if rate is None:
        return None
    clock = found.evidence.clock
    began = found.status.started_at
    elapsed = found.status.elapsed_seconds
    until = clock if ended_at is None else ended_at
    if began is not None and until >= began:
        elapsed = until - began
    wasted = None if ended_at is None else max(0.0, clock - ended_at)
    now = amount(found.evidence.price_now)
    return Cost(
        cost_of(elapsed, rate),
        cost_of(eta, rate),
        cost_of(wasted, rate if now is None else now),
        cost_of(found.pace_s, rate),
        found.evidence.price_source,
    )
