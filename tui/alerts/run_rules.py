"""What there is to tell of a run. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tui.alerts.memory import RunMemory, key_of
from tui.alerts.sign import AT_WORK, ENDED_STATES, Sign, local_time
from tui.alerts.words import end_text, run_text
from tui.runs.model import Run
from tui.view import BoxView

BEST_SECONDS = 600.0
"""A run's new best is told at most this often: early epochs are nearly all best ones."""
SETTLED_SECONDS = 20.0
"""What is read of a run in its first seconds may be half of it."""
RECENT_SECONDS = 3600.0
"""An end in trouble so shortly before the first look ever is news; an older one is history."""


def is_at_work(run: Run) -> bool:
    """Whether a run's training goes on; a diverged one may be completed."""
    return run.verdict in AT_WORK and run.reported_state not in ENDED_STATES


def run_signs(box: BoxView, run: Run, known: RunMemory | None, since: float) -> Iterator[Sign]:
    """Yield the signs of a run; ``since`` is when its box was looked at first, or last, before.

    Ends before that are no news, unless the run was ``known`` to be at work.
    """
    names = box.name, run.id
    life = f"{run.pid}@{run.started_at}"
    end, done = _key("end", box, run, life), _key("completed", box, run, life)
    diverged = _key("diverged", box, run, life)
    stalled = _key("stalled", box, run, life, str(run.epoch))
    was_at_work = known is not None and known.was_at_work
    match run.verdict:
        case "failed" | "dead":
            old = not was_at_work and not _ended_after(box, run, since - RECENT_SECONDS)
            yield Sign(end, True, run.verdict, *names, end_text(box, run), is_old=old)
        case "stalled" if run.reported_state not in ENDED_STATES:
            yield Sign(stalled, True, "stalled", *names, run_text(box, run), clear_s=1800)
        case "diverged":
            old = not was_at_work and not is_at_work(run) and not _ended_after(box, run, since)
            text = run_text(box, run)
            yield Sign(diverged, True, "diverged", *names, text, is_old=old)
        case "starting" | "running":
            yield Sign(diverged, False, "diverged", *names)
        case _:
            pass
    if is_at_work(run):
        yield Sign(end, False, "dead", *names, clear_s=300)
        if run.verdict != "stalled":
            yield Sign(stalled, False, "stalled", *names, clear_s=1800)
    if run.verdict == "completed" or (
        run.verdict == "diverged" and run.reported_state == "completed"
    ):
        old = not was_at_work and not _ended_after(box, run, since)
        yield Sign(done, True, "completed", *names, end_text(box, run), is_old=old)


def new_best(run: Run, known: RunMemory, now: float) -> bool:
    """Whether a run's best is news; what it was is noted in ``known``.

    The first value is the best of one, and one of an earlier epoch is another training's.
    """
    best = run.best
    if best is None or best.value is None or not math.isfinite(best.value):
        return False
    mark = (best.epoch, best.value)
    before = known.best
    if before == mark:
        return False
    if (
        before is None
        or now - known.since < SETTLED_SECONDS
        or (best.epoch or 0) < (before[0] or 0)
    ):
        known.best = mark
        return False
    if now - known.best_at < BEST_SECONDS:
        return False
    known.best, known.best_at = mark, now
    return run.verdict == "running"


def mark_of(run: Run) -> tuple[object, ...]:
    """Return what makes the signs of a run that is over."""
    return run.verdict, run.reported_state, run.pid, run.started_at


def _key(what: str, box: BoxView, run: Run, *more: str) -> str:
    return key_of(what, box.name, run.path, *more)


def _ended_after(box: BoxView, run: Run, moment: float) -> bool:
    ended = local_time(box, run.ended_at)
    return ended is not None and ended >= moment
