"""`boxtop start`: the GPUs again, and their price."""

from __future__ import annotations

import click

from tui.cli.options import Verb
from tui.cli.session import Session


@click.command(cls=Verb)
@click.argument("box", metavar="BOX")
@click.option("--yes", metavar="NAME", help="Do not ask; NAME is the instance's own name or id.")
@click.pass_obj
def command(session: Session, box: str, yes: str | None) -> int:
    """Start a stopped instance again; it bills from then on.

    Without a free GPU it may be queued: then it may start, and bill, at any hour, and
    `boxtop stop` cancels that. Exits with 6 when the provider refused or does not confirm it.
    """
    from tui.cli.instance import act_on

    return act_on(session, "start", box, yes=yes)
