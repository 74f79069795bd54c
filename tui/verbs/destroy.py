"""`boxtop destroy`: the end of an instance and its disk."""

from __future__ import annotations

import click

from tui.cli.options import Verb
from tui.cli.session import Session


@click.command(cls=Verb)
@click.argument("box", metavar="BOX")
@click.option("--yes", metavar="NAME", help="Do not ask; NAME is the instance's own name or id.")
@click.option("--lose-weights", is_flag=True, help="With --yes: lose what the gate lists.")
@click.pass_obj
def command(session: Session, box: str, yes: str | None, lose_weights: bool) -> int:
    """Destroy an instance and its disk for good.

    Every best.pt and last.pt on it has to be saved, seen again at the Hub or in a copy on this
    machine, and no training may be alive. Else it is refused, unless the name is typed below the
    list of what is lost. Exits with 5 when weights would be lost, with 6 when the provider refused
    or its list does not confirm it.
    """
    from tui.cli.instance import act_on

    return act_on(session, "destroy", box, yes=yes, lose_weights=lose_weights)
