"""The follower's clock: what is due when, and waiting for the kernel, the line and the watcher."""

import os
import select
import time

from tui.links.follower.disk import moment
from tui.links.follower.followed import Guarded
from tui.links.follower.following import Follower
from tui.links.follower.runs import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tui.links.follower.changes import Changes
    from tui.links.follower.checkpoints import Checkpoints
    from tui.links.follower.gpus import Gpus
    from tui.links.follower.vitals import Vitals

SLOW_SECONDS = 5.0
"""Between two looks where the kernel tells: it misses what other machines write."""

SEARCH_PAUSE_SECONDS = 1.0
COLD_SECONDS = 10.0
CHECKPOINT_SECONDS = 5.0
SLACK_SECONDS = 0.5
"""What is due within this time is done at once, so that the box is woken up less often."""

FIRST_VITALS_SECONDS = 0.75
SETTLING_SECONDS = 0.2
LONGEST_WAIT = 5.0


class Loop:
    """Runs one follower until its watcher goes, or once; ``watcher`` is a descriptor or -1."""

    def __init__(self, follower: Follower, watcher: int) -> None:
        self.follower = follower
        self.request = follower.request
        self.output = follower.output
        self.watcher = watcher
        self.heard = time.monotonic()
        self.begun = False
        self.settled = False
        self.searched = 0.0
        self.gpus: "Gpus | None" = None
        self.vitals: "Vitals | None" = None
        self.changes: "Changes | None" = None
        self.checkpoints: "dict[bytes, Checkpoints]" = {}
        self.due: "dict[str, float]" = {}

    def run(self) -> None:
        """Follow until the watcher is gone or silent, or everything was sent once."""
        while self.step() and self.wait():
            if time.monotonic() - self.heard > self.request.silence:
                return
        self.drain()

    def step(self) -> bool:
        """Do all that is due now; False when a one-shot look is complete."""
        if not self.begun:
            self.begun = True
            self.follower.look_for_runs()
            self.follower.look_at_statuses()
            self.output.flush()
            self.follower.look()
            self.output.flush()
            self.begin()
        now = time.monotonic()
        self.timers(now)
        self.follower.look()
        self.settle(now)
        self.output.flush()
        return not (self.settled and self.request.once)

    def begin(self) -> None:
        """Start what takes longer, after the files were looked at once."""
        now = self.searched = time.monotonic()
        self.due = {
            "search": now + self.request.search,
            "fast": now,
            "slow": now + SLOW_SECONDS,
            "cold": now + COLD_SECONDS,
            "checkpoints": now,
            "beat": now + self.request.beat,
        }
        if self.request.machine:
            self.begin_machine(now)
        if not self.request.once and self.watcher >= 0:
            from tui.links.follower.changes import Changes

            self.changes = Changes(self.follower)
        self.watch(self.follower.ordered())
        self.follow_configured_console()

    def begin_machine(self, now: float) -> None:
        """Begin asking what only this machine knows."""
        from tui.links.follower.gpus import Gpus, program
        from tui.links.follower.vitals import Vitals

        self.gpus = Gpus(program(), self.request.vitals)
        self.vitals = Vitals(self.output, self.request, self.gpus)
        self.gpus.tick(now)
        self.due["vitals"] = now if self.gpus.answered else now + FIRST_VITALS_SECONDS

    def watch(self, runs: "list[Run]") -> None:
        """Have the kernel tell of changes in these runs, where it can."""
        if self.changes is not None and self.changes.watch(runs):
            self.search_soon()
        self.due["fast"] = 0.0

    def search_soon(self) -> None:
        """A run may have appeared: search, but not more often than there is a point."""
        soon = max(time.monotonic(), self.searched + SEARCH_PAUSE_SECONDS)
        self.due["search"] = min(self.due["search"], soon)

    def timers(self, now: float) -> None:
        """Do what the clock asks for."""
        if self.gpus is not None and self.gpus.tick(now) and not self.settled:
            self.due["vitals"] = now
        due = [name for name, when in self.due.items() if when <= now]
        if due and due != ["fast"]:
            due = [name for name, when in self.due.items() if when <= now + SLACK_SECONDS]
        for name in due:
            if not self.output.full:
                self.due[name] = now + getattr(self, "on_" + name)()
        for run in self.follower.runs.values():
            with Guarded(run.status):
                if run.status.understand() and self.settled:
                    self.weights(run).check()

    def on_search(self) -> float:
        """Look for new runs."""
        self.searched = time.monotonic()
        self.due["search"] = self.searched + self.request.search
        self.watch(self.follower.look_for_runs())
        self.follow_configured_console()
        return self.due["search"] - self.searched

    def follow_configured_console(self) -> None:
        """Follow the console log that was named for the newest run, where no process tells."""
        runs = self.follower.ordered()
        path = self.request.console
        if self.request.machine or path is None or any(run.console for run in runs):
            return
        for run in runs[:1]:
            console = run.follow_console(path)
            if console is not None:
                self.follower.ask_for(run, [console])

    def on_fast(self) -> float:
        """Look at the files of busy runs of which nobody tells."""
        untold = [run for run in self.follower.runs.values() if run.hot() and not run.told]
        for run in untold:
            self.follower.ask_for(run, run.due_files())
        return self.follower.disk.look_seconds if untold else COLD_SECONDS

    def on_slow(self) -> float:
        """Look at the files of busy runs of which the kernel should have told."""
        for run in self.follower.runs.values():
            if run.told and run.hot():
                self.follower.ask_for(run, run.due_files())
        if self.changes is not None:
            self.changes.keep()
        return SLOW_SECONDS

    def on_cold(self) -> float:
        """Look at everything of all other runs."""
        for run in self.follower.runs.values():
            if not run.hot():
                self.follower.ask_for(run, run.due_files())
                with Guarded(run.status):
                    self.weights(run).check()
        return COLD_SECONDS

    def on_checkpoints(self) -> float:
        """Look at the weights of busy runs; the first time of all."""
        for run in self.follower.ordered():
            if not self.settled or run.hot():
                with Guarded(run.status):
                    self.weights(run).check()
        return CHECKPOINT_SECONDS

    def weights(self, run: Run) -> "Checkpoints":
        """Return the looker at one run's weights."""
        from tui.links.follower.checkpoints import Checkpoints

        if run.path not in self.checkpoints:
            names = self.request.names
            self.checkpoints[run.path] = Checkpoints(
                self.follower.disk, self.output, run.path, names.weights, names.checkpoint
            )
        return self.checkpoints[run.path]

    def on_vitals(self) -> float:
        """Send the live facts."""
        if self.vitals is not None:
            for run in self.vitals.send(self.follower.ordered()):
                if run.console is not None:
                    self.follower.ask_for(run, [run.console])
                    self.due["slow"] = 0.0
        return self.request.vitals

    def on_beat(self) -> float:
        """Send a sign of life."""
        self.output.send(b"h", moment(time.time()))
        return self.request.beat

    def settle(self, now: float) -> None:
        """Say once that everything was sent."""
        if self.settled or self.output.full:
            return
        if self.gpus is not None and (not self.gpus.answered or self.due["vitals"] <= now):
            return
        soon = now + SETTLING_SECONDS
        agenda = self.follower.agenda.items()
        if any(when < soon and not one.caught_up for one, (when, _) in agenda):
            return
        self.settled = True
        self.output.send(b"S", moment(time.time()))

    def pause(self) -> float:
        """Return how long nothing is due."""
        now = time.monotonic()
        times = list(self.due.values())
        times.extend(when for when, _ in self.follower.agenda.values())
        pause = min(times) - now if times else LONGEST_WAIT
        if self.gpus is not None:
            pause = min(pause, self.gpus.wait(now))
        if self.changes is not None:
            pause = min(pause, self.changes.wait(now))
        return min(max(pause, 0.0), LONGEST_WAIT)

    def wait(self) -> bool:
        """Wait until something is due or happens; False when the watcher is gone."""
        poller = select.poll()
        if self.watcher >= 0:
            poller.register(self.watcher, select.POLLIN)
        if self.output.descriptor >= 0 and self.output.pending:
            poller.register(self.output.descriptor, select.POLLOUT)
        if self.gpus is not None and self.gpus.descriptor >= 0:
            poller.register(self.gpus.descriptor, select.POLLIN)
        if self.changes is not None and self.changes.descriptor() >= 0:
            poller.register(self.changes.descriptor(), select.POLLIN)
        pause = LONGEST_WAIT if self.output.full else self.pause()
        ready = {descriptor for descriptor, _ in poller.poll(int(pause * 1000 + 0.999))}
        changed = self.changes is not None and self.changes.descriptor() in ready
        if self.changes is not None and changed and self.changes.take():
            self.search_soon()
        return self.watcher not in ready or self.hear()

    def hear(self) -> bool:
        """Take a ping; False when the watcher has hung up."""
        try:
            data = os.read(self.watcher, 4096)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.heard = time.monotonic()
        return bool(data)

    def drain(self) -> None:
        """Write what is left, as long as the other side takes it."""
        deadline = time.monotonic() + self.request.silence
        poller = select.poll()
        if self.output.pending:
            poller.register(self.output.descriptor, select.POLLOUT)
        while self.output.pending and time.monotonic() < deadline:
            poller.poll(1000)
            self.output.flush()

    def close(self) -> None:
        """Leave no process and no handle behind."""
        if self.gpus is not None:
            self.gpus.close()
        if self.changes is not None:
            self.changes.close()
        for run in self.follower.runs.values():
            run.close()
