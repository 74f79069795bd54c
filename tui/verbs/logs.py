"""`boxtop logs`: the end of a run's log, and what comes after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import click

from tui.cli.choice import one_run
from tui.cli.options import Verb, targets_argument
from tui.cli.session import Session
from tui.errors import UserError
from tui.report.exit_code import BOX_NOT_READ
from tui.runs.files import CONSOLE, LOG
from tui.runs.log import LogTail
from tui.runs.model import NEEDS_A_PERSON
from tui.text import said
from tui.view import BoxView, RunView

Which = Literal["run", "console"]


@click.command(cls=Verb, params=[targets_argument(required=True, many=False)])
@click.option("-f", "--follow", is_flag=True, help="Go on as the log grows, until Ctrl-C.")
@click.option(
    *("-n", "--lines"),
    type=click.IntRange(min=0),
    default=50,
    show_default=True,
    help="So many lines of the end.",
)
@click.option(
    *("--console", "which"),
    flag_value="console",
    help="What `nohup ... > FILE` caught: tracebacks, bars, tables.",
)
@click.option("--run-log", "which", flag_value="run", help="The run's own train.log.")
@click.option("--provider", is_flag=True, help="What the box's provider kept of its container.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with -f an object a line.")
@click.pass_obj
def command(
    session: Session,
    target: str,
    follow: bool,
    lines: int,
    which: Which | None,
    provider: bool,
    as_json: bool,
) -> int:
    """Print the log of a run: train.log, or the console log when there is no other.

    With --provider the log of a rented box itself, which tells why it did not start.
    """
    if provider:
        if follow or which is not None:
            raise UserError("--provider is a log of its own, and cannot be followed")
        from tui.cli.provider_log import show_provider_log

        return show_provider_log(session, target, lines, as_json=as_json)
    if follow:
        from tui.cli.follow_log import follow_log

        return follow_log(session, target, lines, which, as_json=as_json)
    view, chosen = one_run(session, target)
    kind, log, path = pick_log(chosen, which)
    shown = list(log.lines)[-lines:] if lines else []
    if as_json:
        session.console.say_all([_document(view, chosen, kind, path, shown)])
    else:
        session.console.say_all(shown)
        for text in _remarks(chosen, kind, log):
            session.console.tell(text)
    return 0 if view.link.state == "live" else BOX_NOT_READ


def pick_log(view: RunView, which: Which | None) -> tuple[Which, LogTail, str]:
    """Return the log that is meant, its kind and its path on the box."""
    kind: Which = which or ("console" if view.console.lines and not view.log.lines else "run")
    if kind == "console":
        return kind, view.console, view.console_path or CONSOLE
    return kind, view.log, f"{view.run.path}/{LOG}"


def _remarks(view: RunView, kind: Which, log: LogTail) -> Iterator[str]:
    """Say what the log that was shown does not hold."""
    run = said(view.run.id)
    if kind == "console" and not log.lines:
        yield f'no console log of {run} is known; boxtop.toml may name it: console = "/path"'
    elif not log.lines:
        yield f"{run} has no {LOG} yet"
    elif kind == "run" and view.console.lines and view.run.verdict in NEEDS_A_PERSON:
        yield f"--console shows what its console caught ({said(view.console_path or CONSOLE)})"


def _document(view: BoxView, run: RunView, kind: Which, path: str, lines: list[str]) -> str:
    from tui.report.document import exact, json_text

    return json_text(
        {
            "schema_version": 1,
            "box": exact(view.name),
            "run": exact(run.run.id),
            "log": kind,
            "path": exact(path),
            "lines": lines,
        }
    )
