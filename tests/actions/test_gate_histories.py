"""Random histories of one box: no destroy ever takes an unsaved checkpoint along without a yes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tui.actions.errors import ActionError
from tui.actions.gate import Judgement, judge
from tui.actions.gate_facts import FoundRun, Seen
from tui.actions.gate_gather import Pace, gather
from tui.actions.gate_survey import Entry, Place, Survey, Trouble
from tui.actions.snapshot import Identity, Weight
from tui.runs.proofs import Proof

pytestmark = pytest.mark.timeout(600)  # a thousand histories on a slow machine

BOX = "lab"
COMMIT = "c" * 40
RUNS = st.sampled_from(["/runs/a", "/runs/b", "/runs/c"])
NAMES = st.sampled_from(["best.pt", "last.pt", "epoch_10.pt"])
MATTER = ("best.pt", "last.pt")


def seen(data: bytes) -> Seen:
    return Seen(len(data), hashlib.sha256(data).hexdigest())


@dataclass
class File:
    """A checkpoint. ``changes`` is its time of change, which nobody can set back."""

    data: bytes
    mtime: int
    whole: bool = True
    changes: int = 0
    epoch: int = 0


@dataclass
class Training:
    files: dict[str, File] = field(default_factory=dict)
    alive: bool | None = False
    followed: bool = True
    listable: bool = True
    state: str | None = "completed"
    epoch: int = 0

    @property
    def matter(self) -> list[str]:
        return [name for name in MATTER if name in self.files] or list(self.files)[:1]


class World:
    """A box, the Hub and this machine. ``meddle`` happens once, in the middle of a look."""

    def __init__(self) -> None:
        self.runs: dict[str, Training] = {}
        self.hub: dict[str, Seen] = {}
        self.copies: dict[str, bytes] = {}
        self.kept: dict[str, list[Proof]] = {}
        self.reachable = True
        self.hub_answers = True
        self.readable = True
        self.meddle: Callable[[], None] | None = None

    def check(self) -> None:
        if not self.reachable:
            raise ActionError("unreachable", "timed out")

    def is_saved(self, file: File) -> bool:
        now = seen(file.data)
        return now in self.hub.values() or now in [seen(data) for data in self.copies.values()]

    @property
    def loses(self) -> bool:
        """Whether a destroy would lose anything at this moment."""
        return any(
            run.alive is not False
            or not all(
                run.files[name].whole and self.is_saved(run.files[name]) for name in run.matter
            )
            for run in self.runs.values()
        )

    @property
    def is_told(self) -> bool:
        """Whether everything can be found out, so that the gate has no excuse."""
        listed = all(run.listable for run in self.runs.values())
        return self.reachable and self.hub_answers and self.readable and listed


class WorldEyes:
    def __init__(self, world: World) -> None:
        self.world = world

    def runs(self) -> Sequence[FoundRun]:
        self.world.check()
        return [
            FoundRun(path, path, run.alive, run.state, 7, run.epoch)
            for path, run in self.world.runs.items()
            if run.followed
        ]

    def survey(self, runs: Sequence[str], *, widely: bool = False) -> Survey:
        self.world.check()
        places = [self._place(path, run) for path, run in self.world.runs.items()]
        troubles = () if self.world.readable else (Trouble("/runs/x", "Permission denied"),)
        return Survey(tuple(places), troubles)

    def _place(self, path: str, run: Training) -> Place:
        entries = tuple(
            Entry(name, (1, 5, len(file.data), file.mtime, file.changes))
            for name, file in run.files.items()
            if name in run.matter
        )
        lives = run.alive is not False
        if not run.listable:
            return Place(path, path, True, "unreadable", "permission denied", path)
        return Place(path, path, True, "there", None, path, entries, run.state, 7, lives)

    def weights(self, run: str, names: Sequence[str]) -> Sequence[Weight]:
        self.world.check()
        found = [self._weight(name, self.world.runs[run].files[name]) for name in names]
        if self.world.meddle is not None:
            self.world.meddle()
            self.world.meddle = None
        return found

    def _weight(self, name: str, file: File) -> Weight:
        identity = Identity(1, 5, len(file.data), file.mtime)
        reason = None if file.whole else "no end record"
        return Weight(name, file.whole, reason, identity, file.epoch, seen(file.data).sha256)

    def proofs(self, run: str) -> Sequence[Proof]:
        return self.world.kept.get(run, [])

    def same(self, size: int, sha256: str) -> Sequence[Proof]:
        every = [proof for proofs in self.world.kept.values() for proof in proofs]
        return [proof for proof in every if (proof.bytes, proof.sha256) == (size, sha256)]

    def look_at(self, proof: Proof) -> Seen:
        if proof.on_hub:
            if not self.world.hub_answers:
                raise ActionError("unreachable", "the Hub cannot be reached")
            if proof.where not in self.world.hub:
                raise ActionError("missing", "the Hub does not list it any more")
            return self.world.hub[proof.where]
        if proof.where not in self.world.copies:
            raise ActionError("missing", "it is not there any more")
        return seen(self.world.copies[proof.where])

    def look_again(self, proof: Proof, earlier: Seen) -> Seen:
        return self.look_at(proof)


class Histories(RuleBasedStateMachine):
    """One box from its rental to its end; a destroyed box is rented anew."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.written = 0
        self.now = 1000

    @initialize()
    def rent(self) -> None:
        self.world.runs = {"/runs/a": Training()}
        self.train("/runs/a", True)
        self.save_everything_and_end(True)

    def write(self, run: Training, name: str, *, in_place: bool = False) -> None:
        """Write new bytes, all of one size; in place neither inode nor size nor time tells."""
        self.written += 1
        self.now += 1
        old = run.files.get(name)
        mtime = old.mtime if old is not None and in_place else self.now
        data = b"%08d" % self.written
        run.files[name] = File(data, mtime, True, self.now, run.epoch)

    def some(self, path: str, name: str) -> File | None:
        run = self.world.runs.get(path)
        return run.files.get(name) if run else None

    @rule(path=RUNS, best=st.booleans())
    def train(self, path: str, best: bool) -> None:
        run = self.world.runs.setdefault(path, Training())
        run.alive, run.state = True, "running"
        run.epoch += 1
        self.write(run, "last.pt")
        if best:
            self.write(run, "best.pt")

    @rule(path=RUNS, alive=st.sampled_from([False, False, False, None, True]))
    def end(self, path: str, alive: bool | None) -> None:
        if path in self.world.runs:
            self.world.runs[path].alive, self.world.runs[path].state = alive, "completed"

    @rule(path=RUNS, name=NAMES)
    def write_in_place(self, path: str, name: str) -> None:
        if self.some(path, name) is not None:
            self.write(self.world.runs[path], name, in_place=True)

    @rule(path=RUNS, name=NAMES)
    def write_anything(self, path: str, name: str) -> None:
        if path in self.world.runs:
            self.write(self.world.runs[path], name)

    @rule(path=RUNS, name=NAMES)
    def tear(self, path: str, name: str) -> None:
        file = self.some(path, name)
        if file is not None:
            file.whole, file.data, file.changes = False, file.data[:4], self.now

    @rule(path=RUNS, name=NAMES)
    def delete(self, path: str, name: str) -> None:
        if self.some(path, name) is not None:
            del self.world.runs[path].files[name]

    def _save(self, path: str, name: str, where: str, commit: str | None) -> File | None:
        file = self.some(path, name)
        if file is None or not file.whole:
            return None
        now = seen(file.data)
        self.world.kept.setdefault(path, []).append(
            Proof(
                **{"name": name, "where": where, "sha256": now.sha256, "bytes": now.size},
                **{"at": float(self.now), "commit": commit, "epoch": file.epoch},
                **{"mtime": float(file.mtime), "inode": 5},
            )
        )
        return file

    @rule(path=RUNS)
    def push(self, path: str) -> None:
        for name in [*MATTER, "epoch_10.pt"]:
            where = f"hf://my-org/x{path}/{self.written}/{name}"
            file = self._save(path, name, where, COMMIT)
            if file is not None:
                self.world.hub[where] = seen(file.data)

    @rule(path=RUNS, name=NAMES, fresh=st.booleans())
    def pull(self, path: str, name: str, fresh: bool) -> None:
        where = f"/home/me{path}/{self.written if fresh else ''}{name}"
        file = self._save(path, name, where, None)
        if file is not None:
            self.world.copies[where] = file.data

    @rule(data=st.data(), rewrite=st.booleans())
    def lose_copy(self, data: st.DataObject, rewrite: bool) -> None:
        if self.world.copies:
            where = data.draw(st.sampled_from(sorted(self.world.copies)))
            if rewrite:
                self.world.copies[where] = b"x" * len(self.world.copies[where])
            else:
                del self.world.copies[where]

    @rule(data=st.data())
    def lose_commit(self, data: st.DataObject) -> None:
        if self.world.hub:
            del self.world.hub[data.draw(st.sampled_from(sorted(self.world.hub)))]

    @rule(path=RUNS, followed=st.booleans(), listable=st.sampled_from([True, True, False]))
    def look_otherwise(self, path: str, followed: bool, listable: bool) -> None:
        if path in self.world.runs:
            run = self.world.runs[path]
            run.followed, run.listable = followed, listable

    @rule(box=st.booleans(), hub=st.booleans(), all_read=st.booleans())
    def weather(self, box: bool, hub: bool, all_read: bool) -> None:
        self.world.reachable, self.world.hub_answers, self.world.readable = box, hub, all_read

    @rule()
    def fine_weather(self) -> None:
        self.weather(True, True, True)

    @rule(path=RUNS, name=NAMES, act=st.sampled_from(["none", "write", "start"]))
    def meddle(self, path: str, name: str, act: str) -> None:
        """Let something happen in the middle of the next look at the box."""

        def happen() -> None:
            if act == "write":
                self.write_in_place(path, name)
            elif act == "start":
                self.train(path, True)

        self.world.meddle = happen

    @rule(hub=st.booleans())
    def save_everything_and_end(self, hub: bool) -> None:
        """Come to where a destroy is right, so that the next step is what makes it wrong."""
        self.fine_weather()
        for path, run in self.world.runs.items():
            run.alive, run.state, run.listable = False, "completed", True
            for name in list(run.files):
                self.write(run, name)
                if not hub:
                    self.pull(path, name, fresh=True)
            if hub:
                self.push(path)

    @rule(typed=st.sampled_from([None, None, "", "LAB", "lab ", BOX]))
    def click_destroy(self, typed: str | None) -> None:
        if self.judged().allows(float(self.now), typed):
            assert typed == BOX or not self.world.loses, "an unsaved checkpoint was destroyed"
            self.rent()

    @invariant()
    def the_gate_passes_exactly_when_nothing_would_be_lost(self) -> None:
        world = self.world
        before = world.is_told and not world.loses and self._proofs_cover_all()
        odd = any(not one.followed and one.state != "completed" for one in world.runs.values())
        meddled = world.meddle is not None
        judgement = self.judged()
        if judgement.passes:
            assert not world.loses, "it passes although something would be lost"
            assert world.reachable and world.readable, "it passes without having looked"
            assert all(run.listable for run in world.runs.values()), "it passes without a list"
        elif not meddled and not odd:
            assert not before, [one.text for one in judgement.refusals]

    def judged(self) -> Judgement:
        pace = Pace(clock=lambda: float(self.now), sleep=lambda seconds: None)
        facts = gather(BOX, WorldEyes(self.world), same_machine=False, pace=pace)
        self.world.meddle = None
        return judge(facts, "destroy")

    def _proofs_cover_all(self) -> bool:
        """Whether each file has a standing proof of its own run."""
        eyes = WorldEyes(self.world)
        for path, run in self.world.runs.items():
            standing = []
            for proof in eyes.proofs(path):
                try:
                    standing.append(eyes.look_at(proof))
                except ActionError:
                    continue
            if any(seen(run.files[name].data) not in standing for name in run.matter):
                return False
        return True


Histories.TestCase.settings = settings(
    max_examples=1000,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
test_no_history_destroys_what_is_not_saved = Histories.TestCase
