"""What the files and the process of a run say, before anything is judged."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tui.facts import Process
from tui.runs import files
from tui.runs.evidence import Evidence
from tui.runs.liveness import Liveness, judge_process
from tui.runs.metrics import Metrics
from tui.runs.pace import MAX_FUTURE_SECONDS, pace_of
from tui.runs.status import MOST_EPOCHS, StatusFile, StatusReading, read_status

_NOTHING = StatusFile(has=frozenset())
_SIGNS = (files.STATUS, files.METRICS, files.RESULTS, files.LOG, files.CONSOLE)
_CONFIG_EPOCHS = re.compile(rb"^epochs:[ \t]*(\d{1,8})[ \t]*\r?$", re.MULTILINE)
_CONFIG_RESUME = re.compile(rb"^resume:[ \t]*(true|yes|on)\b", re.MULTILINE | re.IGNORECASE)
_STARTED_SLACK_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Findings:
    """One run's facts. ``state`` is the reported one in lower case, None when nothing says.

    ``epoch`` is the number of the last finished epoch, ``first`` True while this invocation has
    finished none. ``seen_at`` is the newest sign of life by the box's clock, ``quiet_s`` how long
    ago that was at the last contact. ``updated_at`` is when the status was written (without one,
    when anything was).
    """

    evidence: Evidence
    reading: StatusReading
    status: StatusFile
    state: str | None
    metrics: Metrics
    epoch: int | None
    total: int | None
    start_epoch: int
    resumed: bool
    first: bool
    rows_ahead: bool
    pace_s: float | None
    seen_at: float | None
    updated_at: float | None
    life: Liveness

    @property
    def quiet_s(self) -> float | None:
        """Seconds without a sign of life at the last contact."""
        return None if self.seen_at is None else max(0.0, self.evidence.now - self.seen_at)

    @property
    def age_s(self) -> float | None:
        """Seconds since ``updated_at``, by the box's clock carried on to this moment."""
        return None if self.updated_at is None else max(0.0, self.evidence.clock - self.updated_at)


def find(evidence: Evidence) -> Findings:
    """Read everything once."""
    reading = read_status(evidence.status, evidence.troubles.get(files.STATUS))
    status = reading.file or _NOTHING
    state = status.state.strip().lower() if status.state else None
    metrics, table = _table(evidence)
    start = status.start_epoch or 1
    total = status.total_epochs or _config_epochs(evidence.config)
    rows = _rows_epoch(evidence, metrics, table, status, start)
    said = _status_epoch(status, state, start)
    known = [epoch for epoch in (rows, said) if epoch is not None]
    epoch = max(known) if known else None
    if epoch is not None and total is not None:
        epoch = min(epoch, total)
    seen_at = _newest_sign(evidence, status)
    updated_at = status.updated_at or _written_at(evidence, files.STATUS) or seen_at
    return Findings(
        evidence=evidence,
        reading=reading,
        status=status,
        state=state,
        metrics=metrics,
        epoch=epoch,
        total=total,
        start_epoch=start,
        resumed=start > 1 or _resumes(evidence, status),
        first=epoch is None or epoch < start,
        rows_ahead=rows is not None and (said is None or rows > said),
        pace_s=pace_of(metrics, status, epoch, start),
        seen_at=seen_at,
        updated_at=updated_at,
        life=judge_process(
            _process_of(evidence, status), status.started_at, updated_at, evidence.now
        ),
    )


def _table(evidence: Evidence) -> tuple[Metrics, str]:
    """The metrics to use and the file they are from: metrics.jsonl before results.csv."""
    if not evidence.metrics.epochs and evidence.results is not None and evidence.results.epochs:
        return evidence.results, files.RESULTS
    return evidence.metrics, files.METRICS


def _rows_epoch(
    evidence: Evidence, metrics: Metrics, table: str, status: StatusFile, start: int
) -> int | None:
    """The epoch of the newest row; rows that were written before this invocation began end at it.

    A resume does not trim metrics.jsonl: until its first epoch ends, the rows are the old run's.
    """
    rows = metrics.last_epoch
    if rows is None:
        return None
    written = _written_at(evidence, table)
    began = status.started_at
    if written is not None and began is not None and written < began - _STARTED_SLACK_SECONDS:
        return min(rows, start - 1)
    return rows


def _status_epoch(status: StatusFile, state: str | None, start: int) -> int | None:
    """The last finished epoch by the status; the trap of each state is LibreYOLO 1.6.0's."""
    if state == "completed":  # counts this invocation only
        return None if status.completed_epochs is None else start - 1 + status.completed_epochs
    if state == "failed":  # names the epoch that did not finish
        return max(start - 1, (status.current_epoch or 1) - 1)
    if status.current_epoch is not None:
        return status.current_epoch
    if status.completed_epochs is not None:
        return status.completed_epochs
    return start - 1 if state == "running" else None


def _config_epochs(config: bytes | None) -> int | None:
    found = _CONFIG_EPOCHS.search(config) if config else None
    epochs = int(found[1]) if found else 0
    return epochs if 0 < epochs <= MOST_EPOCHS else None


def _process_of(evidence: Evidence, status: StatusFile) -> Process | None:
    """The process of this status; one of another pid is older news, from before a resume."""
    process = evidence.process
    if process is not None and status.pid is not None and process.pid != status.pid:
        return None
    return process


def _resumes(evidence: Evidence, status: StatusFile) -> bool:
    """Whether the configuration says resume, where the status does not say from which epoch."""
    if status.start_epoch is not None or evidence.config is None:
        return False
    return _CONFIG_RESUME.search(evidence.config) is not None


def _written_at(evidence: Evidence, name: str) -> float | None:
    stat = evidence.files.get(name)
    return stat.mtime if stat else None


def _newest_sign(evidence: Evidence, status: StatusFile) -> float | None:
    """The newest of status, metrics and logs; a time in the future says nothing."""
    times = [_written_at(evidence, name) for name in _SIGNS]
    signs = [time for time in (status.updated_at, *times) if time is not None]
    latest = evidence.now + MAX_FUTURE_SECONDS
    return max((time for time in signs if time <= latest), default=None)
