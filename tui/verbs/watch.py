"""`boxtop [watch]`: the screen; where no screen can be shown, one look as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tui.console import shows_screen
from tui.options import Verb, targets_argument
from tui.session import Session

if TYPE_CHECKING:
    from tui.boxes import Box
    from tui.watch.fleet import MakeLink


@click.command(cls=Verb, params=[targets_argument()])
@click.option("--json", "as_json", is_flag=True, hidden=True)
@click.pass_obj
def command(session: Session, targets: tuple[str, ...], as_json: bool) -> int:
    """Show the screen: every run, live.

    Without a terminal (in a pipe, or TERM=dumb) it is `boxtop status`.
    """
    if as_json or not shows_screen():
        from tui.verbs.status import show_status

        return show_status(session, targets, as_json=as_json)
    return show_screen(session, session.boxes(targets), data=session.data)


def show_screen(
    session: Session,
    boxes: Sequence[Box],
    *,
    data: Path,
    link_for: MakeLink | None = None,
) -> int:
    """Show the screen until it is left."""
    raise NotImplementedError
