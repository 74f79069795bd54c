"""Where an address leads: by its own words, and as the OpenSSH configuration has it."""

from __future__ import annotations

from functools import cache

from tui.boxes import SshTarget
from tui.rented.tie import Place, typed_place


@cache
def places_of(target: SshTarget) -> frozenset[Place]:
    """Return host and port of an address, and those that ~/.ssh/config turns it into.

    Blocks for a moment: ``ssh -G`` is asked. A configuration that cannot be read adds nothing.
    """
    from tui.links.base import LinkError
    from tui.links.ssh.config import resolve

    if not target.host:
        return frozenset()
    try:
        box = resolve(target).box
    except LinkError:
        return typed_place(target)
    return typed_place(target) | {(box.hostname.lower(), box.port)}
