"""The gate in front of an instance: when it is asked, what it sees, and what a person agreed to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from tui.actions.cancel import Cancel
from tui.actions.gate import FRESH_SECONDS, Judgement, Loses, Refusal, judge
from tui.actions.gate_facts import BoxFacts, FoundRun, RunFacts, steady_now
from tui.actions.instance_plan import Bound, Consent, GateRefused, Plan
from tui.money import survives_stop
from tui.providers.base import Action, Instance, State

Look = Callable[[Instance, Loses | None, Cancel], BoxFacts]
"""Collects the facts of an instance's box, at the address that it has now.

What keeps from it is in the facts; only ActionError("cancelled") is raised.
"""

NOT_REACHED: Mapping[State, str] = MappingProxyType(
    {
        State.STOPPED: "it is stopped, and its files cannot be looked at",
        State.QUEUED: "it waits for a GPU, and its files cannot be looked at",
        State.TERMINATING: "its provider is destroying it",
        State.GONE: "its provider says that it is gone",
    }
)
"""States in which no box answers; why, in words."""


@dataclass(frozen=True, slots=True)
class Sight:
    """How the box of an instance is looked at.

    ``remembered`` returns the runs that were seen there last, and blocks for nothing.
    """

    look: Look
    remembered: Callable[[], Sequence[FoundRun]] = tuple


def loses_of(instance: Instance) -> Loses:
    """Return what a stop of this instance loses, by what its provider says it keeps."""

    def loses(path: str) -> bool | None:
        survives = survives_stop(path, instance.keeps)
        return None if survives is None else not survives

    return loses


def guards(action: Action, instance: Instance) -> bool:
    """Whether the gate stands before an action: a destroy, or a stop that may lose a path."""
    if action == "destroy":
        return True
    return action == "stop" and loses_of(instance)("/") is not False


def looked_at(
    action: Action, bound: Bound, instance: Instance, sight: Sight, cancel: Cancel
) -> tuple[Judgement, tuple[RunFacts, ...]]:
    """Look at the box now, and judge. Raises ActionError("cancelled")."""
    loses = loses_of(instance) if action == "stop" else None
    reason = NOT_REACHED.get(instance.state)
    if reason is not None:
        known = tuple(RunFacts(run.path, run.name, run.alive) for run in sight.remembered())
        facts = BoxFacts(bound.name, steady_now(), known, unreachable=reason)
    else:
        facts = sight.look(instance, loses, cancel)
        cancel.check()
    return judge(facts, "destroy" if action == "destroy" else "stop", loses), facts.runs


@dataclass(frozen=True, slots=True)
class Passed:
    """A way through the gate: nothing is lost, or a person ``typed`` the name to lose it."""

    judgement: Judgement
    typed: str | None = None

    def allows(self, now: float) -> bool:
        """Whether it still counts; ``now`` is by the clock of the judgement."""
        return self.judgement.allows(now, self.judgement.box if self.typed is not None else None)


def check_gate(plan: Plan, now: Judgement, consent: Consent) -> Passed:
    """Raise GateRefused unless nothing would be lost, or it is what a person agreed to lose.

    ``now`` was judged right before the action; a refusal that the plan did not list was agreed to
    by nobody.
    """
    _check_ends(plan, now)
    if now.passes:
        return Passed(now)
    if consent.typed is None or not consent.lose_weights or not plan.is_named(consent.typed):
        raise GateRefused(now, _refused(plan, now), _hint(now), changed=False)
    shown = {_key(one) for one in plan.judgement.refusals} if plan.judgement is not None else set()
    for refusal in now.refusals:
        if _key(refusal) not in shown:
            message = f"{plan.bound}: not what was agreed to: {refusal.text}"
            raise GateRefused(now, message, "look again, and decide anew", changed=True)
    return Passed(now, consent.typed)


def is_outdated(plan: Plan, now: float) -> bool:
    """Whether a stop was shown too long ago to tell what it ends; ``now`` is steady time."""
    return plan.judgement is not None and not 0 <= now - plan.judgement.at <= FRESH_SECONDS


def _check_ends(plan: Plan, now: Judgement) -> None:
    """Raise GateRefused where a stop would end a training that was not shown."""
    shown = dict(plan.judgement.trainings) if plan.judgement is not None else {}
    for path, text in now.trainings:
        if path not in shown:
            message = f"{plan.bound} was not touched: not what was agreed to: {text}"
            raise GateRefused(now, message, "look again, and decide anew", changed=True)


def _key(refusal: Refusal) -> tuple[object, ...]:
    """Return what a refusal is about: an epoch more of the same file is the same loss.

    A box that cannot be asked may give another reason each time.
    """
    told = refusal.path is None and refusal.kind != "unreachable"
    return refusal.kind, refusal.path, refusal.file, refusal.text if told else None


def _refused(plan: Plan, judgement: Judgement) -> str:
    count = len(judgement.refusals)
    against = "1 thing stands" if count == 1 else f"{count} things stand"
    return f"{plan.bound} was not touched: {against} against a {plan.action}"


def _hint(judgement: Judgement) -> str:
    helps = {
        "push": "boxtop push",
        "pull": "boxtop pull",
        "kill": "boxtop kill",
        "again": "look again",
    }
    words = [helps[offer] for offer in judgement.offers if offer in helps]
    return f"what helps: {', '.join(words)}" if words else "nothing can save it"
