"""Recorded bytes rewritten as if the training ran now: times, pid, paths, and a resumed start.

What is computed follows ``training/artifacts.py`` of LibreYOLO 1.6.0, so that every file stays one
that LibreYOLO could have written.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tui.runs import files

_TRAINING = re.compile(r"Training \S+ on ")
_STARTING = re.compile(r"^(.* \| )Starting training for (\d+) epochs$", re.MULTILINE)
_STAMP = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?= \| )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Timing:
    """Maps recorded seconds to this machine's clock: ``recorded`` happens at ``wall``."""

    recorded: float
    wall: float
    speed: float = 1.0

    def at(self, recorded: float) -> float:
        """When a recorded moment happens, in seconds since the epoch."""
        return self.wall + (recorded - self.recorded) / self.speed


@dataclass
class Invocation:
    """One start of a training: who runs it, where, since when, from which epoch.

    ``start_epoch`` above 1 is a resumed training, as LibreYOLO's own ``resume`` leaves it.
    """

    recorded_path: str
    path: str
    pid: int
    started_at: float
    start_epoch: int = 1
    speed: float = 1.0
    _seconds: list[float] = field(default_factory=list)

    def log(self, text: str, now: float) -> str:
        """Log lines, stamped in this box's local time as LibreYOLO's logger does."""
        stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
        return _STAMP.sub(stamp, self._resumed(self._relocated(text)))

    def metrics(self, text: str) -> str:
        """Rows of metrics.jsonl with the epoch's time as long as it really lasts here."""
        rows = [json.loads(line) for line in text.splitlines()]
        for row in rows:
            row["time"] /= self.speed
        return "".join(json.dumps(row) + "\n" for row in rows)

    def config(self, text: str) -> str:
        """The train_config.yaml of this start."""
        project, _, name = self.path.rpartition("/")
        text = re.sub(r"^project: .*$", lambda _: f"project: {project}", text, flags=re.M)
        text = re.sub(r"^name: .*$", lambda _: f"name: {name}", text, flags=re.M)
        resumed = "true" if self.start_epoch > 1 else "false"
        return re.sub(r"^resume: .*$", f"resume: {resumed}", text, flags=re.M)

    def status(self, text: str, now: float) -> str:
        """A status.json of this start; to be called once for each, in order."""
        status = json.loads(self._relocated(text))
        if status.get("epoch_seconds") is not None:
            self._seconds.append(status["epoch_seconds"] / self.speed)
            mean = sum(self._seconds) / len(self._seconds)
            status["epoch_seconds"] = self._seconds[-1]
            status["mean_epoch_seconds"] = mean
            status["eta_seconds"] = mean * (status["total_epochs"] - status["current_epoch"])
        elif status["state"] == "completed":
            status["completed_epochs"] -= self.start_epoch - 1  # of this invocation alone
            status["total_seconds"] = now - self.started_at
        elif status["state"] == "running":
            status["completed_epochs"] = self.start_epoch - 1
        return self._finished(status, now)

    def interrupted(self, text: str, epoch: int, now: float) -> str:
        """The status.json that LibreYOLO leaves when Ctrl-C ends it during ``epoch``."""
        kept = ("model_family", "model_size", "schema_version", "task", "total_epochs")
        status = {key: value for key, value in json.loads(text).items() if key in kept}
        status["save_dir"] = self.path
        status["state"] = "failed"
        status["current_epoch"] = epoch
        status["error"] = {"type": "KeyboardInterrupt", "message": ""}
        return self._finished(status, now)

    def _finished(self, status: dict[str, Any], now: float) -> str:
        status["pid"] = self.pid
        status["start_epoch"] = self.start_epoch
        status["started_at"] = _utc(self.started_at)
        status["updated_at"] = _utc(now)
        status["elapsed_seconds"] = round(max(now - self.started_at, 0.0), 3)
        status["progress"] = (status.get("completed_epochs") or 0) / status["total_epochs"]
        return json.dumps(status, indent=2, sort_keys=True) + "\n"

    def _resumed(self, text: str) -> str:
        """The console's first lines as a resumed training prints them."""
        done = self.start_epoch - 1
        if not done:
            return text
        checkpoint = f"{self.path}/{files.WEIGHTS}/last.pt"
        text = _TRAINING.sub(lambda _: f"Resuming training of {checkpoint} on ", text)
        return _STARTING.sub(
            lambda found: (
                f"{found[1]}Resumed from epoch {done} (will train to epoch {found[2]})\n{found[0]}"
            ),
            text,
        )

    def _relocated(self, text: str) -> str:
        return text.replace(self.recorded_path, self.path)


def _utc(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")
