"""What lives on the box: each run's process and console log, the machine, the GPUs."""

import os
import time

from tui.links.follower import console, machine, processes
from tui.links.follower.disk import moment
from tui.links.follower.followed import Guarded
from tui.links.follower.gpus import Gpus
from tui.links.follower.request import Request
from tui.links.follower.runs import Run, folders_beside
from tui.links.follower.wire import Memory

SURVEY_SECONDS = 30.0
"""How often the whole process table is read."""

GUESSED_RUNS = 20
"""Only for so many of the newest runs is a console log guessed."""
QUIET_SECONDS = 30.0
"""What a training prints ends when its own files do: a log that ended before is another's."""

ENDED_MARGIN_SECONDS = 60.0
DEAD_MARGIN_SECONDS = 600.0


class Vitals:
    """Sends the live facts; only what changed of each run travels again."""

    def __init__(self, output: Memory, request: Request, gpus: Gpus) -> None:
        self.output = output
        self.request = request
        self.gpus = gpus
        self.trainings: "dict[bytes, processes.Training]" = {}
        self.table: "dict[int, processes.Entry]" = {}
        self.machine = machine.Machine()
        self.surveyed = 0.0
        self.tees: "dict[int, bytes | None]" = {}
        self.likely: "dict[bytes, tuple[float, bytes | None]]" = {}

    def send(self, runs: "list[Run]") -> "list[Run]":
        """Send the facts of now; return runs that follow a new console log."""
        fresh = self.survey(runs)
        alive = sum(run.alive for run in runs)
        changed: "list[Run]" = []
        for run in runs:
            if fresh or run.hot():
                with Guarded(run.status):
                    self.look_at(run)
                    if (fresh or run.console is None) and self.find_console(run, runs):
                        changed.append(run)
                    self.send_run(run)
        if fresh or sum(run.alive for run in runs) < alive:
            self.machine.refresh()
        self.send_box({run.device: run.path for run in runs})
        return changed

    def look_at(self, run: Run) -> None:
        """See whether a run's process lives."""
        training = self.trainings[run.path]
        training.look()
        if run.status.running and not training.alive:
            # It may have written its end after we read: a status must not be older than this.
            run.status.check()
        run.alive = training.alive

    def send_box(self, devices: "dict[int, bytes]") -> None:
        """Send the facts of the box, which end those of this moment."""
        for device, path in devices.items():
            space = machine.space(path)
            if space:
                self.output.send(b"v", b"disk", b"%d %s" % (device, space))
        for name, value in self.machine.facts():
            self.output.send(b"v", name, value)
        if self.gpus.text:
            self.output.send(b"v", b"gpus", self.gpus.text)
        if self.gpus.error:
            self.output.send(b"v", b"gpu_error", self.gpus.error)
        self.output.send(b"V", moment(time.time()))

    def survey(self, runs: "list[Run]") -> bool:
        """Learn which processes belong to each run; the whole table is read now and then."""
        fresh = False
        for run in runs:
            with Guarded(run.status):
                run.status.understand()
            training = self.trainings.setdefault(run.path, processes.Training())
            fresh = training.name(run.status.pid, run.status.started) or fresh
        now = time.monotonic()
        if not fresh and now - self.surveyed < SURVEY_SECONDS:
            return False
        self.surveyed = now
        self.tees = {}
        try:
            self.table = processes.table()
        except OSError:
            self.table = {}
        for run in runs:
            if run.status.pid:
                with Guarded(run.status):
                    self.trainings[run.path].survey(self.table)
        return True

    def send_run(self, run: Run) -> None:
        """Send one run's process, disk and console where any of them changed."""
        facts = self.trainings[run.path].facts()
        facts.append((b"device", b"%d" % run.device))
        if run.console is not None:
            facts.append((b"console", run.console.path))
        if facts != run.sent:
            run.sent = facts
            self.output.send(b"v", b"run", run.path)
            for name, value in facts:
                self.output.send(b"v", name, value)

    def find_console(self, run: Run, runs: "list[Run]") -> bool:
        """Look for the run's console log; True when another one than before is followed."""
        path = self.console_path(run, runs)
        if path is None or self.is_own_log(run, path):
            return False
        return run.follow_console(path) is not None

    def console_path(self, run: Run, runs: "list[Run]") -> "bytes | None":
        """Return the path of a run's console log: from its process, or by what is likely."""
        training = self.trainings[run.path]
        if training.genuine and console.readable(training.pid):
            for pid in [training.pid, *training.family]:
                path = console.output_of(pid)
                if path is not None:
                    return path
            if training.pid not in self.tees:
                self.tees[training.pid] = console.tee_of(training.pid, self.table)
            return self.tees[training.pid] or self.request.console
        if self.request.console is not None and run is runs[0]:
            return self.request.console
        if run.console is not None:
            return run.console.path
        known = self.request.consoles.get(run.path)
        return known if known is not None else self.likely_console(run, runs)

    def likely_console(self, run: Run, runs: "list[Run]") -> "bytes | None":
        """Return a log near the run that was last written while only this run was active."""
        begun, ended = run.status.started, run.newest()
        if not begun or not ended or run.order >= GUESSED_RUNS:
            return None
        looked = self.likely.get(run.path)
        if looked is None or looked[0] != ended:
            looked = (ended, self.guess(run, runs, begun, ended))
            self.likely[run.path] = looked
        return looked[1]

    def guess(self, run: Run, runs: "list[Run]", begun: float, ended: float) -> "bytes | None":
        """Return a log that was last written when the run was, by its name or the newest.

        One that a living run writes belongs to that run.
        """
        margin = ENDED_MARGIN_SECONDS
        if run.status.running:
            margin = max(DEAD_MARGIN_SECONDS, 3 * run.status.pace)
        later = [one.status.started for one in runs if one.status.started > ended]
        until = min([ended + margin, *later])
        taken = {one.console.path for one in runs if one.alive and one.console is not None}
        begun = max(begun, ended - QUIET_SECONDS)
        for path in console.beside(folders_beside(run), begun, until):
            if path not in taken and not self.is_own_log(run, path):
                return path
        return None

    def is_own_log(self, run: Run, path: bytes) -> bool:
        """Whether a path is the log that the run writes itself, which is followed anyway."""
        try:
            return os.path.samefile(path, os.path.join(run.path, self.request.names.log))
        except OSError:
            return False
