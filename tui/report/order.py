"""In which order the runs of a box stand, everywhere: by need and time, never by name."""

from __future__ import annotations

from collections.abc import Sequence

from tui.runs.model import NEEDS_A_PERSON, Run, Verdict
from tui.view import RunView

LIVE: frozenset[Verdict] = frozenset({"starting", "running", "stalled", "diverged"})
"""Verdicts of a run whose process is alive, as far as is known."""


def is_live(run: Run) -> bool:
    """Whether a run still trains, or is not known to have ended."""
    return run.verdict in LIVE and run.pid_alive is not False and run.reported_state != "completed"


def by_need(runs: Sequence[RunView]) -> list[RunView]:
    """What needs a person first, then what is alive, then the newest."""
    return sorted(
        runs,
        key=lambda view: (
            view.run.verdict not in NEEDS_A_PERSON,
            not is_live(view.run),
            -newest_time(view.run),
        ),
    )


def main_run(runs: Sequence[RunView]) -> RunView | None:
    """The run that is meant when none is named: alive before ended, then the newest."""
    return max(runs, key=lambda view: (is_live(view.run), newest_time(view.run)), default=None)


def newest_time(run: Run) -> float:
    """When a run was last started or moved, 0 when nothing says."""
    return run.started_at or run.updated_at or 0.0
