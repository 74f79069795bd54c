"""Finds events in one snapshot after another, and tells each once. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tui.actions.transfer import TransferView
from tui.alerts.account_rules import push_signs, runway_signs
from tui.alerts.box_rules import disk_signs, idle_signs, link_signs
from tui.alerts.ends import Ended, finish_signs, key_of_end
from tui.alerts.event import Event, event
from tui.alerts.memory import Memory, RunMemory, key_of
from tui.alerts.run_rules import is_at_work, mark_of, new_best, run_signs
from tui.alerts.sign import CONFIRM_SECONDS, Sign
from tui.alerts.words import best_text
from tui.runs.model import Run
from tui.view import BoxView, RunView

ASLEEP_SECONDS = 45.0
"""Who did not look for so long slept, or stood still: what was so meanwhile nobody knows."""
SEEN_SECONDS = 600.0
"""How often it is noted that a run or a box was there."""


class Moment(NamedTuple):
    """``wall`` is seconds since the epoch, ``awake`` a clock that stands while a machine sleeps."""

    wall: float
    awake: float


class Judge:
    """Looks at the boxes again and again; ``memory`` is what it knows, and outlives it.

    ``session`` tells this start of boxtop from others.
    """

    def __init__(self, memory: Memory, session: str) -> None:
        self.memory = memory
        self.is_changed = False
        self._session = session
        self._last: Moment | None = None
        self._on: dict[str, float] = {}
        self._off: dict[str, float] = {}
        self._live: dict[str, float] = {}
        self._down: dict[str, float] = {}
        self._since: dict[str, float] = {}
        self._over: dict[str, tuple[object, ...]] = {}
        self._ends: dict[Ended, str] = {}

    def look(
        self,
        boxes: Sequence[BoxView],
        transfers: Sequence[TransferView],
        at: Moment,
        ends: Sequence[Ended] = (),
    ) -> tuple[Event, ...]:
        """Return what is news at a moment, later than the one before.

        ``ends`` are those of finish lines, as long as they are shown.
        """
        if self._last is not None and _slept(self._last, at):
            for table in (self._on, self._off, self._live, self._down):
                table.clear()
        self._last = at
        events: list[Event] = []
        signs: list[Sign] = []
        answering: list[BoxView] = []
        alone = len(boxes) < 2 or any(box.link.state == "live" for box in boxes)
        for box in boxes:
            down, was_live = self._down_s(box, at), self._was_live(box)
            signs += link_signs(box, down, was_live=was_live, alone=alone)
            if self._answers(box, at):
                answering.append(box)
                signs += self._signs_of(box, at)
        signs += runway_signs(boxes, at.wall)
        signs += push_signs(transfers, self._session)
        self._ends = {end: self._ends.get(end) or key_of_end(end, boxes) for end in ends}
        signs += finish_signs(self._ends)
        self._forget({sign.key for sign in signs})
        events += [_told(sign, at) for sign in signs if self._weigh(sign, at)]
        for box in answering:
            events += self._note(box, at)
        if self.is_changed:
            self.memory.prune()
        return tuple(events)

    def _signs_of(self, box: BoxView, at: Moment) -> Iterator[Sign]:
        """Yield what there is to say of a box that answers."""
        since = self._since.setdefault(
            box.name, self.memory.boxes.get(key_of("box", box.name), at.wall)
        )
        for view in box.runs:
            key = _run_key(box, view)
            if self._over.get(key) != mark_of(view.run):
                yield from run_signs(box, view.run, self.memory.runs.get(key), since)
        yield from disk_signs(box)
        yield from idle_signs(box, at.wall)

    def _was_live(self, box: BoxView) -> bool:
        return key_of("box", box.name) in self.memory.boxes

    def _down_s(self, box: BoxView, at: Moment) -> float:
        if box.link.state == "live":
            self._down.pop(box.name, None)
            return 0.0
        return at.awake - self._down.setdefault(box.name, at.awake)

    def _answers(self, box: BoxView, at: Moment) -> bool:
        """Whether a box answers, and did a look before: what is read first may be half of it."""
        if box.link.state != "live":
            self._live.pop(box.name, None)
            return False
        return at.awake - self._live.setdefault(box.name, at.awake) >= CONFIRM_SECONDS

    def _forget(self, seen: set[str]) -> None:
        """Begin anew to count the time of what nothing was said of at this look."""
        for table in (self._on, self._off):
            for key in [key for key in table if key not in seen]:
                del table[key]

    def _weigh(self, sign: Sign, at: Moment) -> bool:
        """Whether a sign is news now; told and cleared keys are noted."""
        told = self.memory.told
        if not sign.on:
            self._on.pop(sign.key, None)
            if sign.key in told:
                since = self._off.setdefault(sign.key, at.awake)
                if at.awake - since >= sign.clear_s:
                    del told[sign.key]
                    self.is_changed = True
            return False
        self._off.pop(sign.key, None)
        if sign.key in told or sign.is_old:
            return False
        if at.awake - self._on.setdefault(sign.key, at.awake) < sign.hold_s:
            return False
        for key in (sign.key, *sign.covers):
            told[key] = at.wall
        self.is_changed = True
        return True

    def _note(self, box: BoxView, at: Moment) -> Iterator[Event]:
        """Note that a box and its runs were there; yield the new bests among them."""
        key = key_of("box", box.name)
        if at.wall - self.memory.boxes.get(key, 0.0) >= SEEN_SECONDS:
            self.memory.boxes[key] = at.wall
            self.is_changed = True
        for view in box.runs:
            key, run = _run_key(box, view), view.run
            if self._over.get(key) == mark_of(run):
                continue
            known = self.memory.runs.get(key)
            if known is None:
                known = self.memory.runs[key] = RunMemory(at.wall, at.wall)
                self.is_changed = True
            before = (known.was_at_work, known.best)
            if is_at_work(run):
                known.was_at_work = True
                self._over.pop(key, None)
            elif self._is_over(box, run, known):
                known.was_at_work = False
                self._over[key] = mark_of(run)
            if new_best(run, known, at.wall):
                yield event("new_best", box.name, run.id, best_text(box, run), at.wall)
            if before != (known.was_at_work, known.best):
                known.seen_at = at.wall
                self.is_changed = True

    def _is_over(self, box: BoxView, run: Run, known: RunMemory) -> bool:
        """Whether there is nothing to say of a run's end, or all of it was said."""
        if run.verdict == "unknown":
            return False
        signs = run_signs(box, run, known, self._since[box.name])
        return all(one.is_old or one.key in self.memory.told for one in signs if one.on)


def _told(sign: Sign, at: Moment) -> Event:
    return event(sign.kind, sign.box, sign.run, sign.text, at.wall)


def _run_key(box: BoxView, view: RunView) -> str:
    return key_of("run", box.name, view.run.path)


def _slept(before: Moment, now: Moment) -> bool:
    """Whether nobody looked for long, or this machine slept, or its clock was set."""
    gap = max(now.awake - before.awake, abs(now.wall - before.wall))
    return gap > ASLEEP_SECONDS or now.awake < before.awake
