"""One run directory as it is followed: its files in the order that matters, and its process."""

import os
import time

from tui.links.follower.appended import Appended
from tui.links.follower.disk import LocalDisk
from tui.links.follower.followed import Followed, Replaced
from tui.links.follower.request import Request
from tui.links.follower.search import Found
from tui.links.follower.tailed import Tailed
from tui.links.follower.wire import Memory

HOT_SECONDS = 900
"""A run that changed within this time, or whose process lives, is looked at often."""


LONGEST_PACE = 1e9
"""No epoch takes longer, in seconds: a larger number, of any length, is nonsense."""


class Status(Replaced):
    """status.json: the pid and the times that other facts hang on are taken from it.

    It is understood only when somebody asks, after it was sent; ``fresh`` until then.
    """

    def __init__(
        self, disk: LocalDisk, output: Memory, run: bytes, name: bytes, limit: int
    ) -> None:
        Replaced.__init__(self, disk, output, run, name, limit)
        self.data = b""
        self.fresh = False
        self.pid = 0
        self.running = False
        self.started = 0.0
        self.pace = 0.0

    def taken(self, data: bytes) -> None:
        """Keep a content that was sent."""
        self.data = data
        self.fresh = True

    def understand(self) -> bool:
        """Read what the follower itself needs; True when there was something new to read."""
        if not self.fresh:
            return False
        self.fresh = False
        from tui.links.follower.status_text import parsed, parsed_number, parsed_time

        values = parsed(self.data)
        pid = parsed_number(values.get("pid"))
        self.pid = int(pid) if 1 < pid < 1 << 22 and pid == int(pid) else 0
        self.running = str(values.get("state")).strip().lower() == "running"
        self.started = parsed_time(values.get("started_at"))
        pace = parsed_number(values.get("mean_epoch_seconds"))
        self.pace = pace if 0 < pace < LONGEST_PACE else 0.0
        return True


class Run:
    """All that is followed of one run; ``order`` is its place among the runs, newest first."""

    def __init__(
        self, disk: LocalDisk, output: Memory, request: Request, found: Found, order: int
    ) -> None:
        self.disk = disk
        self.output = output
        self.request = request
        self.path = found.path
        self.root = found.root
        self.order = order
        self.misses = 0
        self.alive = False
        self.told = False
        self.device = 0
        self.directory_changed = 0
        self.sent: "list[tuple[bytes, bytes]]" = []
        self.status = Status(disk, output, found.path, request.names.status, request.replaced_limit)
        self.console: "Tailed | None" = None
        self.files: "list[Followed]" = self.all_files()
        if found.path in request.known:
            for followed in self.files:
                followed.known = True

    def all_files(self) -> "list[Followed]":
        """Return the run's files: status, metrics, results, what else is replaced, logs."""
        names = self.request.names
        files: "list[Followed]" = [self.status]
        files += [self.appended(name) for name in names.appended if name not in names.tailed]
        files += [
            Replaced(self.disk, self.output, self.path, name, self.request.replaced_limit)
            for name in names.replaced
            if name != names.status
        ]
        files += [self.tailed(name) for name in names.appended if name in names.tailed]
        if not self.request.machine and self.request.console is None:
            files.append(self.tailed(names.console))
        return files

    def appended(self, name: bytes) -> Appended:
        """Return a growing file of this run."""
        token = self.request.tokens.get((self.path, name))
        return Appended(self.disk, self.output, self.path, name, token)

    def tailed(self, name: bytes) -> Tailed:
        """Return a log of this run."""
        token = self.request.tokens.get((self.path, name))
        return Tailed(self.disk, self.output, self.path, name, token, self.request.tail)

    def rank(self, followed: Followed) -> "tuple[int, int]":
        """Return a file's place in the order of sending: by kind first, then by run."""
        place = self.files.index(followed) if followed in self.files else len(self.files)
        return (place, self.order)

    def follow_console(self, path: bytes) -> "Tailed | None":
        """Follow this console log; None when it is followed already."""
        if self.console is not None:
            if self.console.path == path:
                return None
            self.console.release()
            self.files.remove(self.console)
        self.console = self.tailed(self.request.names.console)
        self.console.path = path
        self.files.append(self.console)
        return self.console

    def newest(self) -> float:
        """Return when the newest of the run's own files changed."""
        own = [followed.modified for followed in self.files if followed is not self.console]
        return max(own) / 1e9

    def hot(self) -> bool:
        """Whether the run may change at any time."""
        newest = max(followed.modified for followed in self.files) / 1e9
        return self.alive or newest > time.time() - HOT_SECONDS

    def due_files(self) -> "list[Followed]":
        """Return the files to look at: all when the directory changed, else those that exist."""
        try:
            changed = self.disk.info(self.path).modified
        except OSError:
            changed = 0
        if changed != self.directory_changed:
            self.directory_changed = changed
            return self.files
        return [one for one in self.files if one.modified or one.trouble]

    def close(self) -> None:
        """Give up all handles."""
        for followed in self.files:
            followed.release()


def folders_beside(run: Run) -> "list[bytes]":
    """Return where the console log of a run may lie when no process tells."""
    folders = [run.path, run.root, os.path.dirname(run.root)]
    if run.root == run.path:
        folders.append(os.path.dirname(folders[2]))
    return list(dict.fromkeys(folders))
