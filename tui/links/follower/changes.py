"""Turning the kernel's messages into files to look at; a slow look goes on beside it."""

import os
import time

from tui.links.follower.following import Follower
from tui.links.follower.inotify import (
    CREATE,
    DIRECTORY_MASK,
    IS_DIRECTORY,
    MODIFY,
    MOVED_TO,
    OVERFLOW,
    RUN_MASK,
    Inotify,
)
from tui.links.follower.machine import remote
from tui.links.follower.runs import Run

BURST = 20.0
READS_PER_SECOND = 25.0
"""How often the kernel's messages are read: a flood of changes is taken in lumps."""


class Changes:
    """Watches what the follower follows; without inotify it watches nothing."""

    def __init__(self, follower: Follower) -> None:
        self.follower = follower
        self.reads = BURST
        self.refilled = time.monotonic()
        self.remote: "dict[int, bool]" = {}
        self.consoles: "dict[bytes, tuple[int, int] | None]" = {}
        self.inotify: "Inotify | None" = None
        try:
            self.inotify = Inotify()
        except OSError:
            self.inotify = None

    def watch(self, runs: "list[Run]") -> bool:
        """Watch new runs, and the directories in which further ones may appear.

        True when directories are watched that were not: something may have come before that.
        """
        if self.inotify is None:
            return False
        before = len(self.inotify.masks)
        for run in runs:
            if run.device not in self.remote:
                self.remote[run.device] = remote(run.device)
            run.told = self.inotify.watch(run.path, RUN_MASK) and not self.remote[run.device]
        for path in self.follower.search.directories():
            if path not in self.follower.runs:
                self.inotify.watch(path, DIRECTORY_MASK)
        added = len(self.inotify.masks) > before
        self.keep()
        return added

    def keep(self) -> None:
        """Watch again what took the place of a directory or log that was watched."""
        if self.inotify is None:
            return
        for run in self.follower.runs.values():
            if run.told:
                self.inotify.watch(run.path, RUN_MASK)
        self.watch_consoles()

    def watch_consoles(self) -> None:
        """Watch console logs, each anew when another file took its place."""
        if self.inotify is None:
            return
        for run in self.follower.runs.values():
            console = run.console
            if console is None or console.identity is None:
                continue
            if self.consoles.get(console.path) != console.identity:
                self.inotify.forget(console.path)
                if self.inotify.watch(console.path, MODIFY):
                    self.consoles[console.path] = console.identity

    def descriptor(self) -> int:
        """Return what to poll, -1 for nothing or not now."""
        if self.inotify is None or self.allowance() < 1.0:
            return -1
        return self.inotify.descriptor

    def allowance(self) -> float:
        """Return how many reads are left."""
        now = time.monotonic()
        self.reads = min(BURST, self.reads + (now - self.refilled) * READS_PER_SECOND)
        self.refilled = now
        return self.reads

    def wait(self, now: float) -> float:
        """Return in how many seconds the messages may be read again."""
        if self.inotify is None or self.allowance() >= 1.0:
            return 3600.0
        return (1.0 - self.reads) / READS_PER_SECOND

    def take(self) -> bool:
        """Put what changed on the agenda; True when a new run may have appeared."""
        if self.inotify is None:
            return False
        self.reads -= 1.0
        appeared = False
        for path, name, mask in set(self.inotify.read()):
            run = self.follower.runs.get(path)
            if mask & OVERFLOW:
                self.look_everywhere()
            elif run is not None:
                changed = os.path.join(path, name)
                files = [one for one in run.files if one.path == changed]
                self.follower.ask_for(run, files)
            elif not name:
                self.look_at_console(path)
            if mask & (CREATE | MOVED_TO):
                marker = run is None and name in self.follower.request.names.markers
                appeared = appeared or marker or bool(mask & IS_DIRECTORY)
        return appeared

    def look_everywhere(self) -> None:
        """The kernel lost messages: anything may have changed."""
        for run in self.follower.runs.values():
            self.follower.ask_for(run, run.files)

    def look_at_console(self, path: bytes) -> None:
        """A console log changed: look at it for every run that has it."""
        for run in self.follower.runs.values():
            if run.console is not None and run.console.path == path:
                self.follower.ask_for(run, [run.console])

    def close(self) -> None:
        """Watch nothing any more."""
        if self.inotify is not None:
            self.inotify.close()
