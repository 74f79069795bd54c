"""Which runs of a box stand first, and which one is meant when none is named."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from tui.runs.assess import ENDED
from tui.runs.model import NEEDS_A_PERSON, Run
from tui.text import said

_DIGITS = re.compile(r"(\d{1,18})")


def is_live(run: Run) -> bool:
    """Whether a run trains now: its process is known to live, or nothing speaks against it."""
    if run.verdict in ENDED or run.reported_state in ("completed", "failed"):
        return False
    if run.pid_alive is None:
        return run.reported_state is not None and run.verdict != "unknown"
    return run.pid_alive


def order_runs(runs: Iterable[Run]) -> list[Run]:
    """Return runs with those that need a person first, live ones next, each newest first.

    Time decides, never the name: a second ``name=run1`` is run12, and a third one run13.
    """

    def rank(run: Run) -> int:
        if run.verdict in NEEDS_A_PERSON:
            return 0
        return 1 if is_live(run) or run.verdict in ("running", "starting") else 2

    return sorted(runs, key=lambda run: (rank(run), -newest_time(run), _natural(run.id)))


def default_run(runs: Iterable[Run]) -> Run | None:
    """Return the run that is meant when none is named: the newest live one, else the newest."""

    def rank(run: Run) -> tuple[bool, bool, bool, float]:
        live = is_live(run)
        return (live and run.pid_alive is True, live, run.verdict == "starting", newest_time(run))

    return max(runs, key=rank, default=None)


def live_sibling(runs: Iterable[Run], run: Run) -> Run | None:
    """Return the newest live run in the same project as a run that is not live itself.

    LibreYOLO glues a number to a name that is taken, so the run somebody asked for may be an old,
    finished one while the new one trains beside it.
    """
    if is_live(run):
        return None
    project = PurePosixPath(run.path).parent
    beside = [
        other
        for other in runs
        if other.path != run.path and PurePosixPath(other.path).parent == project and is_live(other)
    ]
    return max(beside, key=newest_time, default=None)


def sibling_text(sibling: Run) -> str:
    """``run12 is live``: the banner over a finished run beside it."""
    return f"{said(PurePosixPath(sibling.path).name, 80)} is live"


def newest_time(run: Run) -> float:
    """When a run began, as far as anything tells; 0 when nothing does."""
    return run.started_at or run.updated_at or 0.0


def _natural(name: str) -> Sequence[tuple[int, int, str]]:
    """A key by which run2 stands before run12."""
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part) for part in _DIGITS.split(name)
    ]
