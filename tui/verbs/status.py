"""`boxtop status`: one look at every box, then done."""

from __future__ import annotations

import click

from tui.cli.options import Verb, targets_argument
from tui.cli.session import Session
from tui.cli.status import LOOK_SECONDS, show_status


@click.command(cls=Verb, params=[targets_argument()])
@click.option("--json", "as_json", is_flag=True, help="Write the document of schema_version 1.")
@click.option(
    "--timeout",
    type=click.FloatRange(0.1, 3600),
    default=LOOK_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="Take what is known of a box after so long.",
)
@click.pass_obj
def command(session: Session, targets: tuple[str, ...], as_json: bool, timeout: float) -> int:
    """Look at all boxes once: what each run is really doing.

    Exits with 3 when a run needs a person, with 4 when a box could not be read.
    """
    return show_status(session, targets, as_json=as_json, timeout=timeout)
