"""The providers that boxtop.toml enables, made from their keys and addresses."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from tui.clock import Clock
from tui.config.settings import ProviderSettings, Settings
from tui.providers.base import Provider
from tui.providers.command import Commands, has_provider
from tui.providers.errors import ProviderError
from tui.providers.keys import Key, find_key
from tui.providers.unusable import Unusable
from tui.providers.urls import DEFAULTS, base_url


@dataclass(frozen=True, slots=True)
class Made:
    """``problems`` maps a provider's name to why it cannot be used; ``warnings`` are lines.

    ``owners`` maps a provider's name to the mark of its key.
    """

    providers: tuple[Provider, ...]
    problems: Mapping[str, ProviderError]
    warnings: tuple[str, ...] = ()
    owners: Mapping[str, str] = field(default_factory=dict)

    @property
    def enabled(self) -> tuple[Provider, ...]:
        """All that are enabled; one that cannot be used says why instead of a list."""
        unusable = (Unusable(name, error) for name, error in self.problems.items())
        return (*self.providers, *unusable)


def providers_of(
    settings: Settings,
    environment: Mapping[str, str] = os.environ,
    clock: Clock | None = None,
) -> Made:
    """Return the providers of all enabled [providers.NAME], and one for boxes with commands.

    Nothing is connected. A provider without a key is a problem of its own, not of the others.
    """
    providers: list[Provider] = []
    problems: dict[str, ProviderError] = {}
    warnings: list[str] = []
    owners: dict[str, str] = {}
    for name, section in settings.providers.items():
        if not section.enabled:
            continue
        try:
            provider, key = make_provider(name, section, environment, clock)
        except ProviderError as error:
            problems[name] = error
            continue
        providers.append(provider)
        if key is not None:
            owners[name] = key.mark
            warnings += [key.warning] if key.warning is not None else []
    if any(has_provider(box) for box in settings.box.values()):
        providers.append(Commands(settings.box))
    return Made(tuple(providers), problems, tuple(warnings), owners)


def make_provider(
    name: str,
    settings: ProviderSettings,
    environment: Mapping[str, str] = os.environ,
    clock: Clock | None = None,
) -> tuple[Provider, Key | None]:
    """Return a provider, and its key where it has one. Raises ProviderError."""
    if name == "skypilot":
        from tui.providers.skypilot import SkyPilot

        return SkyPilot(), None
    if name not in DEFAULTS:
        raise ProviderError("unsupported", f"boxtop cannot read instances of {name} yet")
    key = find_key(name, settings, environment)
    return _with_key(name, base_url(name, environment), key, clock), key


def _with_key(name: str, base: str, key: Key, clock: Clock | None) -> Provider:
    from tui.providers.http import Api
    from tui.providers.pace import Pace

    def api(spacing: Mapping[str, float]) -> Api:
        return Api(name, base, key, Pace(spacing, clock), clock)

    match name:
        case "vast":
            from tui.providers import vast

            return vast.Vast(api(vast.SPACING))
        case "runpod":
            from tui.providers import runpod

            return runpod.RunPod(api(runpod.SPACING))
    from tui.providers import lambda_

    return lambda_.Lambda(api(lambda_.SPACING))
