"""Whether a push that the box knows nothing of may be one that somebody is about to begin."""

from __future__ import annotations

import msgspec

from tui.onbox.owners import lives
from tui.runs.pending import PendingPush

YOUNG_SECONDS = 600.0


def may_begin(push: PendingPush, now: float) -> bool:
    """Whether it was noted just now, or who noted it still is at it."""
    if abs(now - push.at) < YOUNG_SECONDS:
        return True
    return push.owner is not None and lives(msgspec.to_builtins(push.owner)) is True
