"""Stopping, starting and destroying an instance: asked once, through the gate, and then seen.

Nothing here is repeated by itself, and nothing is called done that no list of the provider says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.gate import Judgement
from tui.actions.gate_facts import RunFacts, steady_now
from tui.actions.instance_can import check_possible, same_instance
from tui.actions.instance_confirm import Confirmation, Patience, pause
from tui.actions.instance_gate import Passed, Sight, check_gate, guards, is_outdated, looked_at
from tui.actions.instance_lock import Locks, unkept
from tui.actions.instance_plan import (
    Bound,
    Consent,
    Moment,
    NothingToDo,
    NotPossible,
    Plan,
    Report,
)
from tui.actions.instance_record import asked_entry, ended_entry
from tui.actions.instance_words import refusal_of
from tui.actions.journal import Journal
from tui.clock import Clock
from tui.money import Runway, runway
from tui.providers.account import Accounts, ProviderView
from tui.providers.base import Action, Instance, Provider, Reply
from tui.providers.errors import ProviderError
from tui.providers.here import own_instance
from tui.text import one_line

Tell = Callable[[Moment], None]


class InstanceActions:
    """The actions on all instances of the accounts; safe in many threads.

    ``data`` is the directory of journal and locks. ``read_only`` forbids all of them. Every method
    blocks; a Cancel ends it from another thread.
    """

    def __init__(
        self,
        accounts: Accounts,
        data: Path,
        *,
        read_only: bool = False,
        patience: Patience | None = None,
        clock: Clock | None = None,
        wait: Callable[[float, Cancel], None] = pause,
    ) -> None:
        self._accounts = accounts
        self._journal = Journal(data)
        self._locks = Locks(data)
        self._read_only = read_only
        self._patience = patience or Patience()
        self._clock = clock or Clock()
        self._wait = wait

    def plan(
        self,
        action: Action,
        bound: Bound,
        sight: Sight,
        tell: Tell,
        cancel: Cancel,
    ) -> Plan:
        """Look at the instance and its box as they are now; nothing is sent.

        Raises NotPossible, NothingToDo, ActionError("changed") when it is not what was meant any
        more, ("missing") when it is not there, ("denied") in read-only mode, ("cancelled"), and
        ProviderError when the provider cannot be asked: by an old list nothing is done.
        """
        self._check_mode(action)
        provider = self._provider(bound)
        tell(Moment("reading", action))
        instance, view = self._known(action, bound, provider)
        check_possible(action, bound, instance, provider.capabilities)
        cancel.check()
        judgement: Judgement | None = None
        runs: tuple[RunFacts, ...] = ()
        if action != "start":
            tell(Moment("checking", action, instance.state))
            judgement, runs = looked_at(action, bound, instance, sight, cancel)
        return Plan(
            action=action,
            bound=bound,
            instance=instance,
            capabilities=provider.capabilities,
            at=self._clock.wall(),
            names=self.names(bound),
            judgement=judgement,
            runs=runs,
            here=own_instance() == (bound.provider, bound.id),
            runway=_runway(action, instance, view),
            credit=view.account.credit if view.account is not None else None,
        )

    def act(self, plan: Plan, consent: Consent, sight: Sight, tell: Tell, cancel: Cancel) -> Report:
        """Do what was planned, once, and wait until a list says so.

        The gate is asked again right before, and so is the box before a stop that was shown a while
        ago: a training that began since was agreed to by nobody.

        Raises GateRefused, NotPossible, NothingToDo,
        ActionError("usage") for a name that is not typed as it should be, ("busy") while another
        action on it is under way, ("denied") where the journal cannot be written, ("changed"),
        ("cancelled"), and ProviderError when the provider cannot be asked: then nothing was sent.
        """
        self._check_mode(plan.action)
        _check_name(plan, consent)
        with self._locks.held(plan.bound):
            return self._act(plan, consent, sight, tell, cancel)

    def _act(
        self, plan: Plan, consent: Consent, sight: Sight, tell: Tell, cancel: Cancel
    ) -> Report:
        provider = self._provider(plan.bound)
        tell(Moment("reading", plan.action))
        instance = provider.get(plan.bound.id)
        if instance is None:
            return self._by_another_hand(plan)
        _check_same(plan.bound, instance)
        check_possible(plan.action, plan.bound, instance, provider.capabilities)
        passed: Passed | None = None
        guarded = guards(plan.action, instance) or plan.refused
        if guarded or is_outdated(plan, steady_now()):
            tell(Moment("checking", plan.action, instance.state))
            judgement, _ = looked_at(plan.action, plan.bound, instance, sight, cancel)
            passed = check_gate(plan, judgement, consent)
        cancel.check()
        return self._send(provider, plan, passed, tell, cancel)

    def _send(
        self,
        provider: Provider,
        plan: Plan,
        passed: Passed | None,
        tell: Tell,
        cancel: Cancel,
    ) -> Report:
        """Write it down, send it, wait, and write down how it ended, whatever ends it."""
        try:
            self._journal.add(asked_entry(plan, passed))
        except OSError as error:
            raise unkept(self._journal.path, error) from None
        report: Report | None = None
        try:
            report = self._asked(provider, plan, passed, tell, cancel)
        finally:
            unwritten = self._end(plan, passed, report)
        return report if unwritten is None else replace(report, unwritten=unwritten)

    def _asked(
        self,
        provider: Provider,
        plan: Plan,
        passed: Passed | None,
        tell: Tell,
        cancel: Cancel,
    ) -> Report:
        if passed is not None and not passed.allows(steady_now()):
            return Report(plan, "refused", Reply("refused", "the look at it is too old", _AGAIN))
        tell(Moment("sending", plan.action, plan.instance.state))
        confirmation = Confirmation(
            *(self._accounts, plan, _sent(provider, plan), tell),
            patience=self._patience,
            clock=self._clock,
            wait=self._wait,
        )
        return confirmation.run(cancel)

    def _end(
        self,
        plan: Plan,
        passed: Passed | None,
        report: Report | None,
    ) -> str | None:
        """Write down how it ended; return why that was not possible."""
        try:
            self._journal.add(ended_entry(plan, passed, report))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            return f"{self._journal.path} cannot be written: {reason}"
        return None

    def _by_another_hand(self, plan: Plan) -> Report:
        """Return that it is gone, when the list lacks it too. Raises ActionError("changed")."""
        view = self._listed(plan.bound)
        seen = self._accounts.view.find(plan.bound.provider, plan.bound.id)
        if view.error is None and (seen is None or seen.gone_maybe):
            return Report(plan, "already" if plan.action == "destroy" else "vanished")
        message = f"{plan.bound}: its provider says both that it is there and that it is not"
        raise ActionError("changed", message, f"nothing was sent; {_AGAIN}")

    def _check_mode(self, action: Action) -> None:
        if self._read_only:
            raise ActionError("denied", f"--read-only forbids {action}")

    def _provider(self, bound: Bound) -> Provider:
        found = self._accounts.provider(bound.provider)
        if found is None:
            raise ActionError("usage", f"{bound.provider} is no provider in use")
        return found

    def _listed(self, bound: Bound) -> ProviderView:
        """Return a list of this moment. Raises ProviderError."""
        view = self._accounts.refresh_one(bound.provider)
        if view is None or view.listed_at is None or view.error is not None:
            unread = ProviderError("unreachable", f"{bound.provider} tells no list of instances")
            raise (view.error if view is not None else None) or unread
        return view

    def _known(
        self, action: Action, bound: Bound, provider: Provider
    ) -> tuple[Instance, ProviderView]:
        """Return the instance as it is now. Raises as ``plan`` does.

        A list that was asked for too often closes no way to a stop: then it is asked for alone.
        """
        try:
            view = self._listed(bound)
        except ProviderError as error:
            old = self._accounts.view.provider(bound.provider)
            instance = provider.get(bound.id) if error.kind == "rate" else None
            if instance is None or old is None:
                raise
            _check_same(bound, instance)
            return self._accounts.priced(instance), old
        return self._found(action, bound, view), view

    def _found(self, action: Action, bound: Bound, view: ProviderView) -> Instance:
        seen = next((one for one in view.seen if one.instance.id == bound.id), None)
        if seen is None or seen.gone_maybe:
            message = f"{bound} is not there: {bound.provider} lists no such instance"
            if action == "destroy":
                raise NothingToDo(message)
            raise NotPossible(message, never=True)
        _check_same(bound, seen.instance)
        return seen.instance

    def names(self, bound: Bound) -> tuple[str, ...]:
        """Return what may be typed: the name where no other instance has it, and the id."""
        others = {
            word
            for one in self._accounts.view.seen
            if (one.instance.provider, one.instance.id) != (bound.provider, bound.id)
            for word in (one.instance.name, one.instance.id)
        }
        plain = bound.name == one_line(bound.name, 200).strip() and bool(bound.name)
        names = [bound.name] if plain and bound.name not in others else []
        return tuple(dict.fromkeys([*names, bound.id, f"{bound.provider}:{bound.id}"]))


_AGAIN = "look again, and decide anew"


def _check_same(bound: Bound, instance: Instance) -> None:
    other = same_instance(bound, instance)
    if other is not None:
        raise ActionError("changed", f"{bound} is not what it was: {other}", _AGAIN)


def _check_name(plan: Plan, consent: Consent) -> None:
    """Raise ActionError("usage") where a name has to be typed, or another one was typed."""
    if plan.is_named(consent.typed) or (consent.typed is None and plan.needs == "yes"):
        return
    typed = "nothing" if consent.typed is None else repr(one_line(consent.typed, 80))
    message = f"{plan.bound} was not touched: {typed} was typed, not {plan.names[0]!r}"
    raise ActionError("usage", message, f"type {plan.names[0]} to {plan.action} it")


def _sent(provider: Provider, plan: Plan) -> Reply:
    """Send it once. What was certainly not sent is a refusal."""
    calls = {"stop": provider.stop, "start": provider.start, "destroy": provider.destroy}
    try:
        return calls[plan.action](plan.bound.id)
    except ProviderError as error:
        return refusal_of(error)
    except Exception as error:  # noqa: BLE001 - it may have arrived, whatever went wrong then
        message = f"{plan.bound.provider}: {type(error).__name__}: {one_line(str(error), 160)}"
        return Reply("unconfirmed", message, "look at the list before asking again")


def _runway(action: Action, instance: Instance, view: ProviderView) -> Runway | None:
    """Return how long the credit lasts when this instance runs, None where nobody tells it."""
    if action != "start" or view.account is None or view.account.credit is None:
        return None
    others = [one.instance.rate_now for one in view.seen if one.instance.id != instance.id]
    field = view.account.credit_field or "credit"
    return runway(view.account.credit, [*others, instance.rate_running], field)
