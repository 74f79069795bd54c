"""What `boxtop status` exits with, so that a script can tell trouble from peace."""

from __future__ import annotations

from collections.abc import Iterable

from tui.runs.model import NEEDS_A_PERSON
from tui.view import BoxView

WELL = 0
UNEXPECTED = 1
USAGE = 2
RUN_NEEDS_A_PERSON = 3
BOX_NOT_READ = 4
REFUSED_BY_GATE = 5
NOT_CONFIRMED = 6
INTERRUPTED = 130
PIPE_CLOSED = 141


def exit_code(boxes: Iterable[BoxView]) -> int:
    """Return 4 when a box could not be read, else 3 when a run needs a person, else 0.

    A box that its provider calls stopped is well: there is nothing to read.
    """
    code = WELL
    for box in boxes:
        if box.is_off:
            continue
        if box.link.state != "live" or box.unsearched:
            return BOX_NOT_READ
        if any(view.run.verdict in NEEDS_A_PERSON for view in box.runs):
            code = RUN_NEEDS_A_PERSON
    return code
