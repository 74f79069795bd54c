"""The accounts that boxtop.toml gives access to, with what cannot be used and why."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tui.clock import Clock
from tui.config.settings import BoxSettings, Settings
from tui.rent import COMMAND

if TYPE_CHECKING:
    from tui.providers.account import Accounts
    from tui.providers.errors import ProviderError


@dataclass(frozen=True)
class Opened:
    """``problems`` maps a provider's name to why it cannot be used; ``warnings`` are lines."""

    accounts: Accounts
    problems: Mapping[str, ProviderError] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rents:
    """``adds``: instances that are no box yet are watched, too. ``same_machine`` as the gate's."""

    opened: Opened
    adds: bool = True
    same_machine: bool | None = None


def rents_anything(settings: Settings) -> bool:
    """Whether anybody could tell what a box costs: a provider, or a command or price of a box.

    Imports no provider.
    """
    if accounts_named(settings):
        return True
    return any(has_commands(box) or box.price_per_hour is not None for box in settings.box.values())


def accounts_named(settings: Settings) -> tuple[str, ...]:
    """Return the names of the providers that are enabled."""
    return tuple(name for name, section in settings.providers.items() if section.enabled)


def has_commands(box: BoxSettings) -> bool:
    """Whether a box brings commands of its own: then nobody else ends it."""
    return any((box.stop, box.start, box.destroy, box.state))


def provider_named(box: BoxSettings) -> str | None:
    """Return the provider that a section names by itself, None where only an address may tell."""
    if box.instance is not None:
        return box.instance.partition(":")[0]
    return COMMAND if has_commands(box) else None


def open_accounts(
    settings: Settings, environment: Mapping[str, str] = os.environ, clock: Clock | None = None
) -> Opened | None:
    """Return all accounts, None where boxtop.toml names none; nothing is connected yet."""
    if not rents_anything(settings):
        return None
    from tui.providers.account import Accounts
    from tui.providers.factory import providers_of

    made = providers_of(settings, environment, clock)
    return Opened(Accounts(made.enabled, clock, made.owners), made.problems, made.warnings)
