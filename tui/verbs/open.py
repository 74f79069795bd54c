"""`boxtop open`: what was kept of a box, to be read after it is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tui.cli.console import shows_screen
from tui.cli.options import Verb, complete_mirror
from tui.cli.session import Session
from tui.errors import UserError
from tui.text import said

if TYPE_CHECKING:
    from tui.boxes import Box
    from tui.links.base import Asker, Link
    from tui.runs.mirrors import BoxMirror


@click.command(cls=Verb)
@click.argument("what", metavar="[BOX[/RUN]]", required=False, shell_complete=complete_mirror)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("--remove", is_flag=True, help="Delete the mirror of a finished RUN.")
@click.option("--yes", is_flag=True, help="With --remove: do not ask.")
@click.pass_obj
def command(session: Session, what: str | None, as_json: bool, remove: bool, yes: bool) -> int:
    """Open the mirror of a box or run; nothing is connected. Without BOX: list the mirrors."""
    from tui.cli.mirror_choice import find_mirror
    from tui.cli.mirror_list import known_mirrors, list_document, list_lines
    from tui.config.paths import data_problem

    if (problem := data_problem(session.data)) is not None:
        raise UserError(f"no mirrors can be read: {problem}", "--data-dir names another directory")
    mirrors = known_mirrors(session.data)
    if what is None:
        if remove:
            raise UserError("--remove needs BOX/RUN", "boxtop open lists them")
        if as_json:
            from tui.report.document import json_text

            session.console.say_all([json_text(list_document(mirrors))])
        else:
            session.console.say_all(list_lines(mirrors, session.data, session.console.paper))
        return 0
    mirror, run = find_mirror(mirrors, what)
    if remove:
        return _remove(session, mirror, run, yes)
    return _open(session, mirror, run, as_json)


def _open(session: Session, mirror: BoxMirror, run: str | None, as_json: bool) -> int:
    from tui.boxes import Box, SshTarget

    meta = mirror.meta
    box = Box(meta.name, meta.text, SshTarget(meta.name), run=run)
    if shows_screen() and not as_json:
        from tui.verbs.screen import show_screen

        return show_screen(session, [box], data=session.data, link_for=_stay_unconnected)
    from tui.watch.look import look

    views = look([box], session.asker, session.data, link_for=_stay_unconnected)
    if as_json:
        from tui.clock import Clock
        from tui.report.document import json_text, status_document

        session.console.say_all([json_text(status_document(views, Clock().wall()))])
    else:
        from tui.report.plain import status_lines

        session.console.say_all(status_lines(views, session.console.paper))
    return 0


def _stay_unconnected(box: Box, asker: Asker) -> Link:
    """Be the link of a mirror that was opened by hand: there is none."""
    from tui.links.base import LinkError

    raise LinkError("unconnected", "read from its mirror; nothing is connected")


def _remove(session: Session, mirror: BoxMirror, run: str | None, yes: bool) -> int:
    """Delete one finished run's mirror. Raises UserError where that may not be."""
    from tui.boxes import Box, SshTarget
    from tui.runs.order import is_live
    from tui.watch.look import look

    if session.read_only:
        raise UserError("--read-only forbids --remove")
    if run is None:
        raise UserError("--remove needs BOX/RUN", "name one run; boxtop open lists them")
    from tui.cli.mirror_choice import mirror_ids

    name = f"{mirror.meta.name}/{mirror_ids(mirror)[run]}"
    box = Box(mirror.meta.name, mirror.meta.text, SshTarget(mirror.meta.name), run=run)
    (view,) = look([box], session.asker, session.data, link_for=_stay_unconnected)
    if any(is_live(seen.run) for seen in view.runs):
        raise UserError(f"{said(name)} was running when it was last seen", "look at the box first")
    if not yes and not _confirmed(session, name):
        session.console.tell(f"{said(name)} stays")
        return 0
    mirror.claim()
    try:
        for one in list(mirror.runs(lambda meta: meta.path == run)):
            if mirror.borrowed:
                raise UserError("another boxtop is watching this box", "end it first, then remove")
            size = one.size()
            mirror.remove(one)
            session.console.say_all([f"removed {said(name)}, {size} bytes"])
    finally:
        mirror.release()
    return 0


def _confirmed(session: Session, name: str) -> bool:
    import sys

    if not sys.stdin.isatty():
        raise UserError("nobody is there to say yes", "add --yes to remove it from a script")
    session.console.err.write(f"Delete the mirror of {said(name)}? [y/N] ")
    session.console.err.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
