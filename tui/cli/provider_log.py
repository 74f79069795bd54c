"""`boxtop logs BOX --provider`: what a provider kept of an instance, also if it never ran."""

from __future__ import annotations

from tui.bills import state_text
from tui.boxes import InstanceName
from tui.cli.instance_choice import Chosen, choose_instance
from tui.cli.session import Session
from tui.errors import UserError
from tui.providers.errors import ProviderError
from tui.rent import RentView
from tui.rented.view import told_of
from tui.report.exit_code import NOT_CONFIRMED, USAGE, WELL
from tui.text import said

_MISTAKES = ("unsupported", "usage")


def show_provider_log(session: Session, word: str, lines: int, *, as_json: bool) -> int:
    """Print the newest lines of an instance's log at its provider, and on stderr its state.

    Returns the exit code. Raises UserError for a word that names no instance.
    """
    try:
        chosen = choose_instance(session, word)
        try:
            rent, found = _told(chosen), _log(chosen, lines)
        finally:
            chosen.accounts.close()
    except ProviderError as error:
        session.console.tell_error(UserError(str(error), error.hint))
        return USAGE if error.kind in _MISTAKES else NOT_CONFIRMED
    if as_json:
        session.console.say_all([_document(rent, found)])
        return WELL
    reason = f": {said(rent.reason, 200)}" if rent.reason else ""
    session.console.tell(f"{rent.provider} {said(rent.id, 40)} is {state_text(rent)}{reason}")
    session.console.say_all(found)
    if lines and not found:
        session.console.tell(f"{rent.provider} keeps no line of it")
    return WELL


def _told(chosen: Chosen) -> RentView:
    bound = chosen.bound
    return told_of(InstanceName(bound.provider, bound.id), chosen.accounts, {})


def _log(chosen: Chosen, lines: int) -> tuple[str, ...]:
    """Return the newest lines. Raises ProviderError, also where it keeps no logs at all."""
    provider = chosen.accounts.provider(chosen.bound.provider)
    assert provider is not None
    return provider.logs(chosen.bound.id, max(lines, 1))[-lines:] if lines else ()


def _document(rent: RentView, lines: tuple[str, ...]) -> str:
    from tui.report.document import exact, json_text, rent_document

    return json_text(
        {
            "schema_version": 1,
            "provider": rent_document(rent),
            "log": "provider",
            "lines": [exact(line) for line in lines],
        }
    )
