"""Whether the training on a box is done, as a finish line counts it. Pure.

A run that had ended before the line was set neither counts nor stands in the way, unless all had:
then the newest one decides. Runs that were stopped, hang or lost their loss never count as done,
nor do those that went away before anybody saw them complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from tui.actions.finish_wish import Also
from tui.runs.model import NEEDS_A_PERSON, Run
from tui.runs.order import newest_time
from tui.runs.saved import MATTER
from tui.text import said
from tui.view import RunView

Ending = Literal["completed", "failed", "dead", "stopped", "diverged"]

Mark = tuple[object, ...]
"""Everything of the runs that must not change while a finish line counts down."""

MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Standing:
    """How far the runs of a box are. ``about`` are those whose end counts.

    ``waits`` says what is missing, None when all is done; ``detail`` is what of it moves. ``stuck``
    says that all have ended, and that one of them did so in a way that was not asked for.
    """

    about: tuple[RunView, ...]
    mark: Mark
    waits: str | None = None
    detail: str = ""
    stuck: bool = False


@dataclass(frozen=True, slots=True)
class _Lost:
    """A run that was waited for and went; ``among`` are the paths of those that were left."""

    run: Run
    among: frozenset[str]

    def is_followed_by(self, run: Run) -> bool:
        """Whether a run is the same one again, or a later training that came in its place."""
        later = (run.started_at or 0.0) > (self.run.started_at or 0.0)
        return run.path == self.run.path or (later and run.path not in self.among)


class FinishRuns:
    """Remembers which runs had ended when it first looked; ``also`` are ends that count too."""

    def __init__(self, also: Iterable[Also] = ()) -> None:
        self._wanted: frozenset[Ending] = frozenset(("completed", *also))
        self._old: dict[str, float | None] | None = None
        self._waited: tuple[Run, ...] = ()
        self._lost: tuple[_Lost, ...] = ()

    def look(self, views: Sequence[RunView]) -> Standing:
        """Take the runs of a box that answers, as they are now."""
        endings = {view.run.path: ending_of(view.run) for view in views}
        started = {view.run.path: view.run.started_at for view in views}
        if self._old is None:
            self._old = {path: started[path] for path, end in endings.items() if end}
        self._old = {
            path: began
            for path, began in self._old.items()
            if path not in endings or (endings[path] and started[path] == began)
        }
        fresh = tuple(view for view in views if view.run.path not in self._old)
        about = fresh or tuple(sorted(views, key=lambda view: newest_time(view.run))[-1:])
        mark = tuple(sorted(mark_of(view.run) for view in views))
        self._lose([view.run for view in views])
        self._waited = tuple(
            view.run for view in fresh if endings[view.run.path] not in self._wanted
        )
        going = [view.run for view in views if endings[view.run.path] is None]
        if going:
            going.sort(key=lambda run: run.id)
            return Standing(about, mark, f"waits for {_named(going)}", _moving(going))
        if self._lost:
            return Standing(about, mark, _lost_text(self._lost[0].run), stuck=True)
        if not views:
            return Standing((), mark, "there is no run on it yet")
        for view in about:
            problem = self._problem(view.run, endings[view.run.path])
            if problem is not None:
                return Standing(about, mark, problem, stuck=True)
        return Standing(about, mark)

    def _lose(self, runs: Sequence[Run]) -> None:
        """Remember what was waited for and is gone, until it or a later training is there."""
        paths = frozenset(run.path for run in runs)
        gone = [_Lost(run, paths) for run in self._waited if run.path not in paths]
        self._lost = tuple(
            lost
            for lost in (*self._lost, *gone)
            if not any(lost.is_followed_by(run) for run in runs)
        )

    def _problem(self, run: Run, ending: Ending | None) -> str | None:
        """Return why an ended run is not done as it was asked for."""
        name = said(run.id, 60)
        if ending in self._wanted:
            there = {file.name for file in run.checkpoints}
            if ending != "completed" or there & {*MATTER}:
                return None
            return f"{name} completed without best.pt and last.pt: nothing of it can be saved"
        match ending:
            case "failed" | "dead":
                word = "failed" if ending == "failed" else "is dead"
                return f"{name} {word}, and that was not asked for: it needs a person"
            case _:
                return f"{name} is {ending}, and that never counts as done: it needs a person"


def ending_of(run: Run) -> Ending | None:
    """Return how a run ended, None while it has not, or while nobody can tell.

    A status says so itself, and its process is gone; of what has no status nothing is believed.
    """
    if run.pid_alive:
        return None
    if run.verdict in ("completed", "diverged"):
        done = run.reported_state == "completed"
        return ("completed" if run.verdict == "completed" else "diverged") if done else None
    if run.verdict == "failed":
        return "failed" if run.reported_state == "failed" else None
    if run.verdict == "dead":
        return "dead" if run.pid_alive is False else None
    return "stopped" if run.verdict == "stopped" else None


def mark_of(run: Run) -> tuple[str, ...]:
    """Return what tells a run that changed from one that did not."""
    files = sorted((file.name, file.bytes, file.modified_at) for file in run.checkpoints)
    facts = (run.verdict, run.reported_state, run.epoch, run.pid, run.pid_alive, run.started_at)
    return (run.path, repr(facts), repr(files))


def _lost_text(run: Run) -> str:
    name = said(run.id, 60)
    return f"{name} is not there any more, and nobody saw it complete: it needs a person"


def _named(runs: Sequence[Run]) -> str:
    more = f" and {len(runs) - MOST_NAMED} more" if len(runs) > MOST_NAMED else ""
    return ", ".join(_with_verdict(run) for run in runs[:MOST_NAMED]) + more


def _with_verdict(run: Run) -> str:
    """Name a run; one that would never be done by itself says so."""
    name = said(run.id, 60)
    if run.verdict in NEEDS_A_PERSON:
        return f"{name} ({run.verdict}: it needs a person)"
    return f"{name} (nobody can tell whether it ended)" if run.verdict == "unknown" else name


def _moving(runs: Sequence[Run]) -> str:
    run = runs[0]
    if len(runs) > 1 or run.epoch is None:
        return ""
    return f"epoch {run.epoch}/{run.total_epochs}" if run.total_epochs else f"epoch {run.epoch}"
