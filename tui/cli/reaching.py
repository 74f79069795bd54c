"""How a rented box is reached: its provider is asked, before a verb connects to it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from tui.boxes import Box, SshTarget
from tui.cli.session import Session
from tui.errors import UserError
from tui.links.base import LinkError
from tui.money import hours_text
from tui.text import one_line, said

if TYPE_CHECKING:
    from tui.providers.account import ProviderView


def box_to_read(session: Session, target: str) -> Box:
    """Return the box that a target names, reached as its provider tells now, or told last.

    How old that is, and why, is told. Raises UserError and ProviderError for a word that names no
    box; a box without an address has a ``fault``.
    """
    (box,) = session.boxes([target], now=True)
    return _reached(session, box, acts=False)


def box_to_act_on(session: Session, target: str) -> Box:
    """As ``box_to_read``, for what changes something there: an address of now is needed.

    Its price is what it bills now, where boxtop.toml says none.

    Raises LinkError where no list of now has it.
    """
    (box,) = session.boxes([target], now=True)
    return _reached(session, box, acts=True)


def _reached(session: Session, box: Box, *, acts: bool) -> Box:
    if not box.from_provider or box.instance is None:
        return box
    from tui.cli.rented import ask_providers

    asking = ask_providers(session, [box], everything=False)
    if asking is None:
        return box
    with closing(asking):
        (found,) = asking.addressed([box])
        view = asking.view().provider(box.instance.provider)
        rent = asking.rent_of(box)
    is_old = view is not None and view.error is not None
    if view is not None and is_old:
        _tell_age(session, found, view, acts=acts)
    if acts and found.fault is not None:
        raise LinkError("no_address", f"{said(box.name)}: {found.fault}", found.hint)
    if acts and found.price_per_hour is None and rent is not None:
        return replace(found, price_per_hour=rent.rate_now.usd_per_hour)
    return found


def _tell_age(session: Session, found: Box, view: ProviderView, *, acts: bool) -> None:
    """Say how old an address is. Raises LinkError where something is to be done there."""
    age = "" if view.earlier_s is None else f" {hours_text(view.earlier_s)} ago"
    if not acts and found.fault is None:
        text = f"{said(found.name)} is looked for where it was{age}: {view.error}"
        session.console.tell_error(UserError(text, view.error.hint if view.error else None))
    if not acts or found.fault is not None:
        return
    assert isinstance(found.target, SshTarget)
    raise LinkError(
        "no_address",
        f"{said(found.name)}: its address is not known now: {view.error}",
        f"it was {one_line(found.target.address, 120)}{age}: name that, if you know it still is",
    )
