"""For how long a box has done nothing: since the last of its runs ended, died or stalled."""

from __future__ import annotations

from collections.abc import Iterable

from tui.runs.model import Run


def idle_s(runs: Iterable[Run]) -> float | None:
    """Return seconds since the last run ended; None while one is at work, or none ever was.

    A run that nobody can judge counts as being at work.
    """
    found: list[float] = []
    for run in runs:
        if run.ended_at is None or run.updated_at is None or run.age_s is None:
            return None
        found.append(max(0.0, run.updated_at + run.age_s - run.ended_at))
    return min(found, default=None)
