"""Whether the training on a box is done, as a finish line counts it. Pure.

A run that had ended before the line was set neither counts nor stands in the way, unless all had:
then the newest one decides. Runs that were stopped, hang or lost their loss never count as done,
nor do those that went away before anybody saw them complete and saved, nor what was brought to the
box, nor anything that had ended when the box was off.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tui.actions.finish_saves import weights_of
from tui.actions.finish_wish import Also
from tui.runs.model import NEEDS_A_PERSON, Run
from tui.runs.order import newest_time
from tui.runs.saved import MATTER, saved_state
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
    ``has_begun`` is False where no training has begun since the box was off.
    """

    about: tuple[RunView, ...]
    mark: Mark
    waits: str | None = None
    detail: str = ""
    stuck: bool = False
    has_begun: bool = True


@dataclass(frozen=True, slots=True)
class _Lost:
    """A run that was waited for and went; ``among`` are the paths that were known before."""

    run: Run
    among: frozenset[str]
    has_ended: bool

    def is_followed_by(self, run: Run) -> bool:
        """Whether a new run is the same one, renamed, or a later training in its place.

        In the place of weights that nobody saved no later ones come.
        """
        then, began = self.run.started_at or 0.0, run.started_at or 0.0
        return run.path not in self.among and (
            (began > then and not self.has_ended) or (began == then and began > 0)
        )


class FinishRuns:
    """Remembers which runs had ended when it first looked; ``also`` are ends that count too."""

    def __init__(self, also: Iterable[Also] = ()) -> None:
        self._wanted: frozenset[Ending] = frozenset(("completed", *also))
        self._old: dict[str, float | None] | None = None
        self._first: frozenset[str | float | None] = frozenset()
        self._known: set[str] = set()
        self._told: set[str] = set()
        self._was_off = False
        self._waited: tuple[Run, ...] = ()
        self._lost: tuple[_Lost, ...] = ()

    def was_off(self) -> None:
        """Take that somebody stopped the box: what had ended by then ends nothing any more."""
        self._old, self._first, self._waited, self._was_off = None, frozenset(), (), True

    def look(self, views: Sequence[RunView], set_at: float | None = None) -> Standing:
        """Take the runs of a box that answers, as they are now.

        ``set_at`` is when the line was set, in seconds since the epoch by the box's clock.
        """
        endings = {view.run.path: ending_of(view.run) for view in views}
        before = frozenset(self._known)
        self._remember(views, endings, set_at)
        assert self._old is not None
        fresh = tuple(view for view in views if view.run.path not in self._old)
        deciding = [view for view in views if self._first & {view.run.path, view.run.started_at}]
        about = fresh or tuple(sorted(deciding, key=lambda view: newest_time(view.run))[-1:])
        mark = tuple(sorted(mark_of(view.run) for view in views))
        self._lose([view.run for view in views], [view.run for view in fresh], before)
        self._waited = tuple(
            view.run
            for view in fresh
            if endings[view.run.path] not in self._wanted or not _is_saved(view.run)
        )
        going = [view.run for view in views if endings[view.run.path] is None]
        if going:
            going.sort(key=lambda run: run.id)
            return Standing(about, mark, f"waits for {_named(going)}", _moving(going))
        if self._lost:
            return Standing(about, mark, _lost_text(self._lost[0]), stuck=True)
        if not about:
            text = self._idle_text(views)
            return Standing((), mark, text, has_begun=not self._was_off)
        for view in about:
            problem = self._problem(view.run, endings[view.run.path])
            if problem is not None:
                return Standing(about, mark, problem, stuck=True)
        return Standing(about, mark)

    def _remember(
        self,
        views: Sequence[RunView],
        endings: Mapping[str, Ending | None],
        set_at: float | None,
    ) -> None:
        """Tell which runs had ended before: at the first look, or when they were brought later."""
        started = {view.run.path: view.run.started_at for view in views}
        if self._old is None:
            self._old = {path: started[path] for path, end in endings.items() if end}
            if not self._was_off:
                untold = [view.run.path for view in views if not view.run.reported_state]
                self._first = frozenset([*self._old, *self._old.values(), *untold]) - {None}
        for view in views:
            path = view.run.path
            if path not in self._told and endings[path] and _ended_before(view.run, set_at):
                self._old[path] = started[path]
        self._known |= endings.keys()
        self._told |= {view.run.path for view in views if view.run.reported_state}
        self._old = {
            path: began
            for path, began in self._old.items()
            if path not in endings or (endings[path] and started[path] == began)
        }

    def _idle_text(self, views: Sequence[RunView]) -> str:
        """Return why nothing decides: no training has begun."""
        if self._was_off:
            return "it was off meanwhile, and no training has begun since"
        return "no training has begun on it yet" if views else "there is no run on it yet"

    def _lose(self, runs: Sequence[Run], fresh: Sequence[Run], before: frozenset[str]) -> None:
        """Remember what was waited for and is gone, until it or a later training is there."""
        paths = frozenset(run.path for run in runs)
        gone = [
            _Lost(run, before, ending_of(run) in self._wanted)
            for run in self._waited
            if run.path not in paths
        ]
        self._lost = tuple(
            lost
            for lost in (*self._lost, *gone)
            if lost.run.path not in paths and not any(map(lost.is_followed_by, fresh))
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


def _ended_before(run: Run, at: float | None) -> bool:
    """Whether a run had ended at a time, by its own; where nothing tells, it had not."""
    last = run.updated_at or run.started_at
    return at is not None and last is not None and last < at


def _is_saved(run: Run) -> bool:
    """Whether a copy of each of a run's weights that matter is known."""
    return all(saved_state(file) == "saved" for file in weights_of(run))


def _lost_text(lost: _Lost) -> str:
    name = said(lost.run.id, 60)
    missed = "not all of it was saved" if lost.has_ended else "nobody saw it complete"
    return f"{name} is not there any more, and {missed}: it needs a person"


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
