"""Runs made for a test, written the way LibreYOLO writes them."""

from __future__ import annotations

import json
from pathlib import Path

from tui.runs import files


def make_run(runs: Path, name: str, **status: object) -> Path:
    """Make a run directory with a status.json that says what is given."""
    run = runs / name
    run.mkdir(parents=True)
    write_status(run, **status)
    return run


def write_status(run: Path, **status: object) -> bytes:
    """Replace status.json as LibreYOLO does: a temporary file, then a rename."""
    data = json.dumps({"schema_version": 1, "state": "running", **status}, indent=2).encode()
    leftover = run / ".status.json.k3x9q1aa.tmp"
    leftover.write_bytes(data)
    leftover.rename(run / files.STATUS)
    return data


def append(path: Path, data: bytes) -> None:
    """Add bytes to a file's end."""
    with path.open("ab") as file:
        file.write(data)
