"""A finish line without a screen: one line on stderr for each change, and an exit code."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import ExitStack

from tui.actions.access import FleetAccess
from tui.actions.errors import ActionError
from tui.actions.finish_desk import FinishDesk, FleetBoxes
from tui.actions.finish_line import FinishView, Result
from tui.actions.finish_wish import Setting
from tui.actions.finish_words import leaving_text, view_text
from tui.actions.finishes import Finishes
from tui.actions.hub_listing import hub_listing
from tui.actions.instance import InstanceActions
from tui.actions.instance_watched import watched_sight
from tui.actions.journal import Journal
from tui.actions.transfers import Transfers
from tui.alerts.ends import Ended, ended_early, ended_of
from tui.cli.finish_alerts import alerting
from tui.cli.renting import renting
from tui.cli.session import Session
from tui.errors import UserError
from tui.report.exit_code import (
    BOX_NOT_READ,
    INTERRUPTED,
    NOT_CONFIRMED,
    REFUSED_BY_GATE,
    RUN_NEEDS_A_PERSON,
    WELL,
)
from tui.runs.embargo import Embargo
from tui.watch.fleet import Fleet

TICK_SECONDS = 0.2
CODES: dict[Result, int] = {
    "done": WELL,
    "cancelled": INTERRUPTED,
    "refused": REFUSED_BY_GATE,
    "failed": NOT_CONFIRMED,
    "unconfirmed": NOT_CONFIRMED,
}


def finish_headless(session: Session, targets: tuple[str, ...], setting: Setting) -> int:
    """Wait for the end of all training on a box, do what was asked for, and return the exit code.

    3 where a run ended in a way that was not asked for, 4 where the box refuses the connection.
    """
    (box,) = session.boxes(targets, now=True)
    data = session.keeping([box])
    with ExitStack() as stack:
        fleet = Fleet([box], session.asker, data)
        stack.callback(fleet.close)
        access = FleetAccess(fleet, session.asker)
        transfers = Transfers(access, embargo=None if data is None else Embargo(data))
        stack.callback(transfers.close)
        rental = stack.enter_context(renting(session, fleet))
        desk = FinishDesk(
            FleetBoxes(fleet),
            transfers,
            session.hub,
            actions=None if rental is None else InstanceActions(rental.accounts, session.data),
            sight=lambda name: watched_sight(fleet, access, name, session.data, hub_listing),
            journal=None if data is None else Journal(data),
        )
        lines = _Lines(session)
        finishes = Finishes(desk, lines.told)
        stack.callback(finishes.close)
        try:
            finishes.set(setting)
        except ActionError as error:
            raise UserError(str(error), error.hint) from None
        waiting = _Waiting(session, fleet, finishes, setting.box)
        stack.enter_context(alerting(session, fleet, box, transfers, data, waiting.ends))
        return waiting.until_over(lines)


class _Lines:
    """Says each change once, and wakes whoever waits for the end."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._last = ""
        self._is_mute = False
        self.news = threading.Event()

    def mute(self) -> None:
        """Say nothing more: how it ended was told."""
        self._is_mute = True

    def told(self, view: FinishView) -> None:
        """From a finish line's thread: say what is new of it."""
        if view.text != self._last and not self._is_mute:
            self._last = view.text
            self._session.console.tell(view_text(view))
        self.news.set()


class _Waiting:
    def __init__(self, session: Session, fleet: Fleet, finishes: Finishes, box: str) -> None:
        self._session = session
        self._fleet = fleet
        self._finishes = finishes
        self._box = box
        self._left: Ended | None = None

    def until_over(self, lines: _Lines) -> int:
        """Wait; Ctrl-C ends it, and says what is left undone."""
        try:
            while (code := self._code()) is None:
                lines.news.wait(TICK_SECONDS)
                lines.news.clear()
            lines.mute()
            return code
        except KeyboardInterrupt:
            before = self._view()
            self._finishes.close()
            after = self._view()
            sent = after.result in ("done", "unconfirmed")
            self._session.console.tell(leaving_text(after if sent else before))
            return INTERRUPTED

    def ends(self) -> Sequence[Ended]:
        """Return how it ended, for who is told of that; nobody is told what a person ended."""
        if self._left is not None:
            return (self._left,)
        ended = ended_of(self._view())
        return () if ended is None else (ended,)

    def _code(self) -> int | None:
        """Return the exit code once it is over, or only a person can make it go on."""
        view = self._view()
        if view.is_over:
            for line in view.lines:
                self._session.console.tell(f"  {line}")
            return CODES[view.result or "failed"]
        if view.phase == "acting":  # its end is told, whatever becomes of the link meanwhile
            return None
        box = self._fleet.box(self._box)
        if view.stuck:
            self._session.console.tell(leaving_text(view))
            return RUN_NEEDS_A_PERSON
        if box is not None and box.link.state == "refused" and not box.is_off:
            message = f"{self._box}: {box.link.error or 'the box refuses the connection'}"
            self._session.console.tell_error(UserError(message, box.link.hint))
            self._session.console.tell(leaving_text(view))
            self._left = ended_early(view, message)
            return BOX_NOT_READ
        return None

    def _view(self) -> FinishView:
        view = self._finishes.view(self._box)
        assert view is not None
        return view
