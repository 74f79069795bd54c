"""One look at the boxes that a person named, and of each box the run that was meant."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from tui.boxes import Box, LocalTarget
from tui.cli.session import Session
from tui.errors import UserError, closest
from tui.report.order import by_need
from tui.runs.files import MARKERS, SEARCH_DEPTH, STATUS
from tui.runs.naming import meant
from tui.runs.order import live_sibling, sibling_text
from tui.text import said
from tui.view import BoxView, RunView

_MOST_SIBLINGS = 8


class Glance(msgspec.Struct, frozen=True):
    """What was seen, in the order of the boxes; ``missing`` says which has not the named run."""

    boxes: tuple[BoxView, ...]
    missing: dict[str, UserError] = {}


def glance(session: Session, boxes: Sequence[Box], timeout: float) -> Glance:
    """Look at each box once.

    A box whose target names a run is looked at whole, and shown with that run alone: so it can
    be told which other run is live, and which runs there are when the named one is not.
    """
    from tui.watch.look import look

    whole = [replace(box, run=None) for box in boxes]
    beside = [_siblings(box) for box in boxes]
    looked = look(
        [*whole, *(sibling for siblings in beside for sibling in siblings)],
        session.asker,
        session.keeping(boxes),
        timeout=timeout,
    )
    others = iter(looked[len(boxes) :])
    shown: list[BoxView] = []
    missing: dict[str, UserError] = {}
    for box, view, siblings in zip(boxes, looked, beside, strict=False):
        wanted = box.run or _own_id(box)
        runs = [run for _ in siblings for run in next(others).runs]
        if wanted is None:
            shown.append(view)
            continue
        chosen = find_run(view, wanted)
        if chosen is None and view.link.state == "live":
            missing[view.name] = no_such_run(view, wanted)
        shown.append(_only(view, chosen, runs))
    return Glance(tuple(shown), missing)


def find_run(view: BoxView, wanted: str) -> RunView | None:
    """Return the run with this id or path, or the only one whose id or path ends with it."""
    paths = _meant(view, wanted)
    return next((run for run in view.runs if [run.run.path] == paths), None)


def _meant(view: BoxView, wanted: str) -> list[str]:
    return meant(wanted, {run.run.path: run.run.id for run in view.runs})


def no_such_run(view: BoxView, wanted: str) -> UserError:
    """Return what to say of a run that a box does not have."""
    ids = [run.run.id for run in by_need(view.runs)]
    if not ids:
        return no_runs(view)
    several = _meant(view, wanted)
    if several:
        mine = [said(run.run.id, 60) for run in by_need(view.runs) if run.run.path in several]
        return UserError(
            f"{said(view.name)} has {len(several)} runs {said(wanted)!r}",
            f"name one: {', '.join(mine[:10])}",
        )
    near = closest(wanted, ids)
    guess = f"did you mean {said(near)}? " if near else ""
    listed = ", ".join(said(name, 60) for name in ids[:10]) + (", …" if len(ids) > 10 else "")
    return UserError(f"{said(view.name)} has no run {said(wanted)!r}", f"{guess}it has {listed}")


def no_runs(view: BoxView) -> UserError:
    """Return where runs were looked for, and what makes a directory one."""
    where = ", ".join(said(root) for root in view.searched) or "nowhere"
    return UserError(
        f"{said(view.name)} has no run; looked below {where}",
        f"a run is a directory that holds {', '.join(MARKERS[:-1])} or {MARKERS[-1]}, "
        f"at most {SEARCH_DEPTH} levels down",
    )


def _only(view: BoxView, chosen: RunView | None, beside: Sequence[RunView]) -> BoxView:
    """Return a box with one run, and a banner when the live run is another one beside it."""
    if chosen is None:
        return replace(view, runs=())
    sibling = live_sibling((seen.run for seen in (*view.runs, *beside)), chosen.run)
    banner = () if sibling is None else (sibling_text(sibling),)
    return replace(view, runs=(chosen,), notices=(*banner, *view.notices))


def _own_id(box: Box) -> str | None:
    """Return the run's id when a target is a run directory itself."""
    target = box.target
    if not isinstance(target, LocalTarget) or target.mirror:
        return None
    is_run = any((target.path / marker).is_file() for marker in MARKERS)
    return target.path.name if is_run else None


def _siblings(box: Box) -> list[Box]:
    """Return the newer runs beside a run directory that was named, as boxes.

    LibreYOLO writes a second `name=run1` to run12, so the run that a person means may be the
    neighbour of the finished one that was named.
    """
    target = box.target
    if _own_id(box) is None or not isinstance(target, LocalTarget):
        return []
    newer = _newer_runs(target.path)[:_MOST_SIBLINGS]
    return [replace(box, target=LocalTarget(path), roots=(str(path),)) for path in newer]


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
