"""What a stop and a destroy leave of a box: plain values, from a provider or its documentation."""

from __future__ import annotations

import posixpath

import msgspec


class Terms(msgspec.Struct, frozen=True):
    """``can_stop`` is None where nobody knows.

    ``kept`` are the directories that a stop leaves as they are: ``("/",)`` is the whole disk, an
    empty tuple nothing, None unknown. ``outlives`` are the things that go on billing after a
    destroy, each in words ("network volume abc, $7.00 a month").
    """

    can_stop: bool | None = None
    kept: tuple[str, ...] | None = None
    outlives: tuple[str, ...] = ()
    stop_note: str | None = None
    destroy_note: str | None = None


DOCUMENTED = {
    "vast": Terms(
        True,
        ("/",),
        stop_note="the box can start again on the same machine only, once its GPUs are free",
        destroy_note="volumes are rented apart and bill on",
    ),
    "runpod": Terms(
        True,
        ("/workspace",),
        stop_note="all but /workspace is cleared; its GB cost twice as much while stopped",
        destroy_note="a network volume is only detached and bills on",
    ),
    "lambda": Terms(
        False,
        (),
        stop_note="Lambda has no stop: shutting down inside bills on",
        destroy_note="file systems stay and bill on until they are deleted",
    ),
}
"""As the providers' documentation had it in November 2026; what an API reports comes first."""


MEMORY = ("/dev/shm/", "/run/shm/")
"""What lies here lies in memory, and on no disk that a stop could keep."""


def survives_stop(path: str, terms: Terms) -> bool | None:
    """Return whether a path of the box is still there after a stop, None where nobody knows.

    ``path`` must be where it really lies: a link's own path tells nothing.
    """
    if terms.kept is None:
        return None
    places = [posixpath.normpath(place) for place in terms.kept]
    if any(path.startswith(place) for place in MEMORY):
        return False
    if "/" in places:
        return True
    if not path.startswith("/") or "\0" in path:
        return None if places else False
    real = "/" + posixpath.normpath(path).lstrip("/")
    return any(real == place or real.startswith(place + "/") for place in places)
