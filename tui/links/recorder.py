"""Writes the facts of a box as recordings while it is watched, one ``timeline.jsonl`` a run.

The format is the one that ``tui.links.recording`` plays.
"""

from __future__ import annotations

import json
from pathlib import Path

from tui.facts import Checkpoints, Fact, FileBegins, FileBytes, FileWhole, Hello, RunFound
from tui.runs import files


class Recorder:
    """Takes facts in order; what is no change of a run's files is left out."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._started: float | None = None
        self._last = 0.0
        self._folders: dict[str, Path] = {}
        self._begun: set[tuple[str, str]] = set()
        self._checkpoints: dict[tuple[str, str], tuple[int, float]] = {}

    def take(self, fact: Fact) -> None:
        """Write one fact. Raises OSError when the recording cannot be written."""
        match fact:
            case Hello():
                self._started = self._started or fact.box_time
            case RunFound():
                folder = self.directory / fact.id.replace("/", "_").lstrip(".")
                folder.mkdir(parents=True, exist_ok=True)
                self._folders[fact.path] = folder
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

    def _take_checkpoints(self, fact: Checkpoints) -> None:
        for checkpoint in fact.files:
            key, stamp = (fact.path, checkpoint.name), (checkpoint.size, checkpoint.mtime)
            if self._checkpoints.get(key) != stamp:
                self._checkpoints[key] = stamp
                name = f"{files.WEIGHTS}/{checkpoint.name}"
                self._write(fact.path, name, checkpoint.mtime, "stat", checkpoint.size)

    def _write(self, path: str, name: str, mtime: float, op: str, value: str | int) -> None:
        folder = self._folders.get(path)
        if folder is None:
            return
        moment = max(self._last, mtime - (self._started or mtime))
        self._last = moment
        event = {"t": round(moment, 3), "file": name, "op": op}
        event["size" if op == "stat" else "data"] = value
        with (folder / "timeline.jsonl").open("a", encoding="utf-8") as out:
            out.write(json.dumps(event) + "\n")


def _text(data: bytes) -> str:
    """Bytes as JSON text that turns back into the same bytes."""
    return data.decode("utf-8", "surrogateescape")
