"""What this machine keeps of one box: its mirror, and the proofs of what was saved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tui.boxes import Box
from tui.facts import RunFound, Vitals
from tui.rent import RentView
from tui.runs.mirror import RunMirror
from tui.runs.mirrors import BOX_BYTES, BoxMirror
from tui.runs.proofs import ProofFile
from tui.watch.places import placed, told_places
from tui.watch.proofs import unmirrored
from tui.watch.run_state import RunState

SAVE_SECONDS = 15.0
"""How often the last contact is written to the mirror."""


class Kept:
    """The copies of one box; ``mirror`` is None where nothing is kept (this machine's own runs).

    ``data`` is where proofs lie for a run without a mirror, None for nowhere.
    """

    def __init__(self, box: Box, mirror: BoxMirror | None, data: Path | None) -> None:
        self.box = box
        self.mirror = mirror
        self._data = data
        self._saved_at = 0.0

    def load(self) -> Iterator[RunState]:
        """Yield the kept runs that the target asks for; of two copies the newer is last."""
        if self.mirror is None:
            return
        roots, places = self.box.roots, self.mirror.meta.places
        copies = self.mirror.runs(lambda meta: placed(meta, roots, places) is not None)
        for copy in sorted(copies, key=lambda one: one.meta.box_time or 0.0):
            found = placed(copy.meta, roots, places)
            if found is not None:
                yield RunState(found, copy, self._proofs(found, copy))

    def opened(self, found: RunFound) -> RunState:
        """Return a run that was just found. Raises MirrorError where no copy can be made."""
        copy = None if self.mirror is None else self.mirror.run(found)
        return RunState(found, copy, self._proofs(found, copy))

    def unkept(self, found: RunFound) -> RunState:
        """Return a run that was just found and of which nothing can be kept."""
        return RunState(found, None, self._proofs(found, None))

    def forget(self, run: RunState) -> None:
        """A run is gone from the box; its copy stays, unless nothing of it was ever kept.

        Raises OSError.
        """
        if self.mirror is not None and run.mirror is not None and run.mirror.is_empty():
            self.mirror.remove(run.mirror)

    def learn_places(self, searched: Sequence[str]) -> None:
        """Note where the box's roots are."""
        if self.mirror is not None:
            self.mirror.meta.places |= told_places(self.box.roots, searched)

    def is_due(self, steady: float) -> bool:
        """Whether the last contact was not written for long."""
        return steady - self._saved_at >= SAVE_SECONDS

    def save(
        self,
        runs: Iterable[RunState],
        vitals: Vitals | None,
        rent: RentView | None = None,
        *,
        box_time: float,
        seen_at: float,
        steady: float,
    ) -> None:
        """Write the last contact: the box's clock then, and this machine's. Raises OSError."""
        self._saved_at = steady
        if self.mirror is None:
            return
        meta = self.mirror.meta
        meta.box_time, meta.seen_at, meta.vitals = box_time, seen_at, vitals
        meta.price_per_hour = self.box.price_per_hour
        meta.rent = None if rent is None else replace(rent, listed_at=None)
        self.mirror.save()
        for run in runs:
            if run.mirror is not None:
                run.mirror.meta.box_time = box_time
                run.mirror.save()

    def size_warning(self) -> str | None:
        """Return what to say of a mirror that has become large."""
        if self.mirror is None or (size := self.mirror.size()) <= BOX_BYTES:
            return None
        return (
            f"the mirror of this box holds {size // 10**6} MB: "
            f"`boxtop open` lists its finished runs and removes what you name"
        )

    def _proofs(self, found: RunFound, copy: RunMirror | None) -> ProofFile | None:
        if self.mirror is not None and copy is not None:
            return self.mirror.proofs(copy)
        return unmirrored(self._data, self.box, found.path) if self._data is not None else None
