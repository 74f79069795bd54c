"""From a box to the link that reaches it; imports what that link needs and nothing else."""

from __future__ import annotations

from tui.boxes import Box, LocalTarget, RecordingTarget, SshTarget
from tui.links.base import Asker, Link, LinkError


def make_link(box: Box, asker: Asker) -> Link:
    """Return a link to a box, not connected yet.

    Raises LinkError("usage") when the target cannot be reached by any link.
    """
    match reachable(box).target:
        case SshTarget() as target:
            from tui.links.ssh.link import SshLink

            return SshLink(target, asker)
        case LocalTarget() as target:
            from tui.links.local import LocalLink

            return LocalLink(target)
        case RecordingTarget() as target:
            from tui.links.recording import RecordingLink

            return RecordingLink(target)


def reachable(box: Box) -> Box:
    """Return a box that can be connected. Raises LinkError for one with a fault.

    A rented box whose provider tells no address now is waited for, not refused.
    """
    if box.fault is not None:
        raise LinkError("no_address" if box.from_provider else "usage", box.fault, box.hint)
    return box
