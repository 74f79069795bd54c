"""For how long a box has done nothing: since the last of its runs ended, died or stalled."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from tui.runs.model import Run


def idle_s(runs: Iterable[Run]) -> float | None:
    """Return seconds since the last run ended; None while one is at work, or none ever was.

    A run that nobody can judge counts as being at work.
    """
    found: list[float] = []
    for run in runs:
        clock = clock_of(run)
        if run.ended_at is None or clock is None:
            return None
        found.append(max(0.0, clock - run.ended_at))
    return min(found, default=None)


def without_later(run: Run, starts: Iterable[float]) -> Run:
    """Return a run whose waste ends where the next training on its box began.

    ``starts`` are when all runs of the box began, seconds since the epoch by its own clock.
    """
    cost, ended, clock = run.cost, run.ended_at, clock_of(run)
    if cost is None or not cost.wasted or ended is None or clock is None or clock <= ended:
        return run
    following = min((start for start in starts if start >= ended), default=clock)
    share = min(1.0, (following - ended) / (clock - ended))
    return msgspec.structs.replace(
        run, cost=msgspec.structs.replace(cost, wasted=cost.wasted * share)
    )


def clock_of(run: Run) -> float | None:
    """Return the box's clock at the moment a run was judged for."""
    if run.updated_at is None or run.age_s is None:
        return None
    return run.updated_at + run.age_s
