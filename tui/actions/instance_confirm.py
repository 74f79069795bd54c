"""Waiting until the provider's own list says that it happened: a reply alone says nothing.

Nothing is ever sent again here. While the API asks to be left alone nobody asks it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.instance_can import WANTED
from tui.actions.instance_plan import Moment, Outcome, Plan, Report
from tui.clock import Clock
from tui.providers.account import Accounts, ProviderView
from tui.providers.base import Action, Instance, Reply, State
from tui.providers.errors import ProviderError


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds: between two looks, the first ones shorter, and how long each action may take.

    A start that is still queued after ``queued`` waits for a GPU.
    """

    first: float = 1.0
    longest: float = 6.0
    stop: float = 120.0
    start: float = 900.0
    destroy: float = 120.0
    queued: float = 30.0
    unanswered: float = 60.0
    """How long to look after a reply that got lost, where nothing moves."""

    def most(self, action: Action, reply: Reply) -> float:
        """Return how long to wait for an action in all."""
        usual = {"stop": self.stop, "start": self.start, "destroy": self.destroy}[action]
        lost = reply.result == "unconfirmed" and action == "start"
        return min(usual, self.unanswered) if lost else usual


def pause(seconds: float, cancel: Cancel) -> None:
    """Wait, unless cancelled. Raises ActionError("cancelled")."""
    cancel.pause(seconds)


class Confirmation:
    """One action's way from the reply to what a list says of it."""

    def __init__(
        self,
        accounts: Accounts,
        plan: Plan,
        reply: Reply,
        tell: Callable[[Moment], None],
        *,
        patience: Patience,
        clock: Clock,
        wait: Callable[[float, Cancel], None] = pause,
    ) -> None:
        self._accounts = accounts
        self._plan = plan
        self._reply = reply
        self._tell = tell
        self._patience = patience
        self._clock = clock
        self._wait = wait
        self._sent_at = clock.steady()
        self._most = patience.most(plan.action, reply)
        self._instance: Instance | None = plan.instance
        self._error: ProviderError | None = None
        self._listed = False

    def run(self, cancel: Cancel) -> Report:
        """Look until it is so, or the time is over; raises nothing."""
        try:
            return self._refused() if self._reply.result == "refused" else self._until(cancel)
        except ActionError:
            return self._report("unwatched")

    def _refused(self) -> Report:
        """Look once: it may be queued all the same, or be so by another hand."""
        if self._reply.queued:
            self._look()
            return self._report("queued")
        outcome = self._look()
        if outcome == "done":
            return self._report("already")
        if outcome == "vanished":
            return self._report("vanished")
        queued = self._plan.action == "start" and self._state is State.QUEUED
        return self._report("queued" if queued else "refused")

    def _until(self, cancel: Cancel) -> Report:
        seconds = self._patience.first
        while True:
            left = self._most - self._passed
            if left <= 0:
                return self._report(self._late())
            self._tell(self._moment(left))
            self._wait(min(max(seconds, self._held()), left), cancel)
            seconds = min(seconds * 1.5, self._patience.longest)
            outcome = self._look()
            if outcome is not None:
                return self._report(outcome)

    def _look(self) -> Outcome | None:
        """Ask for the list; return what it decides, None while it decides nothing."""
        provider, id = self._plan.bound.provider, self._plan.bound.id
        before = self._accounts.view.provider(provider)
        view = self._accounts.refresh_one(provider)
        if view is None or (before is not None and view.listed_at == before.listed_at):
            self._error = view.error if view is not None else None
            return None
        self._error, self._listed = None, True
        seen = self._accounts.view.find(provider, id)
        if self._is_gone(view):
            self._instance = None
            return "done" if self._plan.action == "destroy" else "vanished"
        if seen is not None and not seen.gone_maybe:
            self._instance = seen.instance
        return self._decided()

    def _is_gone(self, view: ProviderView) -> bool:
        """Whether two answers lack it, or the list itself calls it gone."""
        bound = self._plan.bound
        seen = self._accounts.view.find(bound.provider, bound.id)
        if seen is None:
            return bound.id in view.gone
        if seen.instance.state is State.GONE:
            return True
        provider = self._accounts.provider(bound.provider)
        if not seen.gone_maybe or provider is None:
            return False
        try:
            return provider.get(bound.id) is None
        except ProviderError:
            return False

    def _decided(self) -> Outcome | None:
        action, instance = self._plan.action, self._instance
        if instance is None:
            return None
        if instance.state is WANTED[action]:
            return "done"
        if instance.state is State.UNKNOWN and not instance.raw_state and not instance.warnings:
            return "untold" if self._reply.result == "accepted" else "unconfirmed"
        waits = action == "start" and instance.state is State.QUEUED
        return "queued" if waits and self._passed >= self._patience.queued else None

    def _late(self) -> Outcome:
        if not self._listed or self._reply.result == "unconfirmed":
            return "unconfirmed"
        return "still_there"

    @property
    def _passed(self) -> float:
        return max(0.0, self._clock.steady() - self._sent_at)

    @property
    def _state(self) -> State | None:
        return self._instance.state if self._instance is not None else None

    def _held(self) -> float:
        """Return for how long the API asked to be left alone, 0 where it did not."""
        return (self._error.retry_after_s or 0.0) if self._error is not None else 0.0

    def _moment(self, left: float) -> Moment:
        error = str(self._error) if self._error is not None else None
        action = self._plan.action
        return Moment("waiting", action, self._state, self._passed, left, self._reply, error)

    def _report(self, outcome: Outcome) -> Report:
        error = str(self._error) if self._error is not None else None
        found = None if outcome == "vanished" else self._instance
        return Report(self._plan, outcome, self._reply, found, self._passed, error)
