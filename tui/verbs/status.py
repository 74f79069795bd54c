"""`boxtop status`: one look at every box, then done."""

from __future__ import annotations

import click

from tui.options import Verb, targets_argument
from tui.report.exit_code import USAGE, exit_code
from tui.session import Session


@click.command(cls=Verb, params=[targets_argument()])
@click.option("--json", "as_json", is_flag=True, help="Write the document of schema_version 1.")
@click.option(
    "--timeout",
    type=click.FloatRange(0.1, 3600),
    default=30.0,
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


def show_status(
    session: Session, targets: tuple[str, ...], *, as_json: bool = False, timeout: float = 30.0
) -> int:
    """Print one look at the boxes and return the exit code."""
    from tui.glance import glance

    looked = glance(session, session.boxes(targets), timeout)
    if as_json:
        from tui.clock import Clock
        from tui.report.document import json_text, status_document

        session.console.say_all([json_text(status_document(looked.boxes, Clock().wall()))])
    else:
        from tui.report.plain import status_lines

        shown = [view for view in looked.boxes if view.name not in looked.missing]
        session.console.say_all(status_lines(shown, session.console.paper))
    for error in looked.missing.values():
        session.console.tell_error(error)
    return max(exit_code(looked.boxes), USAGE if looked.missing else 0)
