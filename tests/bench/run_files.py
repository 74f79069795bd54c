"""Run directories as LibreYOLO leaves them, of any length."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tui.runs import files

LOG_LINE = "2026-11-30 02:09:21 | INFO     | Epoch {number} - Average loss: {loss:.4f}\n"
PARTS = ("train/box_loss", "train/cls_loss", "train/dfl_loss")
SCORES = ("metrics/precision", "metrics/recall", "metrics/mAP50-95", "metrics/mAP50")
GROUPS = ("lr/group0", "lr/group1", "lr/group2", "lr/group3")
TIMES = ("speed/preprocess_ms", "speed/inference_ms", "speed/postprocess_ms", "speed/total_ms")


@dataclass(frozen=True, slots=True)
class RunFiles:
    """A run directory; ``pid`` stands in its status as the training's."""

    directory: Path
    pid: int = 0

    def write(self, epochs: int, log_bytes: int = 0, wide: bool = False) -> None:
        """Write status, metrics (``wide``: sixteen columns) and a log of about this size."""
        self.directory.mkdir(parents=True, exist_ok=True)
        row = wide_row if wide else lean_row
        with (self.directory / files.METRICS).open("w") as metrics:
            metrics.writelines(row(epoch) for epoch in range(1, epochs + 1))
        with (self.directory / files.LOG).open("w") as log:
            log.writelines(log_lines(log_bytes))
        self.write_status(epochs)

    def write_status(self, epoch: int) -> None:
        """Replace status.json as LibreYOLO does, by rename."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        status = {
            "schema_version": 1, "state": "running", "pid": self.pid, "model_family": "yolo9",
            "model_size": "t", "task": "detect", "save_dir": str(self.directory),
            "total_epochs": 10 * epoch + 10, "start_epoch": 1, "current_epoch": epoch,
            "completed_epochs": epoch, "epoch_seconds": 2.1, "mean_epoch_seconds": 2.1,
            "eta_seconds": 9000.0, "train_loss": 3.4, "progress": 0.1,
            "started_at": now, "updated_at": now, "elapsed_seconds": 2.1 * epoch,
        }  # fmt: skip
        fresh = self.directory / ".status.json.k3x9q1aa.tmp"
        fresh.write_text(json.dumps(status, indent=2))
        fresh.replace(self.directory / files.STATUS)

    def append_metrics(self, text: str) -> None:
        """Append to metrics.jsonl."""
        with (self.directory / files.METRICS).open("a") as metrics:
            metrics.write(text)

    def append_log(self, text: str) -> None:
        """Append to train.log."""
        with (self.directory / files.LOG).open("a") as log:
            log.write(text)


def lean_row(epoch: int) -> str:
    """A row of 172 bytes: 5,000 of them are 860 kB and, like real ones, deflate to 18 %."""
    chance = random.Random(epoch)
    row: dict[str, float | bool] = {"epoch": epoch, "time": round(2 + chance.random(), 4)}
    row |= {"validated": False, "train/loss": 3 + chance.random()}
    row |= {part: round(chance.random(), 6) for part in PARTS[:2]}
    row["train/dfl_loss"] = 0.5
    row["lr/group0"] = 0.01
    return json.dumps(row) + "\n"


def wide_row(epoch: int) -> str:
    """A row with four losses, four metrics, four learning rates and four times."""
    chance = random.Random(epoch)
    fall = 1 / (1 + epoch / 500)
    row: dict[str, float | bool | str] = {"epoch": epoch, "time": 2 + chance.random()}
    row |= {"validated": True, "is_best": epoch % 50 == 0, "current_metric": 0.6 * (1 - fall)}
    row["current_metric_name"] = "metrics/mAP50-95"
    row["train/loss"] = 3 + 12 * fall + chance.random()
    row |= {part: 1 + 4 * fall + chance.random() for part in PARTS}
    row |= {score: (0.6 - 0.5 * fall) + chance.random() / 10 for score in SCORES}
    row |= {group: 0.01 * fall + number / 1000 for number, group in enumerate(GROUPS)}
    row |= {name: number + 3 + chance.random() / 4 for number, name in enumerate(TIMES)}
    return json.dumps(row) + "\n"


def noise_row(epoch: int) -> str:
    """A row whose values fill the whole height of a chart."""
    chance = random.Random(epoch)
    row: dict[str, float] = {"epoch": epoch} | {name: chance.random() for name in TIMES}
    return json.dumps(row) + "\n"


def log_lines(size: int) -> Iterator[str]:
    """Lines of a training's log, ``size`` bytes in all or a little more."""
    chance = random.Random(size)
    number = written = 0
    while written < size:
        number += 1
        line = LOG_LINE.format(number=number, loss=chance.random() * 10)
        written += len(line)
        yield line


def stamp() -> float:
    """This machine's steady time, the same for every process on it."""
    return time.clock_gettime(time.CLOCK_MONOTONIC)
