"""`boxtop [watch]`: the screen; where no screen can be shown, one look as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tui.cli.console import shows_screen
from tui.cli.options import Verb, targets_argument
from tui.cli.session import Session
from tui.errors import UserError

if TYPE_CHECKING:
    from tui.boxes import Box
    from tui.watch.fleet import MakeLink


@click.command(cls=Verb, params=[targets_argument()])
@click.option(
    "--record",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write what is seen below DIR, as a recording that boxtop plays.",
)
@click.option("--json", "as_json", is_flag=True, hidden=True)
@click.pass_obj
def command(session: Session, targets: tuple[str, ...], record: Path | None, as_json: bool) -> int:
    """Show the screen: every run, live.

    Without a terminal (in a pipe, or TERM=dumb) it is `boxtop status`.
    """
    if as_json or not shows_screen():
        from tui.cli.status import show_status

        if record is not None:
            raise UserError("--record needs the screen", "run it in a terminal")
        return show_status(session, targets, as_json=as_json)
    boxes = session.boxes(targets, may_be_none=True)
    return show_screen(session, boxes, data=session.data, record=record)


def show_screen(
    session: Session,
    boxes: Sequence[Box],
    *,
    data: Path,
    link_for: MakeLink | None = None,
    record: Path | None = None,
) -> int:
    """Show the screen until it is left, and return the exit code."""
    from tui.app import BoxtopApp, ScreenOptions
    from tui.config.settings import COMING_ACTIONS
    from tui.links.factory import make_link
    from tui.screens.asker import ScreenAsker
    from tui.screens.questions import DEMO
    from tui.targets import parse_target
    from tui.theme import terminal_colours
    from tui.watch.fleet import Fleet

    settings = session.configuration.settings
    asker = ScreenAsker(accept_new_host_key=session.accept_new_host_key)
    fleet = Fleet(boxes, asker, data, link_for=link_for or make_link, record=record, connect=False)
    options = ScreenOptions(
        ascii_only=session.console.paper.ascii_only,
        colours=terminal_colours(),
        keys={action: key for action, key in settings.keys.items() if action not in COMING_ACTIONS},
        parse=lambda text: parse_target(text, session.names),
        has_demo=link_for is None,
    )
    app = BoxtopApp(fleet, options, asker=asker)
    try:
        wish = app.run(mouse=not session.no_mouse)
    finally:
        fleet.close()
    if wish == DEMO:
        from tui.verbs.demo import show_demo

        return show_demo(session)
    return app.return_code or 0
