"""Pushes by themselves while boxes are watched, and pushes of others that are learned of.

Those are pushes of earlier days that had not ended, and what trainings pushed by themselves.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol

from tui.actions.hub_names import Destination, filled
from tui.actions.hub_problem import HubError
from tui.actions.milestones import asks_for_anything, due
from tui.actions.push_plan import PushPlan
from tui.actions.recognise import Recogniser
from tui.actions.transfer import BoxAccess, Settle
from tui.actions.transfers import Transfers
from tui.config.settings import HubSettings
from tui.debug import record_fault
from tui.errors import UserError
from tui.runs.model import Run
from tui.runs.pending import PendingFile
from tui.view import BoxView, RunView

LOOK_SECONDS = 5.0
PENDING_SECONDS = 60.0
"""How often the disk is asked for pushes of a run that had not ended."""
SETTLE_SECONDS = 600.0
"""How long an end that could not be learned is left alone."""
SPACING_SECONDS = 300.0
"""The Hub takes about 128 commits an hour in a repository: 12 leave room for everybody else."""
BLOCKED_SECONDS = 1800.0
"""After a failure that only a person can heal."""


class Boxes(Protocol):
    """What is watched; ``tui.watch.Fleet`` is one."""

    def boxes(self) -> tuple[BoxView, ...]:
        """Every box at this moment."""
        ...


class AutoPush:
    """Looks at the boxes every few seconds, in a thread of its own, and starts what is due.

    Without ``[hub] to``, or a rule in ``settings.auto``, nothing is pushed; pushes that had not
    ended are settled all the same. ``claimed`` is what a run, by its box's name and its path, says
    that it has pushed.
    """

    def __init__(
        self,
        boxes: Boxes,
        transfers: Transfers,
        access: Callable[[str], BoxAccess | None],
        settings: HubSettings,
        *,
        claimed: Callable[[str, str], bytes | None] = lambda _box, _run: None,
        recogniser: Recogniser | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._boxes = boxes
        self._transfers = transfers
        self._access = access
        self._settings = settings
        self._clock = clock
        self._wall = wall
        self._next: dict[str, float] = {}
        self._settled: dict[str, float] = {}
        self._asked: dict[tuple[str, str], float] = {}
        self._claimed = claimed
        self._recogniser = recogniser or Recogniser()
        self._recognised: dict[tuple[str, str], bytes] = {}
        self._not_before: dict[tuple[str, str], float] = {}
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="auto push", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def close(self) -> None:
        """Start nothing more."""
        self._closed.set()

    def look(self) -> None:
        """Start what is due now on every box that answers."""
        for box in self._boxes.boxes():
            if box.link.state != "live":
                continue
            for view in box.runs:
                if self._transfers.busy(box.name, view.run.path):
                    continue
                self._recognise(box.name, view.run.path)
                if not self._settle(box, view.run):
                    self._push(box, view)

    def _watch(self) -> None:
        while not self._closed.wait(LOOK_SECONDS):
            try:
                self.look()
            except Exception as error:  # noqa: BLE001 - one fault must not end the looking
                record_fault(error)

    def _recognise(self, box: str, run: str) -> None:
        """Ask the Hub for what a training says that it has pushed; quietly, and not too often."""
        key, data = (box, run), self._claimed(box, run)
        if data is None or data == self._recognised.get(key):
            return
        access = self._access(box)
        if access is None or self._clock() < self._not_before.get(key, 0.0):
            return
        self._not_before[key] = self._clock() + SETTLE_SECONDS
        try:
            is_new = self._recogniser.look(data, access.proofs(run))
        except (HubError, LookupError, OSError):
            return
        del self._not_before[key]
        self._recognised[key] = data
        if is_new:
            access.changed(run)

    def _settle(self, box: BoxView, run: Run) -> bool:
        """Learn once of each push whose end is not known; whether one was begun."""
        key = box.name, run.path
        if self._clock() < self._asked.get(key, 0.0):
            return False
        access = self._access(box.name)
        if access is None:
            return False
        try:
            unsettled = list(PendingFile(access.proofs(run.path)).all())
        except LookupError:
            return False
        for push in unsettled:
            if self._clock() >= self._settled.get(push.job, 0.0):
                self._settled[push.job] = self._clock() + SETTLE_SECONDS
                self._transfers.start(Settle(box.name, run.id, push), automatic=True)
                return True
        self._asked[key] = self._clock() + PENDING_SECONDS
        return False

    def _push(self, box: BoxView, view: RunView) -> None:
        settings = self._settings
        if settings.to is None or not asks_for_anything(settings.auto):
            return
        wanted = due(view.run, settings.auto, self._wall())
        if wanted is None:
            return
        try:
            place = filled(settings.to, view.run.id, box.name)
        except UserError:
            return
        if self._clock() < self._next.get(place.repo, 0.0) or self._is_blocked(box, view, place):
            return
        self._next[place.repo] = self._clock() + SPACING_SECONDS
        plan = PushPlan(
            box=box.name,
            run=view.run,
            names=wanted.names,
            place=place,
            via=settings.via,
            private=settings.private,
            public=not settings.private,
            console=view.console_path,
            provider=box.rent.provider if box.rent else None,
            reason=wanted.reason,
        )
        self._transfers.start(plan, automatic=True)

    def _is_blocked(self, box: BoxView, view: RunView, place: Destination) -> bool:
        """Whether the last push there failed in a way that only a person can heal, lately."""
        last = next(
            (one for one in self._transfers.views(box.name, view.run.path) if one.kind == "push"),
            None,
        )
        if last is None or last.state != "failed" or not last.automatic:
            return False
        return last.where == str(place) and self._clock() - last.at < BLOCKED_SECONDS
