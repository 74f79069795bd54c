"""Which runs of a box are shown: all, or those that a target names, and the live one beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tui.runs.idle import without_later
from tui.runs.naming import meant
from tui.runs.order import live_sibling, sibling_text
from tui.view import RunView


def chosen(
    wanted: str | None, runs: Sequence[RunView]
) -> tuple[tuple[RunView, ...], tuple[str, ...]]:
    """Return the runs that were asked for, and a line when the live one is another beside them."""
    if wanted is None:
        return tuple(runs), ()
    paths = meant(wanted, {run.run.path: run.run.id for run in runs})
    shown = tuple(run for run in runs if run.run.path in paths)
    live = live_sibling([run.run for run in runs], shown[0].run) if shown else None
    return shown, () if live is None else (sibling_text(live),)


def alone(runs: Sequence[RunView]) -> list[RunView]:
    """Return the runs of a box, none of which wastes what another one uses."""
    starts = [view.run.started_at for view in runs if view.run.started_at is not None]
    if len(starts) < 2:
        return list(runs)
    less = [(view, without_later(view.run, starts)) for view in runs]
    return [view if run is view.run else replace(view, run=run) for view, run in less]
