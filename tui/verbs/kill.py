"""`boxtop kill`: the end of a training, not of the box."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tui.cli.options import Verb, targets_argument
from tui.cli.session import Session

if TYPE_CHECKING:
    from tui.actions.cancel import Cancel


@click.command(cls=Verb, params=[targets_argument(required=True, many=False)])
@click.option("--yes", is_flag=True, help="Do not ask whether to end it.")
@click.option("--force", is_flag=True, help="Do not ask before SIGKILL either.")
@click.option(
    "--wait",
    "seconds",
    metavar="SECONDS",
    type=click.FloatRange(1, 600),
    default=30,
    show_default=True,
    help="How long the training may take to end by itself.",
)
@click.pass_obj
def command(session: Session, target: str, yes: bool, force: bool, seconds: float) -> int:
    """End the training of a run: SIGINT to its launcher, then SIGTERM to what is left.

    It saves nothing by itself, and the box bills on. SIGKILL needs a second yes, or --force.
    Ctrl-C leaves the training as it is then. Exits with 3 when something of it still lives.
    """
    from tui.cli.killing import choose_training, kill_training
    from tui.cli.saving import guarded

    training = choose_training(session, target)

    def act(cancel: Cancel) -> int:
        return kill_training(*(session, training, cancel), yes=yes, force=force, seconds=seconds)

    return guarded(session, act)
