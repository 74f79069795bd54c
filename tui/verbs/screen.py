"""The screen, as `boxtop [watch]`, the demo and `boxtop open` show it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tui.cli.console import shows_screen
from tui.cli.session import Session
from tui.errors import UserError

if TYPE_CHECKING:
    from tui.alerts.watcher import AlertWatcher
    from tui.app import BoxtopApp
    from tui.boxes import Box
    from tui.screens.weights import WeightsDesk
    from tui.watch.fleet import MakeLink


def watch(
    session: Session,
    targets: Sequence[str],
    *,
    record: Path | None = None,
    as_json: bool = False,
) -> int:
    """Show the boxes that are meant; without a terminal one look at them, as text."""
    if as_json or not shows_screen():
        from tui.cli.status import show_status

        if record is not None:
            raise UserError("--record needs the screen", "run it in a terminal")
        return show_status(session, targets, as_json=as_json)
    from tui.cli.closer import beside_its_own

    boxes = [beside_its_own(box) for box in session.boxes(targets, may_be_none=True)]
    return show_screen(session, boxes, data=session.keeping(boxes), record=record)


def show_screen(
    session: Session,
    boxes: Sequence[Box],
    *,
    data: Path | None,
    link_for: MakeLink | None = None,
    record: Path | None = None,
) -> int:
    """Show the screen until it is left, and return the exit code."""
    from tui.app import BoxtopApp
    from tui.config.settings import COMING_ACTIONS
    from tui.links.factory import make_link
    from tui.screens.asker import ScreenAsker
    from tui.screens.options import ScreenOptions
    from tui.screens.questions import DEMO
    from tui.targets import parse_target
    from tui.theme import terminal_colours
    from tui.watch.fleet import Fleet

    settings, hub = session.configuration.settings, session.hub
    asker = ScreenAsker(accept_new_host_key=session.accept_new_host_key)
    fleet = Fleet(boxes, asker, data, link_for=link_for or make_link, record=record, connect=False)
    opened: list[WeightsDesk] = []
    alerting: list[AlertWatcher] = []

    def desk() -> WeightsDesk:
        """Open what moves weights: after the first picture, which need not wait for it."""
        from tui.screens.weights import open_desk

        opened.append(open_desk(fleet, asker, hub, read_only=session.read_only, data=data))
        return opened[0]

    def alarms(app: BoxtopApp) -> None:
        """Watch for alerts: neither of the demo's boxes nor of a mirror that was opened by hand."""
        from tui.screens.alarms import open_alarms

        transfers = opened[0].transfers if opened else None
        alerting.append(open_alarms(app, fleet, settings.alerts, transfers, data))

    options = ScreenOptions(
        ascii_only=session.console.paper.ascii_only,
        colours=terminal_colours(no_color=session.no_color),
        keys={action: key for action, key in settings.keys.items() if action not in COMING_ACTIONS},
        parse=lambda text: parse_target(text, session.names),
        has_demo=link_for is None,
        desk=desk,
        alarms=alarms if link_for is None else None,
    )
    app = BoxtopApp(fleet, options, asker=asker)
    try:
        wish = app.run(mouse=not session.no_mouse)
    finally:
        for watcher in alerting:
            watcher.close()
        for one in opened:
            one.close()
        fleet.close()
    if wish == DEMO:
        from tui.verbs.demo import show_demo

        return show_demo(session)
    return app.return_code or 0
