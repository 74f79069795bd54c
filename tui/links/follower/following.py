"""All runs below the roots and all of their files: what is new, and what to look at next."""

import time

from tui.links.follower.disk import LocalDisk
from tui.links.follower.followed import Followed, Guarded
from tui.links.follower.request import Request
from tui.links.follower.runs import Run
from tui.links.follower.search import MAX_RUNS, Found, Search
from tui.links.follower.wire import Memory

MISSES = 3
"""A run is gone when so many searches in a row did not see it."""


class Follower:
    """Follows everything below the roots of one request."""

    def __init__(self, request: Request, output: Memory, disk: LocalDisk) -> None:
        self.request = request
        self.output = output
        self.disk = disk
        names = request.names
        self.search = Search(disk, request.roots, names.markers, names.pruned, request.depth)
        self.runs: "dict[bytes, Run]" = {}
        self.agenda: "dict[Followed, tuple[float, Run]]" = {}
        self.absent = dict.fromkeys(request.known, 0)
        self.left_out = False
        self.searched = False
        self.added = 0

    def look_for_runs(self) -> "list[Run]":
        """Search the roots; announce what came and what is gone for good; return the new runs."""
        found = {one.path: one for one in self.search.find(self.request.only)}
        new = [one for path, one in found.items() if path not in self.runs]
        dated = [(self.search.newest(one.path) or 0, one.path) for one in new]
        added = []
        for newest, path in sorted(dated, reverse=not self.searched):
            self.absent.pop(path, None)
            if self.room_for(newest):
                added.append(self.add(found[path]))
        self.searched = True
        for path, run in list(self.runs.items()):
            run.misses = 0 if path in found else run.misses + 1
            if run.misses >= MISSES:
                self.remove(path)
        self.miss_known()
        self.tell_troubles()
        return added

    def miss_known(self) -> None:
        """Say which runs the watching side knows that are no longer there."""
        for path in list(self.absent):
            self.absent[path] += 1
            if self.absent[path] >= MISSES:
                del self.absent[path]
                self.output.send(b"r", path)

    def room_for(self, newest: int) -> bool:
        """Whether one more run is followed; an older one makes room where there are too many."""
        if len(self.runs) < MAX_RUNS:
            return True
        if not self.left_out:
            self.left_out = True
            self.notice(b"only the newest %d runs are followed" % MAX_RUNS)
        oldest = max(self.runs.values(), key=lambda run: run.order)
        if oldest.hot() or (self.search.newest(oldest.path) or 0) >= newest:
            return False
        self.remove(oldest.path)
        return True

    def ordered(self) -> "list[Run]":
        """Return all runs, the newest first."""
        return sorted(self.runs.values(), key=lambda run: run.order)

    def add(self, found: Found) -> Run:
        """Announce a run and put all of its files on the agenda."""
        self.added += 1
        order = -self.added if self.searched else self.added
        run = Run(self.disk, self.output, self.request, found, order)
        self.runs[found.path] = run
        try:
            run.device = self.disk.info(found.path).device
        except OSError:
            run.device = 0
        self.output.send(b"R", found.path, found.name, found.root)
        self.ask_for(run, run.files)
        return run

    def remove(self, path: bytes) -> None:
        """Forget a run that was not seen for long enough."""
        run = self.runs.pop(path)
        for followed in run.files:
            self.agenda.pop(followed, None)
        run.close()
        self.output.send(b"r", path)

    def tell_troubles(self) -> None:
        """Say once of each directory that it cannot be searched."""
        for path, words in self.search.troubles.items():
            if words:
                self.notice(b"cannot search %s: %s" % (path, words.encode()))
                self.search.troubles[path] = ""

    def notice(self, text: bytes) -> None:
        """Send a line for a person."""
        self.output.send(b"N", text)

    def ask_for(self, run: Run, files: "list[Followed]", when: float = 0.0) -> None:
        """Put files on the agenda."""
        for followed in files:
            self.agenda[followed] = (when, run)

    def look(self) -> None:
        """Look at every file that is due, the most important first, while the line takes it."""
        now = time.monotonic()
        ready = [(one, run) for one, (when, run) in self.agenda.items() if when <= now]
        ready.sort(key=lambda pair: pair[1].rank(pair[0]))
        for followed, run in ready:
            if self.output.full:
                return
            again = None
            if followed in run.files:
                with Guarded(followed):
                    again = followed.check()
            if again is None:
                self.agenda.pop(followed, None)
            else:
                self.agenda[followed] = (now + again, run)

    def look_at_statuses(self) -> None:
        """Send the status of every run before anything else."""
        for run in self.ordered():
            if self.output.full:
                return
            with Guarded(run.status):
                if run.status.check() is None:
                    self.agenda.pop(run.status, None)
