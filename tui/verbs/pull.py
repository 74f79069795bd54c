"""`boxtop pull`: checkpoints of a run to this machine, proven to be the box's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tui.cli.options import Verb, targets_argument
from tui.cli.session import Session

if TYPE_CHECKING:
    from tui.actions.cancel import Cancel
    from tui.actions.pull import PullReport


@click.command(cls=Verb, params=[targets_argument(required=True, many=False)])
@click.argument("what", metavar="[best|last|epoch_N|all]...", nargs=-1)
@click.option(
    "--to",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="The directory to pull into; else ./BOX-RUN, named by the box and the run.",
)
@click.pass_obj
def command(session: Session, target: str, what: tuple[str, ...], to: Path | None) -> int:
    """Pull checkpoints to this machine: best.pt and last.pt, or those named.

    A pull that was cut goes on where it ended. A file gets its name only when its size and hash
    are those of the box; it counts as saved then.
    """
    from tui.actions.hub_names import safe_name
    from tui.cli.progress import ProgressLine
    from tui.cli.saving import choose_run, guarded, saving_of
    from tui.config.paths import at_home

    named = None if to is None else at_home(to)
    chosen = choose_run(session, target, what, "pull")
    run = chosen.view.run
    directory = named or Path(safe_name(f"{chosen.box.name}-{run.id}"))

    def act(cancel: Cancel) -> int:
        saving = saving_of(session, chosen.box)
        line = ProgressLine(session.console)
        try:
            report = saving.pull(run.path, chosen.names, directory, line.show, cancel)
        except KeyboardInterrupt:
            line.end()
            session.console.tell("what arrived stays: the same command goes on from there")
            raise
        finally:
            line.end()
            saving.close()
        return _told(session, report)

    return guarded(session, act)


def _told(session: Session, report: PullReport) -> int:
    """Say what arrived and what did not; return the exit code."""
    from tui.errors import UserError
    from tui.report.exit_code import BOX_NOT_READ
    from tui.runs.words import size_text
    from tui.text import said

    for one in report.pulled:
        held = f"epoch {one.epoch}, " if one.epoch else ""
        size = size_text(one.size)
        session.console.say(f"saved {said(one.name)} ({held}{size}) at {said(str(one.path))}")
        session.console.say(f"  sha256 {one.sha256}")
    session.console.say_all([])
    for name, error in report.failed.items():
        message = f"{said(name)} is NOT saved: {error}"
        session.console.tell_error(UserError(message, error.hint))
    return BOX_NOT_READ if report.failed else 0
