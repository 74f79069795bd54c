"""Runs for the screen's tests, made from recordings and cases through the real assessment."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tui.facts import CheckpointStat, Disk, Process, ProcessState, Stat
from tui.runs import files
from tui.runs.assess import assess
from tui.runs.evidence import Evidence
from tui.runs.log import LogTail
from tui.runs.metrics import Metrics
from tui.view import RunView

DATA = Path(__file__).parents[1] / "data"
NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC).timestamp()
"""The clock of every box and of the screen in these tests."""

DISK = Disk("/root/runs", free=131 << 30, total=250 << 30)
_TIMES = ("epoch_seconds", "mean_epoch_seconds", "eta_seconds", "elapsed_seconds", "total_seconds")


@dataclass
class Recorded:
    """What a recording has written up to a moment, ``pace`` times slower than it happened."""

    evidence: Evidence

    @property
    def view(self) -> RunView:
        """The run as the screen gets it."""
        evidence = self.evidence
        return RunView(
            run=assess(evidence),
            metrics=evidence.metrics,
            log=evidence.log,
            console=evidence.console,
            console_path=evidence.console_path,
            disk=evidence.disk,
        )

    def but(self, **changes: Any) -> Recorded:  # noqa: ANN401  # any field of Evidence
        """The same with other evidence."""
        return Recorded(replace(self.evidence, **changes))


def recorded(
    name: str,
    run_id: str,
    *,
    until: float = 1e9,
    pace: float = 24.0,
    ago: float = 3.0,
    alive: bool | None = True,
    root: str = "/root/runs",
) -> Recorded:
    """Read a recording up to ``until`` seconds; its last write was ``ago`` seconds before NOW."""
    status: dict[str, Any] | None = None
    metrics, log, console = Metrics(), LogTail(), LogTail()
    checkpoints: dict[str, CheckpointStat] = {}
    last = 0.0
    for event in _events(DATA / "runs" / name, until):
        last = float(event["t"])
        match event["op"], event["file"]:
            case "replace", files.STATUS:
                status = json.loads(event["data"])
            case "append", files.METRICS:
                metrics.feed(_slower(event["data"], pace))
            case ("append", files.LOG) | ("append", files.CONSOLE):
                (log if event["file"] == files.LOG else console).feed(event["data"].encode())
            case "stat", file if file.endswith(".pt"):
                short = file.rpartition("/")[2]
                checkpoints[short] = CheckpointStat(short, event["size"], NOW - ago, complete=True)
    started = NOW - ago - last * pace
    data = None if status is None else _status(status, started, last * pace, pace)
    process = None
    if status is not None and alive is not None:
        state: ProcessState = "alive" if alive else "gone"
        process = Process(status["pid"], state, started, "python train.py")
    return Recorded(
        Evidence(
            id=run_id,
            path=f"{root}/{run_id}",
            now=NOW,
            clock=NOW,
            status=data,
            metrics=metrics,
            log=log,
            console=console,
            console_path="/root/train.log",
            files={
                files.STATUS: Stat(len(data or b""), NOW - ago),
                files.METRICS: Stat(1, NOW - ago),
                files.LOG: Stat(1, NOW - ago),
            },
            process=process,
            disk=DISK,
            checkpoints=tuple(checkpoints.values()),
        )
    )


def _events(directory: Path, until: float) -> Iterator[dict[str, Any]]:
    timeline = directory / "timeline.jsonl"
    if not timeline.exists():
        yield from _final(directory)
        return
    with timeline.open() as lines:
        for line in lines:
            event: dict[str, Any] = json.loads(line)
            if event["t"] > until:
                return
            yield event


def _final(directory: Path) -> Iterator[dict[str, Any]]:
    """A recording without a timeline: all of it at once."""
    for name, op in ((files.STATUS, "replace"), (files.METRICS, "append"), (files.LOG, "append")):
        if (directory / name).exists():
            yield {"t": 60.0, "file": name, "op": op, "data": (directory / name).read_text()}


def _slower(lines: str, pace: float) -> bytes:
    rows = [json.loads(line) for line in lines.splitlines()]
    for row in rows:
        row["time"] *= pace
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _status(status: dict[str, Any], started: float, elapsed: float, pace: float) -> bytes:
    for key in _TIMES:
        if status.get(key) is not None:
            status[key] *= pace
    begin = datetime.fromtimestamp(started, UTC).replace(microsecond=0)
    status["started_at"] = begin.isoformat()
    status["updated_at"] = (begin + timedelta(seconds=int(elapsed))).isoformat()
    return json.dumps(status).encode()


def log_of(lines: Iterable[str]) -> LogTail:
    """A log that holds these lines."""
    tail = LogTail()
    tail.feed("".join(f"{line}\n" for line in lines).encode())
    return tail


def metrics_of(rows: Sequence[dict[str, Any]]) -> Metrics:
    """The history that these rows make."""
    metrics = Metrics()
    metrics.feed("".join(json.dumps(row) + "\n" for row in rows).encode())
    return metrics
