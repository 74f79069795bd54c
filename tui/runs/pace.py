"""How fast a run goes, how long it still takes, and when its silence is too long."""

from __future__ import annotations

from tui.runs.metrics import TIME, Metrics
from tui.runs.status import StatusFile
from tui.runs.words import clock_text

PACE_EPOCHS = 5
STALL_PACES = 3
STALL_SECONDS = 600.0
WARM_UP_SECONDS = 900.0
"""Before the first epoch ends nothing moves for long: caching, AutoBatch, compiling."""

OVERDUE_PACES = 1.5
MAX_FUTURE_SECONDS = 60.0
"""File systems and writers have clocks of their own; further ahead a time is not believed."""

_LONGEST_EPOCH = 30 * 86_400.0
_LONGEST_ETA = 5 * 365 * 86_400.0


def pace_of(
    metrics: Metrics, status: StatusFile, epoch: int | None, start_epoch: int
) -> float | None:
    """Return the median of the last five epoch times in seconds.

    Epochs before a resume count only until this invocation has its own. Without metrics it is what
    the status says of its epochs.
    """
    pace = metrics_pace(metrics, start_epoch)
    if pace is not None:
        return pace
    if epoch is None or epoch < start_epoch:
        return None
    spent = status.elapsed_seconds
    mean = spent / (epoch - start_epoch + 1) if spent else None
    return status.epoch_seconds or status.mean_epoch_seconds or mean


def metrics_pace(metrics: Metrics, start_epoch: int) -> float | None:
    """Return the median of the last five epoch times that the metrics hold."""
    recent = metrics.recent(PACE_EPOCHS)
    own = [epoch for epoch in recent if epoch >= start_epoch] or recent
    times = [metrics.value(TIME, epoch) for epoch in own]
    usable = [time for time in times if time is not None and 0 < time <= _LONGEST_EPOCH]
    return _median(usable) if usable else None


def _median(values: list[float]) -> float:
    """The middle value; the statistics module takes longer to import than a whole look."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def silence_limit(pace_s: float | None, *, first: bool) -> float:
    """Return how many seconds a living run may be silent before it counts as stalled."""
    return max(STALL_PACES * (pace_s or 0.0), WARM_UP_SECONDS if first else STALL_SECONDS)


def eta_of(
    status: StatusFile, metrics: Metrics, epoch: int, total: int | None, start: int, age_s: float
) -> float | None:
    """Return seconds to the end: the status's ETA, else the pace times the rest, less its age."""
    eta = status.eta_seconds
    if eta is None and total is not None:
        pace = metrics_pace(metrics, start)
        eta = None if pace is None else pace * (total - epoch)
    if eta is None or eta > _LONGEST_ETA:
        return None
    return max(0.0, eta - age_s)


def eta_words(eta_s: float | None, age_s: float | None, epoch_s: float | None) -> str:
    """Return ``1:28:58``, ``overdue +0:39`` when the epoch's end is late, or ``-``."""
    if eta_s is None:
        return "-"
    if age_s is not None and epoch_s and age_s > OVERDUE_PACES * epoch_s:
        return f"overdue +{clock_text(age_s - epoch_s)}"
    return clock_text(eta_s)
