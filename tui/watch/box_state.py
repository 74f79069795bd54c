"""What is known of one box: facts go in on a link's thread, views come out on the screen's."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from tui.boxes import Box, RecordingTarget, Target
from tui.clock import Clock
from tui.facts import (
    Beat,
    Fact,
    Hello,
    Notice,
    ResumeToken,
    RunFound,
    RunGone,
    Settled,
    Vitals,
)
from tui.rent import RentView
from tui.runs import files
from tui.runs.forecast import DiskForecast
from tui.runs.mirror import MirrorError
from tui.runs.mirrors import BoxMirror
from tui.runs.naming import distinct_ids
from tui.runs.proofs import ProofFile
from tui.view import BoxView, LinkView, RunView
from tui.watch.bill import Bill
from tui.watch.chosen import alone, chosen
from tui.watch.contact import Contact
from tui.watch.judgements import Judgements
from tui.watch.kept import Kept
from tui.watch.notices import Notices
from tui.watch.run_state import RunState

RUNS_ANNOUNCED_MOST = 12_000
"""No box has so many runs in one connection: one that says so fills this machine's disk."""


class BoxState:
    """The facts of one box; ``mirror`` and ``data`` as in ``Kept``."""

    def __init__(
        self, box: Box, clock: Clock, mirror: BoxMirror | None, data: Path | None = None
    ) -> None:
        self.box = box
        self._kept = Kept(box, mirror, data)
        self.revision = 0
        self.settled = False
        self._lock = threading.RLock()
        self._runs: dict[str, RunState] = {}
        self._announced: set[str] = set()
        self._forecasts: dict[str, DiskForecast] = {}
        self._judgements = Judgements()
        self._vitals: Vitals | None = None
        self._bill = Bill(box.price_per_hour)
        self._searched: tuple[str, ...] = ()
        self._notices = Notices()
        self._contact = Contact(clock)
        self._clock = clock

    @property
    def _is_recording(self) -> bool:
        """Whether the box's clock is that of another day, which tells nothing of this machine's."""
        return isinstance(self.box.target, RecordingTarget)

    def load(self) -> None:
        """Read the mirror: what was true at the last contact, before any network."""
        mirror = self._kept.mirror
        if mirror is None:
            return
        kept, meta = list(self._kept.load()), mirror.meta
        with self._lock:
            self._runs.update((state.found.path, state) for state in kept)
            self._vitals = meta.vitals
            self._bill.remembered = meta.rent
            if meta.box_time is not None and meta.seen_at is not None:
                self._contact.remember(meta.box_time, meta.seen_at)
            self.revision += 1
        if (warning := self._kept.size_warning()) is not None:
            self.note(warning)

    def apply(self, fact: Fact) -> None:
        """Take one fact. Raises MirrorError when the link must be opened again."""
        with self._lock:
            self.revision += 1
            match fact:
                case Hello():
                    self._greet(fact)
                case RunFound():
                    self._find(fact)
                case RunGone():
                    self._lose(fact.path)
                case Vitals():
                    self._take_vitals(fact)
                case Beat():
                    self._tick(fact.box_time)
                case Settled():
                    self._settle(fact)
                case Notice():
                    self._notices.add(fact.text)
                case _:
                    state = self._runs.get(fact.path)
                    if state is not None:
                        self._keep(state, lambda: state.apply(fact))

    def tokens(self) -> Mapping[tuple[str, str], ResumeToken]:
        """Where each file goes on after a lost link or a restart."""
        with self._lock:
            return {key: token for run in self._runs.values() for key, token in run.tokens()}

    def consoles(self) -> Mapping[str, str]:
        """The console logs found so far, by run path: they outlive the process that wrote them."""
        with self._lock:
            found = ((run.found.path, run.vitals) for run in self._runs.values())
            return {path: v.console for path, v in found if v is not None and v.console}

    def kept_files(self, path: str) -> list[tuple[str, bytes, float]]:
        """Return what a link goes on with: name, content and time of a run's growing files."""
        with self._lock:
            run = self._runs.get(path)
            return [] if run is None else list(run.kept_files())

    def proofs(self, path: str) -> ProofFile | None:
        """Where proofs of a run are kept, None for an unknown run or nowhere."""
        with self._lock:
            run = self._runs.get(path)
            return None if run is None else run.proofs

    def told(self, path: str, name: str) -> bytes | None:
        """What a file of a run holds that is replaced as a whole, None where there is none."""
        with self._lock:
            run = self._runs.get(path)
            return None if run is None else run.whole.get(name)

    def set_rent(self, rent: RentView | None) -> None:
        """Take what the box's provider tells of it; None where nobody bills it."""
        with self._lock:
            if rent != self._bill.rent:
                self._bill.rent = rent
                self.revision += 1

    def readdress(self, target: Target, fault: str | None, hint: str | None) -> bool:
        """Reach the box elsewhere from now on, or not while there is a ``fault``; whether it is."""
        box = replace(self.box, target=target, fault=fault, hint=hint)
        with self._lock:
            changed = box != self.box
            self.box = box
        return changed

    def judge_anew(self, path: str) -> None:
        """A proof came: the next view tells of it."""
        with self._lock:
            self._judgements.forget(path)
            self.revision += 1

    def note(self, text: str) -> None:
        """Show a line to the person once."""
        with self._lock:
            self._notices.add(text)

    @property
    def still(self) -> AbstractContextManager[object]:
        """Hold it to read a log whole: no fact is taken meanwhile."""
        return self._lock

    def save(self) -> None:
        """Write the last contact to the mirror."""
        with self._lock:
            self._save()

    def view(self, link: LinkView) -> BoxView:
        """Judge every run and return a snapshot; cheap while nothing changes within a second."""
        with self._lock:
            now, clock = self._contact.times(live=link.state == "live")
            vitals = self._vitals
            self._name_runs()
            runs = alone([self._run_view(run, now, clock) for run in self._runs.values()])
            shown, banner = chosen(self.box.run, runs)
            searched = self._searched or self.box.roots
            unsearched = tuple(self._notices.unsearched(self.box.roots, self._searched))
            return BoxView(
                name=self.box.name,
                target=self.box.text,
                link=link,
                runs=shown,
                gpus=vitals.gpus if vitals else (),
                gpu_error=vitals.gpu_error if vitals else None,
                load1=vitals.load1 if vitals else None,
                cpus=vitals.cpus if vitals else None,
                memory_used=vitals.memory_used if vitals else None,
                memory_total=vitals.memory_total if vitals else None,
                clock_skew_s=None if self._is_recording else self._contact.skew,
                searched=searched,
                notices=(*banner, *self._notices.told(unsearched)),
                unsearched=unsearched,
                price_per_hour=self._bill.prices[0],
                rent=self._bill.seen_at(self._clock.steady()),
            )

    def seen_s(self) -> float | None:
        """Seconds since the last sign of life, None if there never was one."""
        with self._lock:
            return self._contact.age()

    def _run_view(self, run: RunState, now: float, clock: float) -> RunView:
        judged = self._judgements.judge(run, now, clock, self._vitals, self._bill.prices)
        forecast = self._forecasts.get(run.found.path)
        return run.view(judged, forecast.full_in() if forecast else None, self._clock.wall())

    def _greet(self, hello: Hello) -> None:
        self._announced.clear()
        self._searched = hello.searched
        self._kept.learn_places(hello.searched)
        self._tick(hello.box_time)
        if hello.missing_tools:
            missing = ", ".join(hello.missing_tools)
            self._notices.add(f"the box has no {missing}: what needs it is not shown")

    def _settle(self, settled: Settled) -> None:
        """The search is complete: mirrored runs that it did not find are no longer on the box."""
        self.settled = True
        self._tick(settled.box_time)
        self._runs = {path: run for path, run in self._runs.items() if path in self._announced}

    def _name_runs(self) -> None:
        """Call runs of the same id below different roots by what tells them apart."""
        names = distinct_ids((path, run.found.id) for path, run in self._runs.items())
        for path, run in self._runs.items():
            if run.id != names[path]:
                run.id = names[path]
                self._judgements.forget(path)

    def _lose(self, path: str) -> None:
        """A run is gone from the box; its mirror stays, unless nothing of it was ever kept."""
        self._judgements.forget(path)
        self._forecasts.pop(path, None)
        run = self._runs.pop(path, None)
        if run is None:
            return
        try:
            self._kept.forget(run)
        except OSError as error:
            self._notices.add(f"the empty mirror of {run.found.id} stays: {error.strerror}")

    def _find(self, found: RunFound) -> None:
        self._announced.add(found.path)
        if len(self._announced) > RUNS_ANNOUNCED_MOST:
            raise MirrorError("the box announces runs without end")
        if files.is_temporary(found.id):
            return
        if (known := self._runs.get(found.path)) is not None:
            if known.found != found:
                known.found = found
                self._judgements.forget(found.path)
            return
        try:
            self._runs[found.path] = self._kept.opened(found)
        except (MirrorError, OSError) as error:
            self._notices.add(f"no mirror of {found.id}: {error}")
            self._runs[found.path] = self._kept.unkept(found)

    def _take_vitals(self, vitals: Vitals) -> None:
        self._tick(vitals.box_time)
        self._vitals = vitals
        for facts in vitals.runs:
            run = self._runs.get(facts.path)
            if run is None:
                continue
            run.set_vitals(facts, live=not self._is_recording)
            if facts.disk is not None:
                forecast = self._forecasts.setdefault(facts.path, DiskForecast())
                forecast.add(vitals.box_time, facts.disk)

    def _tick(self, box_time: float) -> None:
        self._contact.tick(box_time)
        if self._kept.is_due(self._contact.steady):
            self._save()

    def _keep(self, state: RunState, change: Callable[[], None]) -> None:
        """Apply a change; a mirror that cannot be written costs the mirror, never the view."""
        try:
            change()
        except OSError as error:
            self._notices.add(f"the mirror of {state.found.id} cannot be written: {error.strerror}")
            state.detach()

    def _save(self) -> None:
        if self._contact.box_time is None:
            return
        try:
            self._kept.save(
                self._runs.values(),
                self._vitals,
                self._bill.kept,
                box_time=self._contact.box_time,
                seen_at=self._contact.seen_at(),
                steady=self._contact.steady,
            )
        except OSError as error:
            self._notices.add(f"the mirror cannot be written: {error.strerror}")
