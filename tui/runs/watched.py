"""The loss and the watched metric of a run, now and at its best."""

from __future__ import annotations

from tui.runs.findings import Findings
from tui.runs.metrics import BEST, LOSS, Mark
from tui.runs.model import Best, Current
from tui.text import said

_PREFIX = "metrics/"


def train_loss(found: Findings) -> float | None:
    """The mean training loss of the last finished epoch; None where it is null or unknown."""
    if "train_loss" in found.status.has and not found.rows_ahead:
        return found.status.train_loss
    epoch = found.metrics.last_epoch
    return None if epoch is None else found.metrics.value(LOSS, epoch)


def current(found: Findings) -> Current | None:
    """The watched metric now: of the last epoch that was validated. Null in the file stays null."""
    status = found.status
    given = "current_metric" in status.has and not found.rows_ahead
    if given and (status.current_metric is not None or status.validated is not False):
        if status.current_metric is None and status.current_metric_name is None:
            return _current(found.metrics.current())
        return Current(_shown(status.current_metric_name), status.current_metric)
    return _current(found.metrics.current())


def best(found: Findings) -> Best | None:
    """The best value as the file gives it; which way is better is never guessed."""
    status = found.status
    if status.best_metric is None or found.rows_ahead:
        mark = found.metrics.best() or _last_best(found)
        if mark is not None:
            return Best(_shown(mark.name), mark.value, mark.epoch)
    name = status.best_metric_name or found.metrics.best_name or status.current_metric_name
    if status.best_metric is None and name is None:
        return None
    return Best(_shown(name), status.best_metric, status.best_epoch)


def _last_best(found: Findings) -> Mark | None:
    """The best that the newest row names, for files whose rows carry no ``is_best``."""
    metrics = found.metrics
    epoch = metrics.last_epoch
    value = None if epoch is None else metrics.value(BEST, epoch)
    at = None if epoch is None else metrics.value("best_epoch", epoch)
    if value is None or at is None:
        return None
    return Mark(metrics.best_name, value, int(at))


def _current(mark: Mark | None) -> Current | None:
    return None if mark is None else Current(_shown(mark.name), mark.value)


def _shown(name: str | None) -> str | None:
    return said(name.removeprefix(_PREFIX), 100) if name else None
