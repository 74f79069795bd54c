"""Boxes by the names that the lists of instances have: those of now, and those that came last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tui.boxes import Box
from tui.errors import UserError, closest
from tui.rented.opening import accounts_named
from tui.text import one_line, said

if TYPE_CHECKING:
    from tui.cli.session import Session
    from tui.providers.base import Instance
    from tui.rented.asking import Asking

_MOST_NAMED = 10


def kept_box(session: Session, text: str) -> Box | None:
    """Return the box whose instance a list that is kept calls so; nobody is asked.

    Raises UserError where several are called so.
    """
    return _found(session, text, _kept(session))


def kept_names(session: Session) -> list[str]:
    """Return what the boxes of the lists that are kept are called, as `boxtop boxes` has them."""
    from tui.rented.tie import unnamed

    taken = session.configuration.settings.box
    return [box.name for box in unnamed(_kept(session), {}, (), taken)]


def _kept(session: Session) -> list[Instance]:
    names = accounts_named(session.configuration.settings)
    if not names:
        return []
    from tui.rented.listings import Listings

    kept = Listings(session.data)
    lists = [kept.earlier(name) for name in names]
    return [one.instance for each in lists if each for one in each.seen]


def listed_box(session: Session, text: str) -> Box | None:
    """Return the box whose instance is called so by the lists of now, or by the last that came.

    Every account is asked. Raises UserError where several are called so, and ProviderError where
    only a list that cannot be read may have it.
    """
    if not accounts_named(session.configuration.settings):
        return None
    from tui.cli.rented import ask_providers

    asking = ask_providers(session, (), everything=True)
    assert asking is not None
    instances = [seen.instance for seen in asking.view().seen]
    found = _found(session, text, instances)
    if found is None:
        _check_all_read(text, asking)
        _guess(text, instances)
    return found


def _found(session: Session, text: str, instances: Sequence[Instance]) -> Box | None:
    """Return a box for ``NAME`` or ``NAME:RUN``; of boxtop.toml where it is one of those."""
    name, colon, run = text.partition(":")
    for word, wanted in ((text, None), (name, run.rstrip("/") or None if colon else None)):
        one = _only(word, [each for each in instances if _is_called(each, word)])
        if one is not None:
            return replace(_box(session, one, word), run=wanted)
    return None


def _is_called(one: Instance, word: str) -> bool:
    from tui.providers.base import State
    from tui.rent import COMMAND
    from tui.rented.tie import box_of, long_name

    if one.provider == COMMAND or one.state is State.GONE:
        return False
    return word in (one.id, one.name, box_of(one, ()).name, long_name(one))


def _only(word: str, found: Sequence[Instance]) -> Instance | None:
    if len(found) > 1:
        listed = [f"{one.provider}:{one_line(one.id, 40)}" for one in found[:_MOST_NAMED]]
        raise UserError(
            f"{one_line(word, 80)!r} is {len(found)} instances", f"name one: {', '.join(listed)}"
        )
    return found[0] if found else None


def _box(session: Session, one: Instance, word: str) -> Box:
    """Return an instance's box; it is reached as its provider tells when it is asked."""
    from tui.boxes import InstanceName
    from tui.rented.tie import box_of, long_name
    from tui.targets import configured_box, default_roots
    from tui.targets.instances import rented_box

    settings = session.configuration.settings
    own = InstanceName(one.provider, one.id)
    for name, section in settings.box.items():
        if section.instance == str(own):
            return configured_box(name, session.names)
    roots = default_roots(settings)
    is_long = word == long_name(one)
    return replace(rented_box(own, roots), name=word if is_long else box_of(one, roots).name)


def _check_all_read(text: str, asking: Asking) -> None:
    """Raise ProviderError where an account of which nothing is known may hold it."""
    from tui.providers.errors import ProviderError

    for view in asking.view().providers:
        if view.error is not None and view.listed_at is None:
            message = (
                f"{one_line(text, 80)!r} is no box of boxtop.toml, no host of ~/.ssh/config and "
                f"no directory here, and what {view.provider} lists is not known: {view.error}"
            )
            raise ProviderError(view.error.kind, message, view.error.hint)


def _guess(text: str, instances: Sequence[Instance]) -> None:
    """Raise UserError where the lists have a name that is almost this one."""
    near = closest(text.partition(":")[0], [one.name for one in instances])
    if near is not None:
        raise UserError(
            f"{one_line(text, 80)!r} is no box of boxtop.toml, no host of ~/.ssh/config, no "
            "directory here, and no instance is called so",
            f"did you mean {said(near, 80)}?",
        )
