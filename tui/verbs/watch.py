"""`boxtop [watch]`: the screen; where no screen can be shown, one look as text."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from tui.cli.console import shows_screen
from tui.cli.options import Verb, targets_argument
from tui.cli.session import Session
from tui.errors import UserError
from tui.verbs.screen import watch


@click.command(cls=Verb, params=[targets_argument()])
@click.option(
    "--record",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write what is seen below DIR, as a recording that boxtop plays.",
)
@click.option(
    "--speed",
    type=click.FloatRange(0.01, 1000),
    help="Play recordings so many times as fast as they happened.",
)
@click.option(
    "--auto-push",
    is_flag=True,
    help="Push new best weights, milestones and ends to [hub] to by itself.",
)
@click.option(
    "--when-done",
    metavar="push,pull,stop|destroy",
    help="When all training on the box has completed: save, then end the instance.",
)
@click.option(
    *("--also",),
    default="",
    metavar="failed,dead",
    help="Training that failed or died is done, too.",
)
@click.option("--yes", metavar="NAME", help="With --when-done: NAME is the instance's own name.")
@click.option("--json", "as_json", is_flag=True, hidden=True)
@click.pass_obj
def command(
    session: Session,
    targets: tuple[str, ...],
    record: Path | None,
    speed: float | None,
    auto_push: bool,
    when_done: str | None,
    also: str,
    yes: str | None,
    as_json: bool,
) -> int:
    """Show the screen: every run, live.

    Without a terminal (in a pipe, or TERM=dumb) it is `boxtop status`; with --when-done it waits
    there, says each change, and exits with 5 when weights would be lost, with 6 when the Hub or the
    provider refused or could not confirm.
    """
    session.speed = speed
    session.auto_push = auto_push
    if record is not None:
        _prepare_record(record)
    if auto_push and not shows_screen():
        raise UserError("--auto-push needs the screen", "run it in a terminal, for example in tmux")
    if when_done is None and (also or yes is not None):
        raise UserError("--also and --yes belong to --when-done", "say what is to be done then")
    if when_done is None:
        return watch(session, targets, record=record, as_json=as_json)
    from tui.cli.finish import finish_setting

    setting = finish_setting(session, targets, when_done, also, yes)
    if shows_screen():
        return watch(session, targets, record=record, finish=setting)
    if record is not None:
        raise UserError("--record needs the screen", "run it in a terminal")
    from tui.cli.finish_headless import finish_headless

    return finish_headless(session, targets, setting)


def _prepare_record(directory: Path) -> None:
    """Make the directory of a recording. Raises UserError where none can be written."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return
    except OSError as error:
        reason = error.strerror or str(error)
        raise UserError(f"--record: {directory}: {reason}", "name another directory") from None
