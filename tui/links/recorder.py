"""Writes the facts of a box as recordings while it is watched, one ``timeline.jsonl`` a run.

The format is the one that ``tui.links.recording`` plays.
"""

from __future__ import annotations

import json
from pathlib import Path

from tui.facts import (
    Checkpoints,
    Fact,
    FileBegins,
    FileBytes,
    FileWhole,
    Hello,
    RunFound,
    Vitals,
)
from tui.runs import files

_VALUES = {"stat": "size", "exit": "code"}
"""What the value of an operation is called, where it is not its data."""


class Recorder:
    """Takes facts in order; what is no change of a run's files is left out."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._started: float | None = None
        self._last = 0.0
        self._folders: dict[str, Path] = {}
        self._begun: set[tuple[str, str]] = set()
        self._ended: set[tuple[str, int]] = set()
        self._checkpoints: dict[tuple[str, str], tuple[int, float]] = {}

    def take(self, fact: Fact) -> None:
        """Write one fact. Raises OSError when the recording cannot be written."""
        match fact:
            case Hello():
                self._started = self._started or fact.box_time
            case RunFound():
                if fact.path not in self._folders:
                    name = fact.id.replace("/", "_").lstrip(".") or "run"
                    self._folders[fact.path] = _fresh_folder(self.directory, name)
            case FileWhole():
                self._write(fact.path, fact.name, fact.stat.mtime, "replace", _text(fact.data))
            case FileBegins():
                key = (fact.path, fact.name)
                if key in self._begun:
                    self._write(fact.path, fact.name, fact.stat.mtime, "replace", "")
                self._begun.add(key)
            case FileBytes():
                self._write(fact.path, fact.name, fact.stat.mtime, "append", _text(fact.data))
            case Checkpoints():
                self._take_checkpoints(fact)
            case Vitals():
                self._take_ends(fact)

    def begin_with(self, path: str, name: str, data: bytes, mtime: float) -> None:
        """Write what was known of a growing file before: a box sends only what follows."""
        if (path, name) not in self._begun:
            self._begun.add((path, name))
            self._write(path, name, mtime, "replace", _text(data))

    def _take_ends(self, vitals: Vitals) -> None:
        """Note once of each process that it is gone."""
        for run in vitals.runs:
            process = run.process
            if process is None or process.state != "gone":
                continue
            if (run.path, process.pid) not in self._ended:
                self._ended.add((run.path, process.pid))
                self._write(run.path, "", vitals.box_time, "exit", None)

    def _take_checkpoints(self, fact: Checkpoints) -> None:
        for checkpoint in fact.files:
            key, stamp = (fact.path, checkpoint.name), (checkpoint.size, checkpoint.mtime)
            if self._checkpoints.get(key) != stamp:
                self._checkpoints[key] = stamp
                name = f"{files.WEIGHTS}/{checkpoint.name}"
                self._write(fact.path, name, checkpoint.mtime, "stat", checkpoint.size)

    def _write(self, path: str, name: str, mtime: float, op: str, value: str | int | None) -> None:
        folder = self._folders.get(path)
        if folder is None:
            return
        moment = max(self._last, mtime - (self._started or mtime))
        self._last = moment
        event = {"t": round(moment, 3), "file": name, "op": op, _VALUES.get(op, "data"): value}
        with (folder / "timeline.jsonl").open("a", encoding="utf-8") as out:
            out.write(json.dumps(event) + "\n")


def _fresh_folder(directory: Path, name: str) -> Path:
    """Make a folder that holds no recording yet; one that is there is never written on."""
    folder, number = directory / name, 2
    while (folder / "timeline.jsonl").exists():
        folder = directory / f"{name}-{number}"
        number += 1
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "timeline.jsonl").touch()
    return folder


def _text(data: bytes) -> str:
    """Bytes as JSON text that turns back into the same bytes."""
    return data.decode("utf-8", "surrogateescape")
