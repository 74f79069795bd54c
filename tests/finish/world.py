"""A rented box as a finish line sees it, and the whole truth about it: pure, no box behind it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tests.actions.plans import INSTANCE, a_plan
from tui.actions.finish_check import Finding, checked
from tui.actions.finish_line import Act, Begin, FinishLine, Order, Seen, Timing, Verify
from tui.actions.finish_wish import Setting, Wish
from tui.actions.gate import judge
from tui.actions.gate_facts import BoxFacts, BoxFile, RunFacts, Witness
from tui.actions.gate_facts import Seen as SeenFile
from tui.actions.instance_plan import Bound
from tui.actions.transfer import TransferState, TransferView
from tui.rent import RentView
from tui.runs.model import Checkpoint, Run, Saved, Verdict
from tui.runs.proofs import Proof
from tui.view import BoxView, LinkState, LinkView, RunView

BOUND = Bound.of(INSTANCE, "lab")
TIMING = Timing(tick=1, settle=10, countdown=60, first_wait=15, longest_wait=60, tries=3)

STATES: dict[str, tuple[Verdict, str, bool | None]] = {
    "running": ("running", "running", True),
    "stalled": ("stalled", "running", True),
    "ending": ("completed", "completed", True),
    "completed": ("completed", "completed", False),
    "unseen": ("completed", "completed", None),
    "derived": ("completed", "", None),
    "diverged": ("diverged", "completed", False),
    "failed": ("failed", "failed", False),
    "dead": ("dead", "running", False),
    "stopped": ("stopped", "failed", False),
    "unknown": ("unknown", "", None),
    "perhaps dead": ("dead", "running", None),
}
"""Verdict, reported state, and whether the process lives."""


@dataclass
class Training:
    """A run: ``versions`` of best and last, those that are ``saved``, and where it stands.

    ``is_shown``: the copies that are saved are known to whoever watches.
    """

    name: str
    state: str = "running"
    epoch: int = 1
    versions: dict[str, int] = field(default_factory=lambda: {"best.pt": 1, "last.pt": 1})
    saved: set[tuple[str, int]] = field(default_factory=set)
    began: float | None = None
    updated: float | None = None
    is_shown: bool = False

    @property
    def started_at(self) -> float:
        return 1000.0 + len(self.name) if self.began is None else self.began

    @property
    def path(self) -> str:
        return f"/runs/{self.name}"

    @property
    def is_safe(self) -> bool:
        return all(each in self.saved for each in self.versions.items())

    def write(self) -> None:
        self.epoch += 1
        self.versions = {name: version + 1 for name, version in self.versions.items()}

    def view(self) -> RunView:
        verdict, reported, alive = STATES[self.state]
        run = Run(
            id=self.name,
            path=self.path,
            verdict=verdict,
            reported_state=reported or None,
            pid_alive=alive,
            pid=7,
            epoch=self.epoch,
            total_epochs=9,
            started_at=self.started_at,
            updated_at=self.updated,
            checkpoints=tuple(
                Checkpoint(name, 100, float(version), saved=self._known(name, version))
                for name, version in self.versions.items()
            ),
        )
        return RunView(run, None, None, None)  # type: ignore[arg-type]

    def _known(self, name: str, version: int) -> Saved | None:
        """What is known of a copy; its commit is of no push that a finish line waits for."""
        if not self.is_shown or (name, version) not in self.saved:
            return None
        return Saved(f"/here/{name}", f"{version:064x}", None, 1.0, True)

    def facts(self) -> RunFacts:
        _, reported, alive = STATES[self.state]
        if alive is None:
            alive = False if reported in ("completed", "failed") else None
        files = tuple(self._file(name, version) for name, version in self.versions.items())
        return RunFacts(self.path, self.name, alive, (self.path,), files)

    def _file(self, name: str, version: int) -> BoxFile:
        digest = f"{version:064x}"
        file = BoxFile(name, "whole", 100, digest, epoch=version)
        if (name, version) not in self.saved:
            return file
        proof = Proof(name=name, where=f"/here/{name}", sha256=digest, bytes=100, at=1.0, mtime=1.0)
        return replace(file, witnesses=(Witness(proof, SeenFile(100, digest)),))


class World:
    """Runs, a link, transfers and a finish line; ``acted`` counts what the line had sent."""

    def __init__(self, setting: Setting | None = None, *runs: Training) -> None:
        self.setting = setting or a_setting()
        self.line = FinishLine(self.setting, TIMING)
        self.runs = list(runs) or [Training("run1")]
        self.link: LinkState = "live"
        self.told = True
        self.now = 0.0
        self.wall: float | None = None
        self.rent: RentView | None = None
        self.transfers: dict[int, TransferView] = {}
        self.sent = 0
        self.verified = 0
        self.begun: list[tuple[str, str]] = []
        self.succeeds = True
        self.at_once = True
        self._holds: dict[int, tuple[Training, dict[str, int]]] = {}

    @property
    def phase(self) -> str:
        return self.line.view.phase

    @property
    def box(self) -> BoxView:
        runs = tuple(one.view() for one in self.runs)
        return BoxView("lab", "lab", LinkView(self.link), runs, rent=self.rent)

    def look(self) -> Order | None:
        """One look; what is ordered is done at once."""
        wall = None if self.wall is None else self.wall + self.now
        moves = list(self.transfers.values())
        order = self.line.look(Seen(self.now, self.box, self.told, moves, wall))
        match order:
            case Begin():
                for work in order.works:
                    self.begin(work.save, work.run.run.id, work.names)
                    self.line.begun(work, len(self.transfers))
            case Verify():
                self.verified += 1
                self.line.verified(self.now, self.finding())
            case Act():
                self.act()
        return order

    def finding(self) -> Finding:
        """What the gate says of the truth."""
        end = self.setting.wish.end
        assert end is not None
        facts = BoxFacts("lab", self.now, tuple(run.facts() for run in self.runs))
        if self.link != "live":
            facts = BoxFacts("lab", self.now, unreachable="the link is down")
        plan = a_plan(end, judge(facts, end), runs=facts.runs)
        return checked(replace(plan, bound=BOUND, names=("lab",)), self.setting)

    def act(self) -> None:
        """The action: the gate once more, then it is sent."""
        finding = self.finding()
        if finding.plan is None:
            self.line.acted(self.now, finding)
            return
        self.sent += 1
        self.line.acted(self.now, Finding("done", "it is gone"))

    def begin(self, save: str, name: str, names: tuple[str, ...]) -> None:
        run = next(one for one in self.runs if one.name == name)
        number = len(self.transfers) + 1
        self.begun.append((save, name))
        self._holds[number] = (run, {each: run.versions[each] for each in names})
        kind = "push" if save == "push" else "pull"
        view = TransferView(number, kind, "lab", run.path, name, names, "there", "running", "moves")
        self.transfers[number] = view
        if self.at_once:
            self.settle(number)

    def settle(self, number: int) -> None:
        """End a transfer."""
        run, versions = self._holds[number]
        state: TransferState = "saved" if self.succeeds else "failed"
        if self.succeeds:
            run.saved |= set(versions.items())
        self.transfers[number] = replace(self.transfers[number], state=state, text="no room")

    def wait(self, seconds: float, step: float = 1.0) -> None:
        """Look again and again for so long."""
        end = self.now + seconds
        while self.now < end:
            self.now += step
            self.look()


def a_setting(words: tuple[str, ...] = ("push",), end: str | None = "destroy") -> Setting:
    wish = Wish(words, end)  # type: ignore[arg-type]
    if end is None:
        return Setting("lab", wish)
    return Setting("lab", wish, BOUND, "lab" if end == "destroy" else None)
