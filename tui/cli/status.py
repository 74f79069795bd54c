"""One look at every box, printed: the work of `boxtop status`."""

from __future__ import annotations

from collections.abc import Sequence

from tui.cli.glance import glance
from tui.cli.session import Session
from tui.report.exit_code import USAGE, exit_code

LOOK_SECONDS = 30.0


def show_status(
    session: Session,
    targets: Sequence[str],
    *,
    as_json: bool = False,
    timeout: float = LOOK_SECONDS,
) -> int:
    """Print one look at the boxes and return the exit code."""
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
