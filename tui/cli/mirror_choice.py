"""Which mirror, and which run in it, a person means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tui.errors import UserError, closest
from tui.runs.mirrors import BoxMirror
from tui.runs.naming import distinct_ids, meant
from tui.text import said


def find_mirror(mirrors: Sequence[BoxMirror], what: str) -> tuple[BoxMirror, str | None]:
    """Return the mirror that ``BOX`` or ``BOX/RUN`` means, and the path of the run.

    Raises UserError where there is none, and where it may be several.
    """
    matches = [
        (-len(name), rank, mirror)
        for mirror in mirrors
        for rank, name in enumerate(_spellings(mirror))
        if what == name or what.startswith(f"{name}/")
    ]
    if not matches:
        raise _never_mirrored(mirrors, what)
    best = min((length, rank) for length, rank, _ in matches)
    found = [mirror for length, rank, mirror in matches if (length, rank) == best]
    if len(found) > 1:
        names = ", ".join(said(mirror.meta.name) for mirror in found)
        raise UserError(f"{said(what)!r} may be several boxes", f"name one: {names}")
    run = what[-best[0] :].removeprefix("/")
    return found[0], _run_path(found[0], run) if run else None


def mirror_ids(mirror: BoxMirror) -> dict[str, str]:
    """Return the name of each run of a mirror by its path on the box."""
    return distinct_ids((run.meta.path, run.meta.id) for run in mirror.runs())


def _spellings(mirror: BoxMirror) -> Iterator[str]:
    """Yield what a mirror may be called: by its name, and of an address by its parts alone."""
    name = mirror.meta.name
    yield name
    if name.startswith("ssh://"):
        address = name.removeprefix("ssh://")
        yield address
        yield address.rpartition("@")[2]


def _run_path(mirror: BoxMirror, run: str) -> str:
    ids = mirror_ids(mirror)
    paths = meant(run, ids)
    if len(paths) == 1:
        return paths[0]
    name = said(mirror.meta.name)
    if paths:
        raise UserError(
            f"the mirror of {name} has {len(paths)} runs {said(run)!r}",
            f"name one: {_listed(name, {path: ids[path] for path in paths})}",
        )
    near = closest(run, list(ids.values()))
    guess = f"did you mean {name}/{said(near)}? " if near else ""
    raise UserError(
        f"the mirror of {name} has no run {said(run)!r}", f"{guess}it has {_listed('', ids)}"
    )


def _listed(box: str, ids: Mapping[str, str]) -> str:
    prefix = f"{box}/" if box else ""
    return ", ".join(f"{prefix}{said(own, 60)}" for own in ids.values()) or "none"


def _never_mirrored(mirrors: Sequence[BoxMirror], what: str) -> UserError:
    near = closest(what, [mirror.meta.name for mirror in mirrors])
    guess = f"did you mean {said(near)}? " if near else ""
    return UserError(
        f"no box {said(what)!r} was ever mirrored", f"{guess}boxtop open lists what was"
    )
