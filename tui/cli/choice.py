"""Which run of a box a verb is about when it can only speak of one."""

from __future__ import annotations

from tui.boxes import Box
from tui.cli.glance import glance, no_runs
from tui.cli.reaching import box_to_read
from tui.cli.session import Session
from tui.cli.status import LOOK_SECONDS
from tui.errors import UserError
from tui.links.base import LinkError
from tui.report.order import main_run
from tui.text import said
from tui.view import BoxView, RunView


def one_run(session: Session, target: str, box: Box | None = None) -> tuple[BoxView, RunView]:
    """Look at a target and return its box and the run that is meant; ``box`` is it, if known.

    When none is named it is the newest that is alive, else the newest; the others are told. Raises
    UserError when there is no such run, LinkError when the box could not be read and nothing of
    it is known.
    """
    looked = glance(session, [box or box_to_read(session, target)], LOOK_SECONDS)
    for error in looked.missing.values():
        raise error
    (view,) = looked.boxes
    chosen = main_run(view.runs)
    if view.link.state != "live":
        tell_link(session, view, known=chosen is not None)
    if chosen is None:
        raise no_runs(view)
    if len(view.runs) > 1:
        others = ", ".join(said(v.run.id, 40) for v in view.runs if v is not chosen)
        told = f"showing {said(chosen.run.id)}; {said(target)}:RUN shows another"
        session.console.tell_error(UserError(told, others))
    return view, chosen


def tell_link(session: Session, view: BoxView, *, known: bool) -> None:
    """Say why a box could not be read. Raises LinkError when nothing of it is known."""
    message = f"{said(view.name)}: {view.link.error or view.link.state}"
    if not known:
        raise LinkError("unreachable", message, view.link.hint)
    hint = "this is what its mirror remembers"
    session.console.tell_error(UserError(message, f"{view.link.hint or 'look again'}; {hint}"))
