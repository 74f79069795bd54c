"""From an instance and its account to what people see of a rented box. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tui.boxes import InstanceName
from tui.money import Rate, Runway, runway, total
from tui.providers.account import Accounts, ProviderView, Seen
from tui.providers.base import Capabilities, Instance, State
from tui.providers.errors import ProviderError
from tui.rent import RentAction, RentView
from tui.text import one_line, said

ACTIONS: tuple[RentAction, ...] = ("stop", "start", "destroy")

_DONE: dict[RentAction, frozenset[State]] = {
    "stop": frozenset({State.STOPPED, State.STOPPING}),
    "start": frozenset({State.RUNNING, State.STARTING, State.QUEUED}),
    "destroy": frozenset({State.GONE, State.TERMINATING}),
}
"""States in which nothing is left to do."""


def rent_view(seen: Seen, provider: ProviderView, capabilities: Capabilities) -> RentView:
    """Return what people see of one instance; its account's credit counts all its boxes."""
    one = seen.instance
    account = provider.account
    address = next(iter(one.addresses), None)
    cannot = dict(_cannot(one, capabilities))
    return RentView(
        provider=one.provider,
        id=one.id,
        name=one.name,
        state=str(one.state),
        raw_state=one.raw_state,
        reason=one.reason,
        gpu_name=one.gpu_name,
        gpu_count=one.gpu_count,
        rate_now=one.rate_now,
        rate_running=one.rate_running,
        rate_stopped=one.rate_stopped,
        rate_assumed=one.rate_assumed,
        contract_end=one.contract_end,
        created_at=one.created_at,
        disk_gb=one.disk_gb,
        address=address.target.place if address is not None else None,
        credit=account.credit if account is not None else None,
        credit_field=account.credit_field if account is not None else None,
        runway=account_runway(provider),
        at_zero=account.at_zero if account is not None else None,
        listed_at=provider.listed_at,
        age_s=provider.earlier_s,
        error=one_line(str(provider.error)) if provider.error is not None else None,
        hint=provider.error.hint if provider.error is not None else None,
        gone_maybe=seen.gone_maybe,
        can=frozenset(action for action in ACTIONS if action not in cannot),
        cannot=cannot,
        warnings=(*one.warnings, *_where_to_look(one, capabilities)),
    )


def _where_to_look(one: Instance, capabilities: Capabilities) -> Iterator[str]:
    if one.state is State.FAILED and capabilities.has_logs:
        yield f"`boxtop logs {one.provider}:{one.id} --provider` may tell why"


def account_runway(provider: ProviderView) -> Runway | None:
    """Return how long the account's credit lasts for all its boxes; None where it has none.

    What the vendor says that the whole account bills counts where it is more than its boxes tell:
    there are things that no list of instances holds.
    """
    account = provider.account
    if account is None and provider.account_error is not None:
        return Runway(None, None, f"it cannot be read: {said(str(provider.account_error), 160)}")
    if account is None or (account.credit is None and account.credit_field is None):
        return None
    told = total(rate.usd_per_hour for rate in provider.rates).usd or 0.0
    is_more = (account.reported_rate.usd_per_hour or 0.0) > told
    rates = (account.reported_rate,) if is_more else provider.rates
    return runway(account.credit, rates, account.credit_field or "credit")


def gone_view(last: RentView) -> RentView:
    """Return an instance that two lists lacked: it bills nothing, and nothing can be done to it."""
    return replace(
        last,
        state=str(State.GONE),
        gone=True,
        gone_maybe=False,
        rate_now=Rate(0.0, "computed"),
        can=frozenset(),
        cannot=dict.fromkeys(ACTIONS, "it is gone"),
    )


def _cannot(one: Instance, capabilities: Capabilities) -> Iterator[tuple[RentAction, str]]:
    for action in ACTIONS:
        if not capabilities.can(action):
            note = capabilities.stop_note if action == "stop" else None
            yield action, note or f"{one.provider} has no {action}"
        elif one.state in _DONE[action]:
            yield action, f"it is {one.state} already"
        elif one.allowed is not None and action not in one.allowed:
            yield action, f"{one.provider} allows no {action} while it is {one.state}"


def missing_view(
    name: InstanceName, provider: ProviderView | None, problem: ProviderError | None
) -> RentView:
    """Return what there is to say of an instance that no list has shown yet."""
    error = problem or (provider.error if provider is not None else None)
    if error is not None:
        reason = str(error)
    elif provider is None:
        reason = f"[providers.{name.provider}] is not enabled in boxtop.toml"
    elif provider.listed_at is None:
        reason = f"asking {name.provider}"
    else:
        reason = f"{name.provider} lists no instance {name.id}"
    return RentView(
        provider=name.provider,
        id=name.id,
        name=str(name),
        state=str(State.UNKNOWN),
        reason=one_line(reason, 300),
        error=None if error is None else one_line(str(error), 300),
        hint=None if error is None else error.hint,
        cannot=dict.fromkeys(ACTIONS, one_line(reason, 300)),
    )


def told_of(
    name: InstanceName, accounts: Accounts, problems: Mapping[str, ProviderError]
) -> RentView:
    """Return what is known of an instance at this moment."""
    view = accounts.view
    provider, seen = view.provider(name.provider), view.find(name.provider, name.id)
    watched = accounts.provider(name.provider)
    if seen is None or provider is None or watched is None:
        return missing_view(name, provider, problems.get(name.provider))
    return rent_view(seen, provider, watched.capabilities)
