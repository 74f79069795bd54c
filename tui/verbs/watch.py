"""`boxtop [watch]`: the screen; where no screen can be shown, one look as text."""

from __future__ import annotations

from pathlib import Path

import click

from tui.cli.options import Verb, targets_argument
from tui.cli.session import Session
from tui.verbs.screen import watch


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
    return watch(session, targets, record=record, as_json=as_json)
