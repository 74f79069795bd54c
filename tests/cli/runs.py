"""Run directories for calls of boxtop: recorded ones, cases, and one that is alive."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

DATA = Path(__file__).parents[1] / "data"
RUNS = DATA / "runs"
CASES = DATA / "cases"


def utc_now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def copy_run(name: str, target: Path) -> Path:
    """Copy a recorded run's final files."""
    shutil.copytree(RUNS / name, target)
    return target


def live_run(directory: Path, epochs: int = 12) -> Path:
    """Write a run whose training is this very test process, and which moved just now."""
    directory.mkdir(parents=True)
    now = utc_now()
    status = {
        "schema_version": 1,
        "state": "running",
        "pid": os.getpid(),
        "model_family": "yolo9",
        "model_size": "t",
        "task": "detect",
        "save_dir": str(directory),
        "total_epochs": 100,
        "start_epoch": 1,
        "completed_epochs": epochs,
        "current_epoch": epochs,
        "epoch_seconds": 61.0,
        "mean_epoch_seconds": 61.0,
        "eta_seconds": 5338.0,
        "train_loss": 1.5,
        "started_at": now,
        "updated_at": now,
        "progress": epochs / 100,
    }
    (directory / "status.json").write_text(json.dumps(status))
    rows = [
        {"epoch": epoch, "time": 61.0, "train/loss": 3.0 / epoch, "metrics/mAP50": epoch / 20}
        for epoch in range(1, epochs + 1)
    ]
    (directory / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (directory / "train.log").write_text("".join(f"line {n}\n" for n in range(1, 21)))
    return directory
