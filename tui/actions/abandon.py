"""Ending an upload that nobody wants any more, wherever it runs."""

from __future__ import annotations

from collections.abc import Callable

from tui.actions.errors import ActionError
from tui.actions.hub_problem import HubError
from tui.actions.hub_program import HubProgram
from tui.actions.hub_remote import RemoteHub
from tui.actions.hub_token import Token
from tui.actions.shell import HereShell, Shell
from tui.runs.pending import PendingFile, PendingPush


def abandon(
    shell: Shell, token: Token, push: PendingPush, notes: PendingFile, endpoint: str | None = None
) -> bool:
    """End an upload; returns whether it is ended for sure, and forgets it then.

    One whose commit may have landed already is left to be learned of, like any other.
    """
    here = HereShell()
    remote = RemoteHub(token, endpoint)
    program = HubProgram(here if push.via == "here" else shell, endpoint, remote.asked(push.repo))
    try:
        outcome = program.cancel(push.job)
        if outcome.ok or outcome.landed is not False:
            return False
        _quietly(lambda: program.forget(push.job))
    except (ActionError, HubError):
        return False
    finally:
        here.close()
    notes.remove(push.job)
    return True


def _quietly(act: Callable[[], None]) -> None:
    try:
        act()
    except (ActionError, HubError):
        return
