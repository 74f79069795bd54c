"""What the runs of a box are called, and which of them a name means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping


def distinct_ids(runs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return each run's name by its path, from pairs of path and path below the root.

    A run that shares its id with one below another root is called by as much of its path's end as
    tells it from every other: ``A/run1``.
    """
    ids = dict(runs)
    times = Counter(ids.values())
    ends = Counter(end for path in ids for end in _ends(path)) if len(times) < len(ids) else {}
    return {
        path: own if times[own] == 1 else _telling_end(path, own, ends, times)
        for path, own in ids.items()
    }


def meant(wanted: str, ids: Mapping[str, str]) -> list[str]:
    """Return the paths that a name means: several when it is not clear, none when nothing fits.

    A name is a run's id, its path, or the end of either. ``ids`` maps paths to ids.
    """
    bare = wanted.strip("/")
    ways = (
        [path for path, own in ids.items() if own == wanted],
        [path for path in ids if path.strip("/") == bare],
        [path for path, own in ids.items() if own.endswith(f"/{bare}")],
        [path for path in ids if path.endswith(f"/{bare}")],
    )
    return next((found for found in ways if found), [])


def _telling_end(path: str, own: str, ends: Mapping[str, int], ids: Mapping[str, int]) -> str:
    longer = (end for end in _ends(path) if len(end) > len(own))
    return next((end for end in longer if ends[end] == 1 and end not in ids), path)


def _ends(path: str) -> Iterable[str]:
    """Yield the ends of a path at its slashes, the shortest first."""
    parts = path.strip("/").split("/")
    return ("/".join(parts[-count:]) for count in range(1, len(parts)))
