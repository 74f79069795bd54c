"""The pushes of a run whose end is not known, for views: read again only when one may have come."""

from __future__ import annotations

import time

from tui.runs.pending import PendingFile
from tui.runs.proofs import ProofFile
from tui.view import PendingView

FRESH_SECONDS = 1.0
"""A directory that changed just now may change once more within the same tick of its clock."""


class Unsettled:
    """Those of one run; ``proofs`` is where its proofs are kept."""

    def __init__(self, proofs: ProofFile) -> None:
        self._folder = proofs.path.parent
        self._file = PendingFile(proofs)
        self._read: int | None = None
        self._known: tuple[PendingView, ...] = ()

    def views(self, now: float) -> tuple[PendingView, ...]:
        """Return them, the oldest first; ``now`` is this machine's time."""
        try:
            changed = self._folder.stat().st_mtime_ns
        except OSError:
            return ()
        if changed != self._read:
            found = sorted(self._file.all(), key=lambda push: push.at)
            self._known = tuple(PendingView(push.repo, push.names, push.at) for push in found)
            fresh = abs(time.time() - changed / 1e9) < FRESH_SECONDS
            self._read = None if fresh else changed
        return tuple(view.seen_at(now) for view in self._known)
