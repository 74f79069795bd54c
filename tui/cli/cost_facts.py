"""What is known of a box's cost: boxtop.toml's word, and before it that of its provider."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from tui.cli.earlier_list import last_listed
from tui.cli.session import Session
from tui.config.settings import BoxSettings
from tui.errors import UserError, closest
from tui.money import Rate, Terms, hours_text
from tui.providers.base import Instance
from tui.providers.errors import ProviderError
from tui.rent import COMMAND
from tui.rented.opening import has_commands
from tui.runs.mirrors import Mirrors
from tui.targets import configured_box, default_roots
from tui.text import one_line


class Known(NamedTuple):
    """Values of a ``money.question.Question``, without what nobody tells.

    ``confirmed`` is False where a provider's list was needed and could not be read; ``list_age_s``
    is how old the one is that counts in its place, in seconds.
    """

    values: dict[str, Any]
    confirmed: bool = True
    list_age_s: float | None = None


def known_of(session: Session, name: str) -> Known:
    """Return what boxtop.toml and the providers that it enables tell of a box or an instance.

    Where a list cannot be read, the last one that was counts, and a line on stderr says so. Raises
    UserError for a word that names nothing, and ProviderError where only a list that cannot be
    read may have it.
    """
    settings = session.configuration.settings
    section = settings.box.get(name)
    own = {} if section is None else _configured(section, _own_places(session, name, section))
    if not any(provider.enabled for provider in settings.providers.values()):
        if section is None:
            raise _no_box(name, list(settings.box))
        if section.instance is not None:
            vendor = section.instance.partition(":")[0]
            session.console.tell(f"by boxtop.toml alone: [providers.{vendor}] is not enabled")
        return Known(own)
    may_be_rented = section is None or not has_commands(section)
    try:
        return Known(_joined(session, own, _listed(session, name, may_be_rented)))
    except ProviderError as error:
        session.console.tell_error(UserError(str(error), error.hint))
        earlier = last_listed(session, name)
        if earlier is None and section is None:
            raise
        if earlier is None:
            session.console.tell("by boxtop.toml alone")
            return Known(own, confirmed=False)
        session.console.tell(f"as it was {hours_text(earlier[1])} ago")
        values = _joined(session, own, earlier[0])
        return Known(values, confirmed=False, list_age_s=earlier[1])
    except UserError as error:
        if section is None:
            raise
        session.console.tell(f"by boxtop.toml alone: {error}")
        return Known(own)


def _listed(session: Session, name: str, may_be_rented: bool) -> Instance:
    """Return the instance. A box with a price alone may be one of a list that did not come."""
    from tui.cli.instance_choice import choose_instance

    chosen = choose_instance(session, name)
    bound, view = chosen.bound, chosen.accounts.view
    chosen.accounts.close()
    unread = next((one.error for one in view.providers if one.error is not None), None)
    if unread is not None and may_be_rented and bound.provider == COMMAND:
        raise unread
    own = view.provider(bound.provider)
    if own is not None and own.listed_at is None and own.error is not None:
        raise own.error
    seen = view.find(bound.provider, bound.id)
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


def _joined(session: Session, own: dict[str, Any], one: Instance) -> dict[str, Any]:
    """Return what boxtop.toml says of a box, and before it what its provider tells.

    A vendor that tells no running price of a stopped box told it while the box ran.
    """
    name = f"{one.provider}:{one.id}"
    if one.rate_running.usd_per_hour is None and (before := last_listed(session, name)):
        one = replace(one, rate_running=before[0].rate_running)
    places = _seen_places(session, name, name) or default_roots(session.configuration.settings)
    return {"paths": places, **own, **_rented(one)}


def _own_places(session: Session, name: str, section: BoxSettings) -> tuple[str, ...]:
    roots = default_roots(session.configuration.settings, section)
    with suppress(UserError):  # its prices are weighed also where its address is wrong
        box = configured_box(name, session.names)
        return _seen_places(session, box.kept_as, box.text) or box.roots
    return roots


def _seen_places(session: Session, kept_as: str, text: str) -> tuple[str, ...]:
    """Return the directories in which a box's runs were seen, where any ever was."""
    mirror = Mirrors(session.data).box(kept_as, one_line(text))
    return tuple(sorted({posixpath.dirname(run.meta.path) for run in mirror.runs()}))


def _rented(one: Instance) -> dict[str, Any]:
    """Return what a provider tells of its instance."""
    values = {
        "provider": one.provider,
        "price": one.rate_running if one.rate_running.usd_per_hour is not None else None,
        "stopped": one.rate_stopped if one.rate_stopped.usd_per_hour is not None else None,
        "gb": one.disk_gb,
        "hours_per_month": one.hours_per_month,
        "usd_per_gb_in": one.usd_per_gb_in,
        "terms": one.keeps,
    }
    return {key: value for key, value in values.items() if value is not None}


def _no_box(name: str, boxes: Sequence[str]) -> UserError:
    near = closest(name, boxes)
    hint = (
        f"did you mean {near}?" if near else f"boxes of boxtop.toml: {', '.join(boxes) or 'none'}"
    )
    return UserError(f"{name!r} is no box of boxtop.toml", hint)
