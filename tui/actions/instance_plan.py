"""What stopping, starting or destroying an instance is made of: plan, consent, moments, report.

A plan is bound to a provider and an id when a person asks. No name and no row of a list is looked
up again after that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tui.actions.errors import ActionError
from tui.actions.gate import Judgement
from tui.actions.gate_facts import RunFacts
from tui.money import Runway
from tui.providers.base import Action, Capabilities, Instance, Reply, State
from tui.rent import RentView
from tui.text import one_line

Needs = Literal["yes", "name"]
"""What a person gives before: a yes, or the typed name."""

Stage = Literal["reading", "checking", "sending", "waiting"]

Outcome = Literal[
    "done",  # a list that came after it says so
    "already",  # nothing had to be sent: it was so before, or by another hand
    "queued",  # it waits for a GPU and may start, and bill, at any hour
    "refused",  # the provider said no
    "vanished",  # it was to stop or start, and is not there any more
    "still_there",  # the provider took it, and the instance is still what it was
    "unconfirmed",  # the reply, or every list after it, got lost
    "untold",  # the provider took it, and tells no state that could confirm it
    "unwatched",  # it was sent, and nobody waited for the end
]


@dataclass(frozen=True, slots=True)
class Bound:
    """Which instance is meant: ``name`` as people know it, ``label`` as its provider names it.

    ``label``, ``gpu_name`` and ``created_at`` (seconds since the epoch) are those of the moment of
    asking, None where they were not shown: an instance that has others by now is not the one that
    was meant.
    """

    provider: str
    id: str
    name: str
    label: str | None = None
    gpu_name: str | None = None
    created_at: float | None = None

    @classmethod
    def of(cls, instance: Instance, box: str | None = None) -> Bound:
        """Bind an instance as it is shown now; ``box`` is the name of its box, if it has one."""
        name, seen = box or instance.name, instance
        return cls(seen.provider, seen.id, name, seen.name, seen.gpu_name, seen.created_at)

    @classmethod
    def shown(cls, rent: RentView, box: str) -> Bound:
        """Bind the instance that a box is on the screen now."""
        return cls(rent.provider, rent.id, box, rent.name, rent.gpu_name, rent.created_at)

    def __str__(self) -> str:
        """``yolo9s (vast 700001)``."""
        return f"{one_line(self.name, 80)} ({self.provider} {one_line(self.id, 80)})"


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be done to which instance, and everything that a person should know before.

    ``instance`` is what its provider told ``at`` (seconds since the epoch). ``names`` are what may
    be typed for it, the first one is asked for. ``judgement`` is the gate's, None where nothing can
    be lost by it, and where it is not asked; ``runs`` are those that were found on the box.
    ``here`` says that boxtop itself runs on that instance. ``runway`` and ``credit`` are the
    account's, as they would be with it.
    """

    action: Action
    bound: Bound
    instance: Instance
    capabilities: Capabilities
    at: float
    names: tuple[str, ...]
    judgement: Judgement | None = None
    runs: tuple[RunFacts, ...] = ()
    here: bool = False
    runway: Runway | None = None
    credit: float | None = None

    @property
    def needs(self) -> Needs:
        """A name before every destroy, and against a refusal of the gate; else a yes."""
        return "name" if self.action == "destroy" or self.refused else "yes"

    @property
    def refused(self) -> bool:
        """Whether something would be lost, or may be."""
        return self.judgement is not None and not self.judgement.passes

    def is_named(self, typed: str | None) -> bool:
        """Whether what was typed names exactly this instance."""
        return typed is not None and typed.strip() in self.names


@dataclass(frozen=True, slots=True)
class Consent:
    """What a person agreed to: ``typed`` is the name as it was typed, None for a mere yes.

    ``lose_weights`` agrees to losing what the plan lists, and nothing else. A person who types the
    name below that list agrees to it.
    """

    typed: str | None = None
    lose_weights: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """One moment on the way. ``seconds`` since it was sent, ``left`` until nobody waits longer.

    ``state`` is the newest that the provider listed, ``reply`` what it said to the request,
    ``error`` why its list could not be read.
    """

    stage: Stage
    action: Action
    state: State | None = None
    seconds: float = 0.0
    left: float = 0.0
    reply: Reply | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """How it ended. ``instance`` is what was listed last, None where it is gone.

    ``reply`` is None where nothing was sent. ``error`` says why the newest list could not be read,
    ``unwritten`` why the journal has no word of the end.
    """

    plan: Plan
    outcome: Outcome
    reply: Reply | None = None
    instance: Instance | None = None
    seconds: float = 0.0
    error: str | None = None
    unwritten: str | None = field(default=None, kw_only=True)

    @property
    def well(self) -> bool:
        """Whether it is as it was wanted, seen in a list."""
        wanted = self.outcome in ("done", "already")
        return wanted or (self.outcome == "vanished" and self.plan.action == "stop")


class GateRefused(ActionError):
    """Weights would be lost, or may be, and nobody agreed to that; nothing was sent.

    ``changed``: somebody did agree, to less than what was found right before.
    """

    def __init__(self, judgement: Judgement, message: str, hint: str, changed: bool) -> None:
        super().__init__("refused", message, hint)
        self.judgement = judgement
        self.changed = changed


class NotPossible(ActionError):
    """The provider has no such action, or not in this state; nothing was sent.

    ``never`` says that no waiting helps.
    """

    def __init__(self, message: str, hint: str | None = None, never: bool = False) -> None:
        super().__init__("refused", message, hint)
        self.never = never


class NothingToDo(ActionError):
    """The instance is so already; nothing was sent."""

    def __init__(self, message: str) -> None:
        super().__init__("refused", message)
