"""What the command line asks of providers, beside a look at the boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from tui.boxes import Box, LocalTarget, RecordingTarget
from tui.cli.session import Session
from tui.errors import UserError

if TYPE_CHECKING:
    from tui.config.settings import Settings
    from tui.rented.asking import Asking
    from tui.rented.book import Book


def ask_providers(session: Session, boxes: Sequence[Box], *, everything: bool) -> Asking | None:
    """Begin to ask the providers of boxtop.toml; None where none could tell anything of these.

    ``everything`` says that instances which are none of the boxes are wanted, too. Nobody is asked
    twice in one call of boxtop.
    """
    from tui.rented.opening import open_accounts, rents_anything

    if session.asking is not None:
        return session.asking
    settings = session.configuration.settings
    if not rents_anything(settings):
        return None
    if not everything and all(_is_here(box) and box.name not in settings.box for box in boxes):
        return None
    opened = open_accounts(settings)
    assert opened is not None
    for warning in opened.warnings:
        session.console.tell(warning)
    from tui.cli.remembered import remembered
    from tui.rented.asking import Asking

    asking = Asking(
        opened,
        book_of(session),
        only=None if everything else _needed(boxes, settings),
        known=lambda box: next(remembered(session.data, box), None),
        priced=_priced(session),
        seconds=session.patience,
    )
    if everything:
        session.asking = asking
    return asking


def _priced(session: Session) -> list[Box]:
    """Return the boxes that boxtop.toml gives a price and no commands: another may bill them."""
    from tui.rented.opening import has_commands
    from tui.targets import configured_box

    found = []
    for name, section in session.configuration.settings.box.items():
        if section.price_per_hour is not None and not has_commands(section):
            with suppress(UserError):  # what is wrong with it is told where it is looked at
                found.append(configured_box(name, session.names))
    return found


def _needed(boxes: Sequence[Box], settings: Settings) -> frozenset[str] | None:
    """Return the providers that these boxes name, None where an address may be of any."""
    from tui.rented.opening import provider_named

    names: set[str] = set()
    for box in boxes:
        section = settings.box.get(box.mirror or box.name)
        named = box.instance.provider if box.instance is not None else None
        if named is None and section is not None:
            named = provider_named(section)
        if named is None:
            return None
        names.add(named)
    return frozenset(names)


def book_of(session: Session) -> Book | None:
    """Return the book of what was paid, None where nothing can be kept."""
    from tui.config.paths import keeping_problem
    from tui.rented.book import Book

    return Book(session.data) if keeping_problem(session.data) is None else None


def provider_troubles(asking: Asking) -> Iterator[UserError]:
    """Yield what is wrong with each provider that could not be used or read."""
    for name, error in asking.opened.problems.items():
        if asking.needs(name):
            yield UserError(str(error), error.hint)
    for provider in asking.view().providers:
        if not asking.needs(provider.provider) or provider.provider in asking.opened.problems:
            continue
        if provider.error is not None:
            yield UserError(str(provider.error), provider.error.hint)
        for warning in provider.warnings:
            yield UserError(warning)


def nobody_text(asking: Asking) -> str:
    """Return what to say where no box is known: an account that cannot be read may hold some."""
    views = asking.view().providers
    unread = [view.provider for view in views if view.listed_at is None or view.error is not None]
    unread += [name for name in asking.opened.problems if name not in unread]
    if unread:
        return f"no box is known, and what {' and '.join(unread)} may hold could not be read"
    listed = [view.provider for view in views]
    verb = "lists" if len(listed) == 1 else "list"
    return f"no boxes: boxtop.toml names none, and {' and '.join(listed)} {verb} no instance"


def _is_here(box: Box) -> bool:
    return isinstance(box.target, LocalTarget | RecordingTarget)
