"""The runs of a box with their history, in the order of ``tui.runs.order``."""

from __future__ import annotations

from collections.abc import Sequence

from tui.runs.order import default_run, order_runs
from tui.view import RunView


def by_need(views: Sequence[RunView]) -> list[RunView]:
    """What needs a person first, then what is live, each newest first."""
    of_run = {id(view.run): view for view in views}
    return [of_run[id(run)] for run in order_runs(view.run for view in views)]


def main_run(views: Sequence[RunView]) -> RunView | None:
    """The run that is meant when none is named."""
    chosen = default_run(view.run for view in views)
    return next((view for view in views if view.run is chosen), None)
