"""The screen, as `boxtop [watch]`, the demo and `boxtop open` show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tui.cli.console import shows_screen
from tui.cli.session import Session
from tui.errors import UserError
from tui.rented.opening import Rents

if TYPE_CHECKING:
    from tui.actions.finish_line import FinishView
    from tui.actions.finish_wish import Setting
    from tui.app import BoxtopApp
    from tui.boxes import Box
    from tui.links.base import Asker
    from tui.screens.finish import Finishing
    from tui.screens.instances import InstanceDesk
    from tui.screens.past_page import Told
    from tui.screens.weights import WeightsDesk
    from tui.view import BoxView
    from tui.watch.fleet import Fleet, MakeLink


def watch(
    session: Session,
    targets: Sequence[str],
    *,
    record: Path | None = None,
    as_json: bool = False,
    finish: Setting | None = None,
) -> int:
    """Show the boxes that are meant; without a terminal one look at them, as text.

    ``finish`` is a finish line that is set from the start.
    """
    if as_json or not shows_screen():
        from tui.cli.status import show_status

        if record is not None:
            raise UserError("--record needs the screen", "run it in a terminal")
        return show_status(session, targets, as_json=as_json)
    from tui.cli.closer import beside_its_own

    boxes = [beside_its_own(box) for box in session.boxes(targets, may_be_none=True)]
    data = session.keeping(boxes)
    accounts = _accounts(session, targets)
    return show_screen(session, boxes, data=data, record=record, accounts=accounts, finish=finish)


OpenAccounts = Callable[[], "Rents | None"]


def _accounts(session: Session, targets: Sequence[str]) -> OpenAccounts:
    """Return how the accounts of boxtop.toml are opened; all they hold is shown without targets."""

    def opened() -> Rents | None:
        from tui.rented.opening import open_accounts

        found = open_accounts(session.configuration.settings)
        return None if found is None else Rents(found, adds=not targets)

    return opened


def tell_what_bills(session: Session, boxes: Sequence[BoxView]) -> None:
    """Say at the end which boxes do nothing and bill on."""
    from tui.bills import box_idle_text
    from tui.text import said

    for box in boxes:
        idle = box_idle_text(box)
        if idle is not None:
            session.console.tell(f"{said(box.name)} still bills and trains nothing: {idle}")


def show_screen(
    session: Session,
    boxes: Sequence[Box],
    *,
    data: Path | None,
    link_for: MakeLink | None = None,
    record: Path | None = None,
    accounts: OpenAccounts | None = None,
    finish: Setting | None = None,
) -> int:
    """Show the screen until it is left, and return the exit code.

    ``accounts`` opens who bills the boxes, None where nobody does; ``finish`` as in ``watch``.
    """
    from tui.app import BoxtopApp
    from tui.links.factory import make_link
    from tui.screens.asker import ScreenAsker
    from tui.screens.options import ScreenOptions
    from tui.screens.questions import DEMO
    from tui.targets import parse_target
    from tui.theme import terminal_colours
    from tui.watch.fleet import Fleet

    settings = session.configuration.settings
    asker = ScreenAsker(accept_new_host_key=session.accept_new_host_key)
    fleet = Fleet(boxes, asker, data, link_for=link_for or make_link, record=record, connect=False)
    desks = _Desks(session, fleet, asker, data, accounts)
    options = ScreenOptions(
        ascii_only=session.console.paper.ascii_only,
        colours=terminal_colours(no_color=session.no_color),
        keys=settings.keys,
        parse=lambda text: parse_target(text, session.names),
        has_demo=link_for is None,
        desk=desks.weights,
        rents=desks.rents,
        alarms=desks.alarms if link_for is None else None,
        finish=lambda app: desks.finish(app, finish),
    )
    app = BoxtopApp(fleet, options, asker=asker)
    try:
        wish = app.run(mouse=not session.no_mouse)
    finally:
        left, lines = fleet.boxes(), desks.close()
        fleet.close()
    for line in lines:
        session.console.tell(line)
    tell_what_bills(session, left)
    if wish == DEMO:
        from tui.verbs.demo import show_demo

        return show_demo(session)
    return app.return_code or 0


class _Desks:
    """What is done beside watching, each opened after the first picture, and closed at the end."""

    def __init__(
        self,
        session: Session,
        fleet: Fleet,
        asker: Asker,
        data: Path | None,
        accounts: OpenAccounts | None,
    ) -> None:
        self._session = session
        self._settings, self._hub = session.configuration.settings, session.hub
        self._fleet = fleet
        self._asker = asker
        self._data = data
        self._accounts = accounts
        self._weights: WeightsDesk | None = None
        self._finishing: Finishing | None = None
        self._closers: list[Callable[[], None]] = []

    def weights(self) -> WeightsDesk:
        """Open what moves weights."""
        from tui.screens.weights import open_desk

        read_only = self._session.read_only
        desk = self._weights = open_desk(
            self._fleet, self._asker, self._hub, read_only=read_only, data=self._data
        )
        self._closers.append(desk.close)
        return desk

    def rents(self) -> InstanceDesk | None:
        """Ask who bills the boxes, in a thread."""
        import tui.screens.finish  # noqa: F401  # in this thread: the screen's has better to do

        found = None if self._accounts is None else self._accounts()
        if found is None:
            return None
        from tui.screens.instance_desk import open_instance_desk
        from tui.targets import default_roots

        roots, read_only = default_roots(self._settings), self._session.read_only
        desk = open_instance_desk(
            self._fleet, self._asker, found, self._data, roots=roots, read_only=read_only
        )
        self._closers.append(desk.close)
        return desk

    def alarms(self, app: BoxtopApp) -> Told:
        """Watch for alerts: neither of the demo's boxes nor of a mirror that was opened by hand."""
        from tui.screens.alarms import open_alarms

        transfers = self._weights.transfers if self._weights is not None else None
        watcher = open_alarms(
            app, self._fleet, self._settings.alerts, transfers, self._data, self._finish_views
        )
        self._closers.append(watcher.close)
        return watcher

    def finish(self, app: BoxtopApp, setting: Setting | None) -> Finishing | None:
        """Open what ends boxes whose training is done, and set the first line of it."""
        from tui.screens.finish import open_finishing

        self._finishing = open_finishing(app, self._fleet, setting)
        return self._finishing

    def _finish_views(self) -> Sequence[FinishView]:
        return () if self._finishing is None else self._finishing.finishes.views()

    def close(self) -> list[str]:
        """End what goes on here, the last opened first; return what is left undone, in words."""
        lines = [] if self._finishing is None else self._finishing.close()
        for close in reversed(self._closers):
            close()
        return lines
