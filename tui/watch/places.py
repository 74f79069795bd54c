"""Which mirrored runs belong to a target: those below its roots, and nothing else of the box."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from tui.facts import RunFound
from tui.runs.mirror import RunMeta

_HOMES = r"(?:/root|/home/[^/]+|/Users/[^/]+)"
"""Where a home is on a box that never told; what lies elsewhere is then not believed to be one."""


def placed(meta: RunMeta, roots: Sequence[str], places: Mapping[str, str]) -> RunFound | None:
    """Return a mirrored run as a search of these roots would find it, None when none would.

    ``places`` says where roots that begin with ``~`` are. Without roots every run is wanted.
    """
    if not roots:
        return RunFound(meta.path, meta.id, meta.root)
    for root in roots:
        for place in _candidates(root, meta.path, places):
            if meta.path == place:
                return RunFound(meta.path, posixpath.basename(place), place)
            if meta.path.startswith(place.rstrip("/") + "/"):
                return RunFound(meta.path, posixpath.relpath(meta.path, place), place)
    return None


def told_places(roots: Sequence[str], searched: Sequence[str]) -> dict[str, str]:
    """Return where the roots that hang on the login's home are, from what a box searched."""
    if len(roots) != len(searched):
        return {}
    pairs = zip(roots, searched, strict=True)
    return {root: place for root, place in pairs if root.startswith("~") and place[:1] == "/"}


def _candidates(root: str, path: str, places: Mapping[str, str]) -> Iterator[str]:
    if not root.startswith("~"):
        yield posixpath.normpath(root)
    elif root in places:
        yield places[root]
    elif (
        found := re.match(_HOMES + re.escape(root[1:].rstrip("/")) + r"(?=/|$)", path)
    ) is not None:
        yield found[0]
