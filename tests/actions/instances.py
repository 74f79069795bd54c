"""Instances of fake vendors with a box behind them: this machine, judged as if it were another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.onbox.checkpoints import checkpoint, make_weights, sha256, write_status
from tests.providers.build import StillClock
from tests.providers.fake_vast import FakeVast
from tui.actions.cancel import Cancel
from tui.actions.gate import Loses
from tui.actions.gate_eyes import BoxEyes
from tui.actions.gate_facts import BoxFacts, FoundRun, steady_now
from tui.actions.gate_gather import Pace, gather
from tui.actions.instance import InstanceActions
from tui.actions.instance_confirm import Patience
from tui.actions.instance_consequence import plan_lines
from tui.actions.instance_gate import Sight
from tui.actions.instance_plan import Bound, Consent, Moment, Plan, Report
from tui.actions.instance_words import report_lines
from tui.actions.journal import Entry, Journal
from tui.actions.shell import LocalShell, Shell
from tui.providers.account import Accounts
from tui.providers.base import Action, Instance, Provider
from tui.runs.model import Run
from tui.runs.proofs import Proof, ProofFile
from tui.view import BoxView, LinkView, RunView

ID = "700001"
"""The id of the fake's only instance."""

BEST, LAST, NEXT = (checkpoint(20_000, seed=seed) for seed in (1, 2, 3))


@dataclass
class Rented:
    """One account and the box behind its instances; ``told`` are the moments, ``looks`` counted.

    ``on_look`` is called before every look at the box, ``on_wait`` before every wait for a list.
    """

    provider: Provider
    clock: StillClock
    home: Path
    shell: Shell = field(default_factory=LocalShell)
    unreachable: str | None = None
    followed: list[Run] = field(default_factory=list)
    told: list[Moment] = field(default_factory=list)
    looks: int = 0
    on_look: Callable[[int], None] = lambda _: None
    on_wait: Callable[[Cancel], None] = lambda _: None
    read_only: bool = False
    patience: Patience = field(default_factory=Patience)

    def __post_init__(self) -> None:
        (self.home / "runs").mkdir(parents=True, exist_ok=True)
        self.accounts = Accounts([self.provider], self.clock)

    @property
    def actions(self) -> InstanceActions:
        return InstanceActions(
            self.accounts,
            self.home / "data",
            read_only=self.read_only,
            patience=self.patience,
            clock=self.clock,
            wait=self.wait,
        )

    @property
    def journal(self) -> list[Entry]:
        return list(Journal(self.home / "data").entries())

    @property
    def sight(self) -> Sight:
        return Sight(self.look, self.remembered)

    def wait(self, seconds: float, cancel: Cancel) -> None:
        self.on_wait(cancel)
        cancel.check()
        self.clock.now += seconds

    def remembered(self) -> Sequence[FoundRun]:
        return [FoundRun.of(run) for run in self.followed]

    def look(self, instance: Instance, loses: Loses | None, cancel: Cancel) -> BoxFacts:
        self.looks += 1
        self.on_look(self.looks)
        if self.unreachable is not None:
            return BoxFacts("lab", steady_now(), unreachable=self.unreachable)
        eyes = BoxEyes(self.shell, self.view, self.proofs, [str(self.home / "runs")])
        pace = Pace(sleep=lambda _: None)
        return gather("lab", eyes, loses=loses, same_machine=False, pace=pace)

    def view(self) -> BoxView:
        runs = tuple(RunView(run, None, None, None) for run in self.followed)  # type: ignore[arg-type]
        return BoxView("lab", "lab", LinkView("live"), runs)

    def proofs(self, run: str) -> ProofFile:
        return ProofFile(self.home / "proofs" / Path(run).name)

    def run(self, name: str = "run1", *, alive: bool | None = False, **files: bytes) -> Path:
        """Make a run with best.pt and last.pt, and follow it."""
        path = make_weights(self.home / "runs" / name, **(files or {"best": BEST, "last": LAST}))
        write_status(path, state="completed", pid=None, completed_epochs=3, start_epoch=1)
        facts = Run(id=name, path=str(path), reported_state="completed", pid_alive=alive)
        self.followed.append(facts)
        return path

    def save(self, run: Path) -> None:
        """Keep a verified copy of every checkpoint of a run, and its proof."""
        for file in sorted((run / "weights").iterdir()):
            data = file.read_bytes()
            copy = self.home / "copies" / run.name / file.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(data)
            proof = Proof(
                name=file.name,
                where=str(copy),
                sha256=sha256(data),
                bytes=len(data),
                at=1.0,
                epoch=3,
                mtime=file.stat().st_mtime,
            )
            self.proofs(str(run)).add([proof])

    def bound(self, id: str) -> Bound:
        instance = self.provider.get(id)
        assert instance is not None
        return Bound.of(instance)

    def plan(self, action: Action, id: str, bound: Bound | None = None) -> Plan:
        bound = bound or self.bound(id)
        return self.actions.plan(action, bound, self.sight, self.told.append, Cancel())

    def act(
        self,
        plan: Plan,
        typed: str | None = None,
        *,
        lose: bool = False,
        cancel: Cancel | None = None,
    ) -> Report:
        consent = Consent(typed, lose)
        return self.actions.act(plan, consent, self.sight, self.told.append, cancel or Cancel())


def vanish(fake: FakeVast) -> None:
    """Let another hand destroy everything."""
    fake.rows.clear()


def lines(plan: Plan) -> str:
    return "\n".join(f"{one.heading}: {one.text}" for one in plan_lines(plan))


def words(report: Report) -> str:
    return "\n".join(one.text for one in report_lines(report))
