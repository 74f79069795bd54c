"""Pushes of a run that were begun and are followed no longer: learned of, waited for, told."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.hub_problem import HubError
from tui.actions.hub_token import Token
from tui.actions.progress import Progress
from tui.actions.push import Unproven
from tui.actions.saving import Saving
from tui.cli.progress import ProgressLine
from tui.cli.session import Session
from tui.runs.pending import PendingPush
from tui.text import said

GLANCE_SECONDS = 15.0
"""How long to look at the pushes to other repositories, in all."""
RUNNING_SECONDS = 3.0
"""A push that shows its progress for so long without an end still runs."""
LATER = "`boxtop push` again later learns how it ended"


class Earlier:
    """The earlier pushes of one run, before a new one to ``repo``."""

    def __init__(
        self, session: Session, saving: Saving, token: Token, run: str, cancel: Cancel
    ) -> None:
        self._session = session
        self._saving = saving
        self._token = token
        self._run = run
        self._cancel = cancel

    def settle(self, repo: str) -> None:
        """Learn of them: they may have saved what is asked for.

        One to the same repository is waited for; others are looked at for a few seconds.
        """
        pushes = sorted(self._saving.unsettled(self._run), key=lambda push: push.at)
        until = time.monotonic() + GLANCE_SECONDS
        for push in pushes:
            if push.repo.casefold() != repo.casefold():
                self._glance(push, until)
        for push in pushes:
            if push.repo.casefold() == repo.casefold():
                self._wait(push)

    def _glance(self, push: PendingPush, until: float) -> None:
        left = until - time.monotonic()
        if left <= 0:
            self._session.console.tell(f"{_named(push)} was not looked at; {LATER}")
            return
        look = _Look(left, self._cancel)
        try:
            self._learn(push, look.tell, look.cancel)
        except ActionError as error:
            self._cancel.check()
            if look.runs and look.cancel.cancelled:
                self._session.console.tell(f"{_named(push)} still runs; {LATER}")
            else:
                why = "the box did not answer in time" if look.cancel.cancelled else str(error)
                self._session.console.tell(f"{_named(push)}: {why}; {LATER}")
        finally:
            look.end()

    def _wait(self, push: PendingPush) -> None:
        line = ProgressLine(self._session.console)
        self._session.console.tell(f"{_named(push)} had not ended: it comes first")
        try:
            self._learn(push, line.show, self._cancel, line.end)
        except KeyboardInterrupt:
            line.end()
            self._session.console.tell(f"it goes on; {LATER}")
            raise
        except ActionError as error:
            line.end()
            self._cancel.check()
            self._session.console.tell(f"how it ended cannot be seen now: {error}; {LATER}")
        finally:
            line.end()

    def _learn(
        self,
        push: PendingPush,
        tell: Callable[[Progress], None],
        cancel: Cancel,
        end: Callable[[], None] = lambda: None,
    ) -> None:
        """Tell how a push ended. Raises ActionError where that cannot be seen."""
        console = self._session.console
        try:
            pushed = self._saving.settle(self._token, push, tell, cancel)
        except Unproven as error:
            end()
            console.tell(f"{_named(push)}: {error}; {LATER}")
        except HubError as error:
            end()
            console.tell(f"{_named(push)} failed: {error}")
        else:
            end()
            console.tell(f"{_named(push)} has ended well: commit {pushed.commit[:10]}")


class _Look:
    """A look that ends by itself: soon once progress is seen, at last when its time is up."""

    def __init__(self, seconds: float, whole: Cancel) -> None:
        self.cancel = Cancel()
        self.runs = False
        self._timers = [threading.Timer(seconds, self.cancel.cancel)]
        self._timers[0].daemon = True
        self._timers[0].start()
        whole.ends(self.cancel.cancel)

    def tell(self, progress: Progress) -> None:
        """Take a sign of its progress."""
        if not self.runs:
            self.runs = True
            timer = threading.Timer(RUNNING_SECONDS, self.cancel.cancel)
            timer.daemon = True
            timer.start()
            self._timers.append(timer)

    def end(self) -> None:
        """Stop the clock."""
        for timer in self._timers:
            timer.cancel()


@contextmanager
def what_goes_on(session: Session, saving: Saving, run: str) -> Iterator[None]:
    """Say what becomes of a push that is followed no longer: Ctrl-C, or a link that broke."""
    known = {push.job for push in saving.unsettled(run)}

    def begun() -> str | None:
        for push in saving.unsettled(run):
            if push.job not in known:
                where = "the box" if push.via == "box" else "this machine"
                return (
                    f"{where} goes on with the upload to {push.repo}; the next `boxtop push` of "
                    "this run, or the screen, learns how it ended"
                )
        return None

    try:
        yield
    except KeyboardInterrupt:
        session.console.tell(begun() or "this push had not begun: nothing of it is on the Hub")
        raise
    except ActionError as error:
        goes = begun()
        if goes is None:
            raise
        hint = f"{error.hint}; {goes}" if error.hint else goes
        raise ActionError(error.kind, str(error), hint) from error


def _named(push: PendingPush) -> str:
    names = ", ".join(said(name, 60) for name in push.names) or "small files"
    return f"an earlier push of {names} to {said(push.repo, 120)}"
