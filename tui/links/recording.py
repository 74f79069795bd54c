"""Plays a recording of a run, ``timeline.jsonl``, as a link.

One event a line: ``t`` seconds since the start; ``file`` a run's file or a path below ``weights/``;
``op`` is ``replace`` (whole new content in ``data``), ``append`` (``data`` added), ``stat`` (a
checkpoint was written, ``size``) or ``exit`` (``code`` of the process).
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from tui.boxes import RecordingTarget
from tui.facts import (
    Beat,
    Checkpoints,
    CheckpointStat,
    Fact,
    FileBegins,
    FileBytes,
    FileWhole,
    Hello,
    Notice,
    Process,
    RunFound,
    RunVitals,
    Settled,
    Stat,
    Vitals,
)
from tui.links.base import HEARTBEAT_SECONDS, FollowRequest
from tui.links.recorded_events import read_events
from tui.runs import files
from tui.runs.words import clock_text, count_text

_HEAD_BYTES = 256


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


@dataclass
class _Player:
    """The state of a replayed run directory, as facts need it."""

    path: str
    started: float
    sizes: dict[str, int] = field(default_factory=dict)
    checkpoints: dict[str, CheckpointStat] = field(default_factory=dict)
    pid: int | None = None

    def facts(self, event: dict[str, Any]) -> Iterator[Fact]:
        name, at = str(event["file"]), self.started + float(event["t"])
        match event["op"]:
            case "replace" if name in files.APPENDED or name == files.CONSOLE:
                self.sizes.pop(name, None)
                yield from self._append(name, _bytes(event["data"]), at)
            case "replace":
                data = _bytes(event["data"])
                self.pid = _pid(data) if name == files.STATUS else self.pid
                yield FileWhole(self.path, name, data, Stat(len(data), at))
            case "append":
                yield from self._append(name, _bytes(event["data"]), at)
            case "stat":
                short = name.removeprefix(f"{files.WEIGHTS}/")
                self.checkpoints[short] = CheckpointStat(short, int(event["size"]), at)
                yield Checkpoints(self.path, tuple(self.checkpoints.values()))
            case "exit":
                yield from self._exit(event.get("code"), at)

    def _exit(self, code: object, at: float) -> Iterator[Fact]:
        """Tell that the process is gone: a status that says running was written before."""
        told = f" with exit code {code}" if isinstance(code, int) else ""
        yield Notice(f"the recorded process ended{told}")
        if self.pid is not None:
            gone = RunVitals(self.path, Process(self.pid, "gone"))
            yield Vitals(at, (gone,))

    def _append(self, name: str, data: bytes, at: float) -> Iterator[Fact]:
        offset = self.sizes.get(name)
        stat = Stat((offset or 0) + len(data), at, inode=1)
        if offset is None:
            head = data[:_HEAD_BYTES]
            digest = hashlib.sha256(head).hexdigest()
            yield FileBegins(self.path, name, 0, digest, len(head), stat)
            offset = 0
        self.sizes[name] = offset + len(data)
        yield FileBytes(self.path, name, offset, data, stat)


class RecordingLink:
    """Plays a recording as if it happened now on a box whose clock is the recording's."""

    def __init__(self, target: RecordingTarget) -> None:
        self.target = target
        self._closed = threading.Event()

    def open(self, request: FollowRequest) -> Iterator[Fact]:
        """Yield the recorded facts at their times; ``once`` yields all of them at once."""
        self._closed.clear()
        events, bad_lines = read_events(self.target.path)
        started = _start_of(events)
        length = float(events[-1]["t"])
        run = _run_name(self.target.path)
        speed = 0.0 if request.once else self.target.speed
        player = _Player(str(self.target.path.parent), started)
        yield Hello("recording", started, searched=(str(self.target.path),))
        yield RunFound(player.path, run, str(self.target.path.parent.parent))
        if bad_lines:
            yield Notice(f"{count_text(bad_lines, 'line')} of the recording cannot be read")
        if speed:
            times = "" if speed == 1 else f", {speed:g} times as fast as it happened"
            yield Notice(f"a recording of {clock_text(length)} plays{times}")
        begun = time.monotonic()
        for event in events:
            yield from self._wait(begun, float(event["t"]), speed, started)
            if self._closed.is_set():
                return
            yield from player.facts(event)
        end = started + length
        if speed:
            yield Notice("the recording is over")
        yield Beat(end)
        yield Settled(end)
        if not request.once:
            yield from self._wait(begun, float("inf"), speed or 1.0, started)

    def close(self) -> None:
        """End the replay."""
        self._closed.set()

    def _wait(self, begun: float, until: float, speed: float, started: float) -> Iterator[Fact]:
        """Beat with the recording's clock until a moment of the recording has come."""
        while speed > 0 and not self._closed.is_set():
            passed = (time.monotonic() - begun) * speed
            if passed >= until:
                return
            yield Beat(started + passed)
            self._closed.wait(min(HEARTBEAT_SECONDS, (until - passed) / speed))


def _start_of(events: list[dict[str, Any]]) -> float:
    """The box's clock at t = 0: the first status says when it was written."""
    for event in events:
        if event["file"] == files.STATUS and event["op"] == "replace":
            try:
                at = datetime.fromisoformat(json.loads(event["data"])["updated_at"])
            except (ValueError, KeyError, TypeError):
                continue
            return at.timestamp() - float(event["t"])
    return 0.0


def _pid(status: bytes) -> int | None:
    try:
        pid = json.loads(status)["pid"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return pid if isinstance(pid, int) and pid > 0 else None


def _run_name(path: Path) -> str:
    return path.parent.name if path.name == "timeline.jsonl" else path.stem
