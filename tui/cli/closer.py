"""Where else to look when one run was named: beside it for a newer one, and into a fresh one."""

from __future__ import annotations

import os
import posixpath
from dataclasses import replace
from pathlib import Path

from tui.boxes import Box, LocalTarget, RecordingTarget
from tui.runs.files import CONFIG, MARKERS, STATUS
from tui.runs.naming import meant
from tui.runs.order import is_live
from tui.view import BoxView

_MOST_SIBLINGS = 8


def own_id(box: Box, view: BoxView) -> str | None:
    """Return the run's id when a target is a run directory itself."""
    if isinstance(box.target, RecordingTarget):
        return None
    root = _only_root(view)
    own = [run.run.id for run in view.runs if run.run.path == root]
    return own[0] if own else None


def meant_paths(view: BoxView, wanted: str) -> list[str]:
    """Return the paths of the runs that a name may mean."""
    return meant(wanted, {run.run.path: run.run.id for run in view.runs})


def closer_box(box: Box, view: BoxView) -> Box | None:
    """Return what to look at once more: a run that has but begun, or what is beside a named one.

    LibreYOLO writes the configuration before the first status, so a directory that holds nothing
    else is a run when it is named, and no run when it is merely found.
    """
    if view.link.state != "live" or isinstance(box.target, RecordingTarget):
        return None
    if box.run is not None:
        return None if meant_paths(view, box.run) else named_box(box, box.run)
    root = _only_root(view)
    if root is None:
        return None
    if not view.runs:
        fresh = not isinstance(box.target, LocalTarget) or (box.target.path / CONFIG).is_file()
        return replace(box, only=root) if fresh else None
    own = [run.run for run in view.runs if run.run.path == root]
    if not own or is_live(own[0]) or isinstance(box.target, LocalTarget):
        return None
    return replace(box, roots=(posixpath.dirname(root),))


def named_box(box: Box, run: str) -> Box:
    """Return where to look for a run that was not found: below the roots, or at its whole path."""
    if not run.startswith("/"):
        return replace(box, run=None, only=run)
    root, name = posixpath.split(posixpath.normpath(run))
    return replace(box, run=None, roots=(root,), only=name)


def newer_siblings(box: Box) -> list[Box]:
    """Return the newer runs beside a run directory of this machine that was named, as boxes.

    LibreYOLO writes a second `name=run1` to run12, so the run that a person means may be the
    neighbour of the finished one that was named.
    """
    target = box.target
    if box.run is not None or not isinstance(target, LocalTarget) or target.mirror:
        return []
    if not any((target.path / marker).is_file() for marker in MARKERS):
        return []
    newer = _newer_runs(target.path)[:_MOST_SIBLINGS]
    return [replace(box, target=LocalTarget(path), roots=(str(path),)) for path in newer]


def beside_its_own(box: Box) -> Box:
    """Return a box that names one run directory of this machine as that run among its neighbours.

    So a screen that stays open tells when the live run is another one beside it.
    """
    target = box.target
    if box.run is not None or not isinstance(target, LocalTarget) or target.mirror:
        return box
    path = target.path.expanduser().absolute()
    if not any((path / marker).is_file() for marker in MARKERS):
        return box
    parent = path.parent
    return replace(box, target=LocalTarget(parent), roots=(str(parent),), run=path.name)


def _only_root(view: BoxView) -> str | None:
    """Return the one place where was looked, None when there were several."""
    return view.searched[0] if len(view.searched) == 1 else None


def _newer_runs(run: Path) -> list[Path]:
    """Return the run directories beside a run whose status changed after its own, newest first."""
    own = _changed(run)
    try:
        entries = [Path(entry.path) for entry in os.scandir(run.parent) if entry.is_dir()]
    except OSError:
        return []
    times = {path: _changed(path) for path in entries if path != run}
    return sorted((path for path, at in times.items() if at > own), key=lambda p: -times[p])


def _changed(run: Path) -> float:
    try:
        return (run / STATUS).stat().st_mtime
    except OSError:
        return 0.0
