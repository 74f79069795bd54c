"""Which instance a box was when it was seen last: by its mirror, and by what was done to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tui.actions.journal import Journal
from tui.boxes import Box, InstanceName, SshTarget
from tui.runs.mirrors import Mirrors
from tui.text import one_line

_ACTIONS = ("stop", "start", "destroy")


def remembered(data: Path, box: Box) -> Iterator[InstanceName]:
    """Yield the instances that a box is known to have been, the surest first.

    Only an address of boxtop.toml or of the command line has to be remembered.
    """
    if not isinstance(box.target, SshTarget) or box.instance is not None:
        return
    rent = Mirrors(data).box(box.kept_as, one_line(box.mirror or box.text)).meta.rent
    if rent is not None:
        yield InstanceName(rent.provider, rent.id)
    for entry in reversed(list(Journal(data).entries())):
        if entry.box == box.name and entry.action in _ACTIONS:
            provider, id = entry.asked.get("provider"), entry.asked.get("id")
            if isinstance(provider, str) and isinstance(id, str):
                yield InstanceName(provider, id)
            return
