"""One look at the boxes that a person named, and of each box the run that was meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from tui.boxes import Box
from tui.cli.closer import closer_box, meant_paths, newer_siblings, own_id
from tui.cli.session import Session
from tui.errors import UserError, closest
from tui.report.order import by_need
from tui.runs.files import MARKERS, SEARCH_DEPTH
from tui.runs.order import live_sibling, sibling_text
from tui.text import said
from tui.view import BoxView, RunView

if TYPE_CHECKING:
    from tui.watch.look import RentOf


class Glance(msgspec.Struct, frozen=True):
    """What was seen, in the order of the boxes; ``missing`` says which has not the named run."""

    boxes: tuple[BoxView, ...]
    missing: dict[str, UserError] = {}


def glance(
    session: Session, boxes: Sequence[Box], timeout: float, rent_of: RentOf | None = None
) -> Glance:
    """Look at each box once; ``rent_of`` tells what providers say.

    A box whose target names a run is looked at whole, and shown with that run alone: so it can
    be told which other run is live, and which runs there are when the named one is not.
    """
    from tui.watch.look import look

    data = session.keeping(boxes)

    def looked(wanted: Sequence[Box]) -> tuple[BoxView, ...]:
        if not wanted:
            return ()
        return look(wanted, session.asker, data, timeout=timeout, rent_of=rent_of)

    beside = [newer_siblings(box) for box in boxes]
    whole = [replace(box, run=None) for box in boxes]
    views = looked([*whole, *(sibling for siblings in beside for sibling in siblings)])
    others = iter(views[len(boxes) :])
    closer = [closer_box(box, view) for box, view in zip(boxes, views, strict=False)]
    nearer = iter(looked([box for box in closer if box is not None]))
    shown: list[BoxView] = []
    missing: dict[str, UserError] = {}
    for box, view, siblings, near in zip(boxes, views, beside, closer, strict=False):
        runs = [run for _ in siblings for run in next(others).runs]
        close = next(nearer) if near is not None else None
        wanted = box.run or own_id(box, view) or (own_id(box, close) if close else None)
        if wanted is None:
            shown.append(view)
            continue
        chosen = find_run(view, wanted)
        if close is not None:
            runs += close.runs
            chosen = chosen or next(iter(close.runs), None)
        if chosen is None and view.link.state == "live":
            missing[view.name] = no_such_run(view, wanted)
        shown.append(_only(view, chosen, runs))
    return Glance(tuple(shown), missing)


def find_run(view: BoxView, wanted: str) -> RunView | None:
    """Return the run with this id or path, or the only one whose id or path ends with it."""
    paths = meant_paths(view, wanted)
    return next((run for run in view.runs if [run.run.path] == paths), None)


def no_such_run(view: BoxView, wanted: str) -> UserError:
    """Return what to say of a run that a box does not have."""
    ids = [run.run.id for run in by_need(view.runs)]
    if not ids:
        return no_runs(view)
    several = meant_paths(view, wanted)
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
    where = ", ".join(said(root) for root in dict.fromkeys(view.searched)) or "nowhere"
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
