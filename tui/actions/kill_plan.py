"""What ending a training is made of: the plan, the moments on the way, and what was seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tui.actions.errors import ActionError
from tui.actions.kill_program import SignalName, Target
from tui.actions.kill_tree import GpuMemory, Member, Seen, Tree
from tui.runs.model import Run

Stage = Literal["looking", "signalling", "waiting", "looking again"]
Agree = Callable[[tuple[Member, ...]], bool]


@dataclass(frozen=True, slots=True)
class KillRules:
    """Seconds to wait after the first signal, after SIGTERM to the tree, and after SIGKILL."""

    first: float = 30.0
    tree: float = 15.0
    hard: float = 10.0

    @classmethod
    def waiting(cls, seconds: float) -> KillRules:
        """Return rules that wait so long after the first signal, and never longer later."""
        usual = cls()
        return cls(seconds, min(seconds, usual.tree), usual.hard)


@dataclass(frozen=True, slots=True)
class KillPlan:
    """What will be signalled: ``first`` to ``tree.top`` (to all, where only orphans are left).

    Then, unless a notebook holds the training, SIGTERM to what is left of the tree.
    """

    box: str
    run: Run
    target: Target
    tree: Tree
    first: SignalName


@dataclass(frozen=True, slots=True)
class KillMoment:
    """One moment for people to see: ``left`` processes live, ``seconds`` are waited at most."""

    stage: Stage
    signal: SignalName | None = None
    left: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class KillReport:
    """What was done, and what was seen after it.

    ``sent`` are the signals that went out, in order; ``denied`` the pids that this user may not
    signal. ``before`` is the GPUs' memory before. ``lost`` says that the connection broke on the
    way: from there on nothing was sent, only looked.
    """

    plan: KillPlan
    sent: tuple[SignalName, ...]
    seen: Seen
    denied: tuple[int, ...] = ()
    before: tuple[GpuMemory, ...] = ()
    lost: str | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing of the training lives any more."""
        return self.seen.over or not self.seen.left


class Unconfirmed(ActionError):
    """A signal went out, and nobody could look what came of it."""

    def __init__(self, sent: tuple[SignalName, ...], error: ActionError) -> None:
        signals = " and ".join(f"SIG{one}" for one in sent)
        super().__init__(
            "lost",
            f"{signals} went out, then the box was lost: {error}. How it ended is not known",
            "look again with `boxtop status`; nothing more is sent by itself",
        )
        self.sent = sent
