"""Plays a recorded run into a directory in real (scaled) time, written as LibreYOLO writes."""

from __future__ import annotations

import math
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tui.demo.gpus import Gpus, Phase
from tui.demo.recorded import Event, Recording
from tui.demo.retime import Invocation, Timing
from tui.demo.run_directory import RunDirectory
from tui.demo.standin import INTERRUPTED, StandIn
from tui.runs import files

BREAK_SECONDS = 40.0
"""How long before now a resumed run's earlier epochs ended."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Where runs are played: a box's home, what its processes see, and its GPUs."""

    home: Path
    environment: Mapping[str, str]
    gpus: Gpus

    def console(self, name: str) -> Path:
        """The console log of a run, outside of its directory as ``nohup … >`` leaves it."""
        return self.home / f"{name}.log"

    def directory(self, name: str) -> Path:
        """A run's directory."""
        return self.home / "runs" / name


class Playback:
    """One run being written: ``prepare`` makes it visible at once, ``play`` carries it on.

    ``done`` is the number of epochs it has behind it then: 0, or at least 2.
    """

    def __init__(
        self,
        recording: Recording,
        stage: Stage,
        name: str,
        *,
        done: int = 0,
        speed: float = 1.0,
        console: str = "train",
    ) -> None:
        self._recording = recording
        self._stage = stage
        self._done = done
        self._speed = speed
        self._sizes = recording.sizes()
        self._written = 0.0
        self._last_status = ""
        self._unfinished: set[str] = set()
        self._directory = RunDirectory(stage.directory(name), stage.console(console))
        self._invocation: Invocation
        self.stand_in: StandIn | None = None

    def prepare(self, now: float) -> None:
        """Write what is there at once: a training with ``done`` epochs, or one that just began.

        A process cannot be older than it is, so epochs that lie behind were another process's: the
        training stands as one that was resumed, and of ``done`` epochs the last is its own.
        """
        recording = self._recording
        earlier = first = 0.0
        if self._done:
            earlier, first = (recording.end_of_epoch(self._done - back) for back in (1, 0))
            self._write_past(recording.between(-1.0, earlier), now - BREAK_SECONDS)
        self.stand_in = self._start_process()
        started_at = now - (first - earlier) / self._speed
        self._invocation = self._begin(
            self.stand_in.pid, started_at, max(self._done, 1), self._speed
        )
        self._directory.write(files.CONFIG, self._invocation.config(recording.config))
        for event in recording.between(-1.0, recording.first_status):
            self._write(event, started_at)
        for event in recording.between(earlier, first):
            self._write(event, now)
        self._written = first or recording.first_status

    def play(self, stop: threading.Event) -> bool:
        """Write the rest in its own time; returns whether the training ended by itself."""
        assert self.stand_in is not None
        timing = Timing(self._written, time.time(), self._speed)
        for event in self._recording.between(self._written, math.inf):
            if stop.wait(max(0.0, timing.at(event.t) - time.time())):
                return False
            code = self.stand_in.ended()
            if code is not None:
                self._killed(code)
                return False
            self._write(event, time.time())
        return True

    def write_ended(self, ended_at: float) -> None:
        """Write the whole run as it was left by a training that ended at ``ended_at``."""
        self._write_past(self._recording.events, ended_at)

    def end(self) -> None:
        """Let go of the stand-in."""
        if self.stand_in is not None and self.stand_in.ended() is None:
            self.stand_in.end()
        self._stage.gpus.show("idle")

    def _start_process(self) -> StandIn:
        project, name = self._directory.path.parent, self._directory.path.name
        resume = ["resume=true"] if self._done > 1 else []
        return StandIn(
            self._stage.home,
            [*self._recording.arguments, f"project={project}", f"name={name}", *resume],
            self._directory.console,
            self._stage.environment,
        )

    def _begin(self, pid: int, started_at: float, start_epoch: int, speed: float) -> Invocation:
        return Invocation(
            self._recording.recorded_path,
            str(self._directory.path),
            pid,
            started_at,
            start_epoch,
            speed,
        )

    def _write_past(self, events: Iterable[Event], ended_at: float) -> None:
        """Write events that are over; every file gets the time of its last change."""
        events = list(events)
        timing = Timing(events[-1].t, ended_at)
        started_at = timing.at(self._recording.first_status)
        self._invocation = self._begin(_ended_pid(), started_at, 1, 1.0)
        self._directory.write(files.CONFIG, self._invocation.config(self._recording.config))
        changed = {files.CONFIG: started_at}
        for event in events:
            if event.op != "exit":
                self._write(event, timing.at(event.t))
                changed[event.file] = timing.at(event.t)
        for name, moment in changed.items():
            self._directory.date(name, moment)

    def _write(self, event: Event, now: float) -> None:
        match event.op:
            case "exit":
                if self.stand_in is not None:
                    self.stand_in.end(event.code)
                self._stage.gpus.show("idle")
            case "stat":
                self._checkpoint(event)
            case "append" if event.file == files.METRICS:
                self._directory.append(event.file, self._invocation.metrics(event.data))
            case "append":
                self._directory.append(event.file, self._invocation.log(event.data, now))
                self._show("validate" if "Running validation" in event.data else "train")
            case "replace":
                self._status(event, now)

    def _checkpoint(self, event: Event) -> None:
        complete = self._sizes[event.file]
        self._directory.checkpoint(event.file, event.size, complete)
        if event.size < complete:
            self._unfinished.add(event.file)
            self._show("save")
        else:
            self._unfinished.discard(event.file)

    def _status(self, event: Event, now: float) -> None:
        # The recorder may have seen a checkpoint's end just after the status that follows it.
        for name in sorted(self._unfinished):
            self._directory.checkpoint(name, self._sizes[name], self._sizes[name])
        self._unfinished.clear()
        self._last_status = event.data
        self._directory.replace(files.STATUS, self._invocation.status(event.data, now))
        self._show("train")

    def _show(self, phase: Phase) -> None:
        if self.stand_in is not None:
            self._stage.gpus.show(phase)

    def _killed(self, code: int) -> None:
        """Somebody ended the stand-in: only after Ctrl-C LibreYOLO still writes a status."""
        self._stage.gpus.show("idle")
        if code == INTERRUPTED:
            now = time.time()
            epoch = len((self._directory.path / files.METRICS).read_bytes().splitlines()) + 1
            status = self._invocation.interrupted(self._last_status, epoch, now)
            self._directory.replace(files.STATUS, status)


def _ended_pid() -> int:
    """The number of a process that was and is no more."""
    with subprocess.Popen(["/bin/sh", "-c", ":"]) as process:
        return process.pid
