"""`boxtop stop`: the GPUs go back, the disk stays and bills on."""

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
    """Stop an instance: its GPUs go back, its disk stays and bills on.

    It may not start again: somebody else may rent the GPUs. Where a stop wipes what lies outside
    the kept directories, weights that are not saved elsewhere refuse it, as before a destroy. It
    also cancels a queued start. Exits with 5 when weights would be lost, with 6 when the provider
    refused or its list does not confirm it.
    """
    from tui.cli.instance import act_on

    return act_on(session, "stop", box, yes=yes, lose_weights=lose_weights)
