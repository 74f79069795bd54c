"""The program that tells where trainings' weights lie on the box, before it is stopped for good.

It looks wider than the watching does: also into directories that hold weights and no status, and
it tells the real place of each, for what a stop keeps is told by place.
"""

from __future__ import annotations

import errno
import hashlib
import os
import pwd
from typing import Any

from tui.onbox.disks import wide_places
from tui.onbox.elsewhere import Sweep
from tui.onbox.mounts import foreign_mounts
from tui.onbox.open_files import written_files, written_runs
from tui.onbox.places import WEIGHTS, raw, text
from tui.onbox.run_place import list_checkpoints, place_of
from tui.onbox.serving import Operation, Program, Request, serve

LOST = b"lost+found"
MAX_DIRECTORIES = 20000
MAX_ENTRIES = 50000


def main(first: bytes) -> None:
    """Answer each request with the places of weights, until nobody asks any more."""
    serve(first, Places)


class Places(Program):
    """Answers the requests of one line."""

    def operations(self) -> dict[str, Operation]:
        """Return what may be asked for."""
        return {"survey": self._survey}

    def _survey(self, request: Request) -> dict[str, Any]:
        search, written = Search(request), written_files()
        for path, *alike in search.paths():
            self._line.check()
            self._tell(place=dict(place_of(path, written), alike=[text(other) for other in alike]))
        for path, reason, hidden in search.troubles:
            self._tell(trouble={"path": text(path), "reason": reason, "root": hidden})
        for place in search.partly:
            self._tell(partly=text(place))
        for place in search.wide:
            self._tell(searched=text(place))
        return machine()


class Search:
    """Directories of runs: those that are named, and all that can be found below the roots.

    ``earlier`` are directories that may be one, ``elsewhere`` places that are searched as far as
    time allows, and ``widely`` asks for the other disks of the box after these: ``wide`` names
    them. Where ``asker`` is this very machine, what else lies on it is none of its business.
    """

    def __init__(self, request: dict[str, Any]) -> None:
        self._runs = [raw(path) for path in request["runs"]]
        self._roots = [_absolute(raw(path)) for path in request["roots"]]
        self._earlier = [raw(path) for path in request.get("earlier", [])]
        self._elsewhere = [_absolute(raw(path)) for path in request.get("elsewhere", [])]
        self._widely = request.get("widely") is True and not is_sign(request.get("asker"))
        self._pruned = frozenset(raw(name) for name in request["pruned"])
        self._markers = frozenset(raw(name) for name in request["markers"])
        self._depth = int(request["depth"])
        self._looked = 0
        self._visited: set[tuple[int, int]] = set()
        self.troubles: list[tuple[bytes, str, bool]] = []
        self.partly: list[bytes] = []
        self.wide: list[bytes] = []

    def paths(self) -> list[list[bytes]]:
        """Return the directories, each with all ways that lead to it; the named ones first."""
        found = list(self._runs)
        for root in self._roots:
            found += self._below(root)
        found += [path for path in self._earlier if self._is_run(path, self._directories(path))]
        found += self._far()
        paths: dict[Any, list[bytes]] = {}
        for path in found:
            try:
                info = os.stat(path)
                key: Any = (info.st_dev, info.st_ino)
            except OSError:
                key = path
            ways = paths.setdefault(key, [])
            if path not in ways:
                ways.append(path)
        return list(paths.values())

    def _far(self) -> list[bytes]:
        sweep = Sweep(self._markers, self._pruned)
        found = [path for place in self._elsewhere for path in sweep.below(place)]
        if self._widely:
            self.wide = [place for place in wide_places() if place not in self._elsewhere]
            sweep.leave_out(foreign_mounts())
            found += sweep.below(*self.wide)
            found += written_runs()
        self.partly = sweep.partly
        return found

    def _below(self, root: bytes) -> list[bytes]:
        found, level = [], [root]
        for depth in range(self._depth + 1):
            deeper: list[bytes] = []
            for path in level:
                names = self._directories(path, path == root)
                if self._is_run(path, names):
                    found.append(path)
                deeper += [os.path.join(path, name) for name in names if name not in self._pruned]
            level = deeper if depth < self._depth else []
        return found

    def _directories(self, path: bytes, asked: bool = False) -> list[bytes]:
        """Return the names of the directories in one; what cannot be read is a trouble."""
        try:
            info = os.stat(path)
            if (info.st_dev, info.st_ino) in self._visited:
                return []
            self._visited.add((info.st_dev, info.st_ino))
            self._looked += 1
            if self._looked > MAX_DIRECTORIES:
                if self._looked == MAX_DIRECTORIES + 1:
                    self.troubles.append((path, "too many directories", False))
                return []
            with os.scandir(path) as entries:
                found = []
                for count, entry in enumerate(entries):
                    if count > MAX_ENTRIES:
                        self.troubles.append((path, "too many entries", False))
                        break
                    if self._is_directory(entry):
                        found.append(entry.name)
            return found
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            if os.path.basename(path) == LOST:
                return []
            hidden = asked and isinstance(error, PermissionError)
            self.troubles.append((path, error.strerror or "cannot be read", hidden))
            return []

    def _is_directory(self, entry: os.DirEntry[bytes]) -> bool:
        """Whether an entry is searched; a link into a place that broke is a trouble."""
        try:
            return entry.is_dir()
        except OSError as error:
            if error.errno != errno.ELOOP:  # a link in a circle leads to nothing
                reason = error.strerror or "cannot be followed"
                self.troubles.append((entry.path, reason, False))
            return False

    def _is_run(self, path: bytes, names: list[bytes]) -> bool:
        if any(os.path.lexists(os.path.join(path, marker)) for marker in self._markers):
            return True
        if WEIGHTS not in names:
            return False
        files, reason = list_checkpoints(os.path.join(path, WEIGHTS))
        return bool(files) or reason is not None


def machine() -> dict[str, str]:
    """Return what tells one machine and container from another, empty where nothing does."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read(100).strip()
        return {"boot": boot, "processes": os.readlink("/proc/self/ns/pid")}
    except (OSError, ValueError):
        return {"boot": "", "processes": ""}


def sign(told: dict[str, str]) -> str:
    """Return what tells a machine or a container again to who knows it, and nothing to others.

    It is empty where nothing tells it.
    """
    words = f"{told['boot']} {told['processes']}"
    return hashlib.sha256(words.encode()).hexdigest() if told["boot"] else ""


def is_sign(asker: object) -> bool:
    """Whether a sign is that of this very machine or container."""
    own = sign(machine())
    return bool(own) and asker == own


def _absolute(root: bytes) -> bytes:
    """Return a root's full path; ``~`` is the home directory of who is logged in."""
    if root == b"~" or root.startswith(b"~/"):
        home = os.environb.get(b"HOME") or raw(pwd.getpwuid(os.getuid()).pw_dir)
        root = home + root[1:]
    return os.path.normpath(root)
