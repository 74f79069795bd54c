"""The finish line of one box, step by step: what to do next, from what is seen now. No I/O.

Nothing is ended that was not proven right before: every change begins it all again, and once
something was sent to a provider, or a person cancelled it, nothing follows.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tui.actions import finish_words as words
from tui.actions.finish_check import Finding
from tui.actions.finish_runs import FinishRuns, Mark, Standing
from tui.actions.finish_saves import FinishSaves, SaveStep, Work
from tui.actions.finish_wish import Setting
from tui.actions.instance_plan import Plan
from tui.actions.transfer import TransferView
from tui.view import BoxView

Phase = Literal["waiting", "saving", "verifying", "counting", "acting", "over"]
Result = Literal["done", "cancelled", "refused", "failed", "unconfirmed"]
"""``refused``: by the gate, nothing was sent. ``failed``: nothing was sent, or it was refused."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds: between two looks, how long all must have been done, and how long to count down.

    ``begin`` is how long a training may take to begin on a box that was off.

    What may heal is tried ``tries`` times, after ``first_wait``, then twice that, and so on.
    """

    tick: float = 1.0
    settle: float = 10.0
    countdown: float = 60.0
    begin: float = 300.0
    first_wait: float = 15.0
    longest_wait: float = 300.0
    tries: int = 12


@dataclass(frozen=True, slots=True)
class Seen:
    """A box at one moment: ``at`` is steady time, ``told`` that it has said everything once.

    ``transfers`` are all of the box, those that ended too. ``wall`` is seconds since the epoch by
    this machine's clock, None where nobody tells them.
    """

    at: float
    box: BoxView | None
    told: bool = True
    transfers: Sequence[TransferView] = ()
    wall: float | None = None


@dataclass(frozen=True, slots=True)
class Begin:
    """Begin these transfers, and tell their numbers (``begun``)."""

    works: tuple[Work, ...]


@dataclass(frozen=True, slots=True)
class Verify:
    """Let the gate look at everything, and tell what it found (``verified``)."""


@dataclass(frozen=True, slots=True)
class Act:
    """Do what was planned, through the gate, and tell how it ended (``acted``)."""

    plan: Plan


Order = Begin | Verify | Act


@dataclass(frozen=True, slots=True)
class FinishView:
    """A finish line as people see it. ``text`` stays while nothing happens, ``detail`` moves.

    ``left_s`` is what is left of the countdown. ``lines`` tell more of how it ended. ``stuck``:
    only a person can make it go on.
    """

    setting: Setting
    phase: Phase
    text: str
    detail: str = ""
    left_s: float | None = None
    result: Result | None = None
    lines: tuple[str, ...] = ()
    stuck: bool = False

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.phase == "over"


class FinishLine:
    """Safe in many threads; one of them looks and does what is ordered, any may cancel."""

    def __init__(self, setting: Setting, timing: Timing | None = None) -> None:
        self.setting = setting
        self.timing = timing or Timing()
        self._lock = threading.RLock()
        self._runs = FinishRuns(setting.wish.also)
        self._saves = FinishSaves(setting.wish.saves, is_proven=setting.wish.end is not None)
        self._set_at: float | None = None
        self._is_back = True
        self._live_from: float | None = None
        self._mark: Mark | None = None
        self._since = 0.0
        self._counted_from = 0.0
        self._again_at = 0.0
        self._tries = 0
        self._trouble = ""
        self._plan: Plan | None = None
        self._view = FinishView(setting, "waiting", "has not looked yet")

    @property
    def view(self) -> FinishView:
        """How it stands."""
        with self._lock:
            return self._view

    def look(self, seen: Seen) -> Order | None:
        """Take what is seen now, and return what is to be done, None for nothing."""
        with self._lock:
            if self._view.phase in ("acting", "over"):
                return None
            if seen.box is None:
                self._end("failed", f"{self.setting.box} is not watched any more")
                return None
            changed = words.changed_text(self.setting, seen.box.rent)
            if changed is not None:
                self._end("failed", changed)
                return None
            self._set_at = seen.wall if self._set_at is None else self._set_at
            if seen.box.link.state != "live" or not seen.told:
                if seen.box.is_off:
                    self._runs.was_off()
                    self._is_back = False
                self._mark, self._live_from = None, None
                self._wait(words.link_text(seen.box))
                return None
            if not self._has_come_back(seen.at):
                self._wait(words.TELLS)
                return None
            standing = self._runs.look(seen.box.runs, self._set_at_there(seen.box))
            if not self._is_settled(standing, seen.at):
                return None
            return self._go_on(standing, seen)

    def begun(self, work: Work, number: int) -> None:
        """Take the number of a transfer that was ordered."""
        with self._lock:
            self._saves.begun(work, number)

    def verified(self, at: float, finding: Finding) -> None:
        """Take what the gate found; what changed meanwhile begins it all again."""
        with self._lock:
            if self._view.phase != "verifying":
                return
            if finding.plan is not None:
                self._plan, self._counted_from = finding.plan, at
                text, left = words.counting_text(self.setting), self.timing.countdown
                self._show("counting", text, left_s=left)
            else:
                self._take(at, finding)

    def acted(self, at: float, finding: Finding) -> None:
        """Take how it ended; only what was certainly not sent is tried again, from the look on."""
        with self._lock:
            if self._view.phase == "acting":
                self._take(at, finding)

    def cancel(self) -> None:
        """End it, unless it is over or the action itself is under way: that ends by its Cancel."""
        with self._lock:
            if self._view.phase not in ("acting", "over"):
                self._end("cancelled", words.cancelled_text(self.setting))

    def fail(self, text: str) -> None:
        """End it over a fault. Whether something was sent is not known while it acts."""
        with self._lock:
            if not self._view.is_over:
                acting = self._view.phase == "acting"
                self._end("unconfirmed" if acting else "failed", text)

    def say(self, detail: str) -> None:
        """Take what moves while it looks or acts."""
        with self._lock:
            if self._view.phase in ("verifying", "acting"):
                self._show(self._view.phase, self._view.text, detail)

    def _has_come_back(self, at: float) -> bool:
        """Whether a box that was off has had its time to tell how its runs are now."""
        self._live_from = at if self._live_from is None else self._live_from
        self._is_back = self._is_back or at - self._live_from >= self.timing.settle
        return self._is_back

    def _is_late(self, at: float) -> bool:
        """Whether a training should have begun by now on a box that was off."""
        return self._live_from is not None and at - self._live_from >= self.timing.begin

    def _set_at_there(self, box: BoxView) -> float | None:
        """Return when it was set, by the box's clock."""
        return None if self._set_at is None else self._set_at + (box.clock_skew_s or 0.0)

    def _is_settled(self, standing: Standing, at: float) -> bool:
        """Whether all is done, and was seen to be so, unchanged, for long enough."""
        if standing.mark != self._mark:
            self._mark, self._since, self._tries, self._again_at = standing.mark, at, 0, 0.0
        settled = at - self._since >= self.timing.settle
        if standing.waits is not None:
            late = not standing.has_begun and self._is_late(at)
            text = f"{standing.waits}: it needs a person" if late else standing.waits
            self._wait(text, standing.detail, stuck=late or (standing.stuck and settled))
            return False
        if at == self._since:
            self._wait("all is done; looks once more before it begins")
        return settled

    def _go_on(self, standing: Standing, seen: Seen) -> Order | None:
        assert seen.box is not None
        wish = self.setting.wish
        runs = standing.about if wish.end is None else seen.box.runs
        step = self._saves.step(runs, seen.transfers)
        if step.failed is not None:
            self._end("failed", f"nothing was sent: {step.failed}")
            return None
        if not step.is_done:
            return self._save(step)
        if wish.end is None:
            self._end("done", words.saved_text(self.setting, runs))
            return None
        if self._plan is not None:
            return self._count(seen.at)
        if seen.at < self._again_at:
            self._show("verifying", self._trouble, words.again_text(self._again_at - seen.at))
            return None
        self._show("verifying", words.verifying_text(self.setting))
        return Verify()

    def _save(self, step: SaveStep) -> Order | None:
        self._plan = None
        self._show("saving", *words.saving_text(step))
        return Begin(step.begin) if step.begin else None

    def _count(self, at: float) -> Order | None:
        assert self._plan is not None
        left = self.timing.countdown - (at - self._counted_from)
        if left > 0:
            self._show("counting", words.counting_text(self.setting), left_s=left)
            return None
        plan, self._plan = self._plan, None
        self._show("acting", words.acting_text(self.setting))
        return Act(plan)

    def _take(self, at: float, finding: Finding) -> None:
        """End as it was found, or try again what may heal."""
        if not finding.may_heal:
            self._end(finding.result, finding.text, finding.lines)
            return
        self._tries += 1
        if self._tries > self.timing.tries:
            self._end(finding.result, f"given up: {finding.text}", finding.lines)
            return
        wait = min(self.timing.longest_wait, self.timing.first_wait * 2.0 ** (self._tries - 1))
        self._again_at, self._trouble = at + wait, finding.text
        self._show("verifying", finding.text, words.again_text(wait))

    def _wait(self, text: str, detail: str = "", *, stuck: bool = False) -> None:
        self._plan = None
        self._show("waiting", text, detail, stuck=stuck)

    def _end(self, result: Result, text: str, lines: Sequence[str] = ()) -> None:
        self._plan = None
        self._view = FinishView(self.setting, "over", text, result=result, lines=tuple(lines))

    def _show(
        self,
        phase: Phase,
        text: str,
        detail: str = "",
        *,
        left_s: float | None = None,
        stuck: bool = False,
    ) -> None:
        self._view = FinishView(self.setting, phase, text, detail, left_s, stuck=stuck)
