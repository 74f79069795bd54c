"""What is known of a box's cost: boxtop.toml's word, and before it that of its provider."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tui.cli.session import Session
from tui.config.settings import BoxSettings
from tui.errors import UserError, closest
from tui.money import Rate, Terms
from tui.providers.base import Instance
from tui.targets import default_roots


def known_of(session: Session, name: str) -> dict[str, Any]:
    """Return values of a ``money.question.Question``, without what nobody tells.

    Providers are asked where boxtop.toml enables one. Raises UserError for a word that names
    nothing, and where the only list that may have it cannot be read.
    """
    settings = session.configuration.settings
    section = settings.box.get(name)
    own = {} if section is None else _configured(section, default_roots(settings, section))
    if not any(provider.enabled for provider in settings.providers.values()):
        if section is None:
            raise _no_box(name, list(settings.box))
        return own
    try:
        found = _listed(session, name)
    except UserError as error:
        if section is None:
            raise
        session.console.tell(f"by boxtop.toml alone: {error}")
        return own
    roots = own.get("paths") or default_roots(settings)
    return {**own, **_rented(found, roots)}


def _listed(session: Session, name: str) -> Instance:
    from tui.cli.instance_choice import choose_instance
    from tui.providers.errors import ProviderError

    try:
        chosen = choose_instance(session, name)
    except ProviderError as error:
        raise UserError(str(error), error.hint) from None
    bound = chosen.bound
    chosen.accounts.close()
    seen = chosen.accounts.view.find(bound.provider, bound.id)
    if seen is None:
        raise UserError(f"{bound.provider} lists no instance {bound.id}", "boxtop boxes lists all")
    return seen.instance


def _configured(section: BoxSettings, paths: Sequence[str]) -> dict[str, Any]:
    price = section.price_per_hour
    values = {
        "price": None if price is None else Rate(price, "user"),
        "gb": section.disk_gb,
        "storage": section.storage_gb_month,
        "paths": tuple(paths),
        "terms": Terms(can_stop=True if section.stop else None, kept=section.stop_keeps),
    }
    return {key: value for key, value in values.items() if value is not None}


def _rented(one: Instance, paths: Sequence[str]) -> dict[str, Any]:
    """Return what a provider tells of its instance."""
    values = {
        "provider": one.provider,
        "price": one.rate_running if one.rate_running.usd_per_hour is not None else None,
        "stopped": one.rate_stopped if one.rate_stopped.usd_per_hour is not None else None,
        "gb": one.disk_gb,
        "hours_per_month": one.hours_per_month,
        "usd_per_gb_in": one.usd_per_gb_in,
        "paths": tuple(paths),
        "terms": one.keeps,
    }
    return {key: value for key, value in values.items() if value is not None}


def _no_box(name: str, boxes: Sequence[str]) -> UserError:
    near = closest(name, boxes)
    hint = (
        f"did you mean {near}?" if near else f"boxes of boxtop.toml: {', '.join(boxes) or 'none'}"
    )
    return UserError(f"{name!r} is no box of boxtop.toml", hint)
