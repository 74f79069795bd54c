"""Finding run directories below the roots, cheaply enough to do it again and again."""

import errno
import os
import time

from tui.links.follower.disk import Info, LocalDisk

MAX_ENTRIES = 5000
"""A directory with more entries is data: it is not read to its end."""

MAX_DIRECTORIES = 5000
"""No search looks into more directories."""

MAX_RUNS = 1000
"""Runs beyond this many are left alone, the oldest first."""

FRESH_SECONDS = 2.0
"""A listing is kept only when the directory has not been changed for so long before it was read."""


class Found:
    """A run directory: ``path`` below ``root``; ``name`` is what people call it."""

    def __init__(self, path: bytes, root: bytes) -> None:
        self.path = path
        self.root = root
        self.name = os.path.relpath(path, root) if path != root else os.path.basename(path)
        if self.name.split(b"/")[0] == b"..":
            self.name = os.path.basename(path)


class Listing:
    """What matters of one directory."""

    def __init__(self, modified: int, marked: bool, below: "list[bytes]", kept: bool) -> None:
        self.modified = modified
        self.marked = marked
        self.below = below
        self.kept = kept


class Search:
    """Looks for directories that hold one of the markers."""

    def __init__(
        self,
        disk: LocalDisk,
        roots: "list[bytes]",
        markers: "list[bytes]",
        pruned: "list[bytes]",
        depth: int,
    ) -> None:
        self.disk = disk
        self.markers = markers
        self.pruned = frozenset(pruned)
        self.depth = depth
        self.listings: "dict[bytes, Listing]" = {}
        self.troubles: "dict[bytes, str]" = {}
        self.roots = [self.absolute(root) for root in roots]

    def absolute(self, root: bytes) -> bytes:
        """Return a root's full path: ``~`` is the home directory, links stay as they are."""
        if root == b"~" or root.startswith(b"~/"):
            root = self.disk.home() + root[1:]
        return os.path.normpath(os.path.join(self.disk.home(), root)).replace(b"//", b"/")

    def directories(self) -> "list[bytes]":
        """Return all directories that were looked into by the last search."""
        return list(self.listings)

    def find(self, only: "bytes | None") -> "list[Found]":
        """Return all runs below the roots, each once, however many ways lead to it."""
        if only is not None:
            return self.single(only)
        found = []
        identities = set()
        visited: "set[bytes]" = set()
        for root in self.roots:
            for path in self.walk(root, visited):
                try:
                    identity = self.disk.info(path).identity()
                except OSError:
                    continue
                if identity[1] == 0 or identity not in identities:
                    identities.add(identity)
                    found.append(Found(path, root))
        for path in set(self.listings) - visited:
            del self.listings[path]
        return found

    def single(self, only: bytes) -> "list[Found]":
        """Return the one run that was asked for, by its path or by its name below a root."""
        for root in self.roots:
            path = os.path.normpath(os.path.join(root, only))
            if self.marked(path):
                inside = path == root or path.startswith(os.path.join(root, b""))
                return [Found(path, root if inside else os.path.dirname(path))]
            if os.path.basename(root) == only and self.marked(root):
                return [Found(root, root)]
        return []

    def walk(self, root: bytes, visited: "set[bytes]") -> "list[bytes]":
        """Return the run directories below one root, level by level."""
        found = []
        level = [root]
        for depth in range(self.depth + 1):
            below: "list[bytes]" = []
            for path in level:
                if path in visited or len(visited) >= MAX_DIRECTORIES:
                    continue
                listing = self.listing(path, depth < self.depth)
                if listing is None:
                    continue
                visited.add(path)
                if listing.marked:
                    found.append(path)
                below.extend(os.path.join(path, name) for name in listing.below)
            level = below
        return found

    def listing(self, path: bytes, deeper: bool) -> "Listing | None":
        """Return what a directory holds, from memory while its change time stands still."""
        try:
            modified = self.disk.info(path).modified
            known = self.listings.get(path)
            if known is not None and known.kept and known.modified == modified:
                return known
            kept = modified < (time.time() - FRESH_SECONDS) * 1e9
            self.listings[path] = Listing(modified, *self.read(path, deeper), kept=kept)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                self.troubles.setdefault(path, error.strerror or "cannot be read")
            return None
        self.troubles.pop(path, None)
        return self.listings[path]

    def read(self, path: bytes, deeper: bool) -> "tuple[bool, list[bytes]]":
        """Read a directory: whether it is a run, and which directories to search below it."""
        directories, others, whole = self.disk.listing(path, MAX_ENTRIES)
        listed = any(marker in others or marker in directories for marker in self.markers)
        marked = listed if whole else self.marked(path)
        if not deeper or not whole:
            return marked, []
        return marked, [name for name in directories if name not in self.pruned]

    def marked(self, path: bytes) -> bool:
        """Whether a directory holds one of the markers, asked by name."""
        return self.newest(path) is not None

    def newest(self, path: bytes) -> "int | None":
        """Return when the newest marker of a directory changed, None where there is none.

        The name alone makes a run: what stands there instead of a file is told as its trouble.
        """
        newest: "int | None" = None
        for marker in self.markers:
            info = self.info(os.path.join(path, marker))
            if info is not None:
                newest = max(newest or 0, info.modified)
        return newest

    def info(self, path: bytes) -> "Info | None":
        """Return what is at a path, None where nothing can be seen."""
        try:
            return self.disk.info(path)
        except OSError:
            return None
