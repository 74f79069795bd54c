"""What the gate judges: plain facts of a box, its runs, their weights and their proofs, as of now.

Nothing here does I/O; ``gate_gather`` collects it. Sizes are bytes, ``at`` is seconds of
``steady_now``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tui.clock import Clock
from tui.runs.model import Run
from tui.runs.proofs import Proof

ELSEWHERE = ("~", "/workspace")
"""Where people train, whatever roots are watched: searched as far as a few seconds allow."""


def steady_now() -> float:
    """Return now by a clock that never goes back, and goes on while this machine sleeps."""
    return Clock().steady()


FileState = Literal["whole", "damaged", "unknown"]
"""``unknown``: it could not be read to its end, or changed meanwhile; ``reason`` says why."""


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A run as it was last seen. ``alive`` is None where nobody knows that its process is gone.

    ``path`` is absolute on the box, ``state`` and ``pid`` are those of its status.
    """

    path: str
    name: str
    alive: bool | None = None
    state: str | None = None
    pid: int | None = None
    epoch: int | None = None

    @classmethod
    def of(cls, run: Run) -> FoundRun:
        """The facts of a run that is followed.

        Where no process can be seen, a status that says how the run ended is believed, and no
        other.
        """
        alive = run.pid_alive
        if alive is None and run.reported_state in ENDED_STATES:
            alive = False
        return cls(run.path, run.id, alive, run.reported_state, run.pid, run.epoch)


ENDED_STATES = ("completed", "failed")
"""States that a training writes last."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was found: its size, and the sha256 of all of it in hex.

    ``mark`` changes with each touch of a copy on this machine; it is empty for the Hub's.
    """

    size: int
    sha256: str
    mark: tuple[int, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Witness:
    """A proof that was looked at again: what lies there now, or why that cannot be told."""

    proof: Proof
    seen: Seen | None = None
    reason: str | None = None

    @property
    def stands(self) -> bool:
        """Whether there still lies what was saved."""
        return self.seen == Seen(self.proof.bytes, self.proof.sha256)


@dataclass(frozen=True, slots=True)
class BoxFile:
    """A checkpoint that lies on the box now, with all that may prove it saved."""

    name: str
    state: FileState
    size: int | None = None
    sha256: str | None = None
    reason: str | None = None
    epoch: int | None = None
    witnesses: tuple[Witness, ...] = ()


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run: ``places`` are the real paths of itself and of its weights.

    ``trouble`` says why its weights cannot be told. ``files`` are those that have to be saved: best
    and last, or the newest where there is neither; ``others`` are some of ``others_count`` more.
    ``in_memory``: no stop keeps all of it.
    """

    path: str
    name: str
    alive: bool | None
    places: tuple[str, ...] = ()
    files: tuple[BoxFile, ...] = ()
    trouble: str | None = None
    epoch: int | None = None
    in_memory: bool = False
    others: tuple[str, ...] = ()
    others_count: int = 0


@dataclass(frozen=True, slots=True)
class BoxFacts:
    """One box at one moment. ``unreachable`` says why nothing of it is known.

    ``unseen`` are places where runs may lie that could not be looked at, each with the reason;
    ``notes`` what is worth a word and stands against nothing. ``copies_count`` is False where this
    machine is the box, and its copies would go with it.
    """

    box: str
    at: float
    runs: tuple[RunFacts, ...] = ()
    unreachable: str | None = None
    unseen: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    copies_count: bool = True
