"""Pushes that nobody asked for: when they begin, and what holds them back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import pytest

from tui.actions.auto_push import BLOCKED_SECONDS, SPACING_SECONDS, AutoPush
from tui.actions.push_plan import PushPlan
from tui.actions.shell import HereShell, Shell
from tui.actions.transfer import Settle, Task, TransferView
from tui.config.settings import AutoPush as Rule
from tui.config.settings import HubSettings
from tui.rent import RentView
from tui.runs.log import LogTail
from tui.runs.metrics import Metrics
from tui.runs.model import Checkpoint, Run
from tui.runs.pending import PendingFile, PendingPush
from tui.runs.proofs import ProofFile
from tui.view import BoxView, LinkView, RunView

RUN = Run(
    id="exp/run 1",
    path="/runs/exp/run 1",
    verdict="running",
    epoch=10,
    checkpoints=(Checkpoint("last.pt", 100, 1.0, True), Checkpoint("best.pt", 100, 1.0, True)),
)
SETTINGS = HubSettings(to="my-org/{run}", auto=Rule(every_epochs=10))


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Recorded:
    """Transfers that are only written down."""

    tasks: list[Task] = field(default_factory=list)
    ended: list[TransferView] = field(default_factory=list)
    is_busy: bool = False

    def start(self, task: Task, *, automatic: bool = False) -> int:
        assert automatic
        self.tasks.append(task)
        return len(self.tasks)

    def busy(self, box: str, run: str) -> bool:
        return self.is_busy

    def views(self, box: str | None = None, run: str | None = None) -> tuple[TransferView, ...]:
        return tuple(self.ended)


class Stage:
    """A box, the clock, and what was started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = Clock()
        self.started = Recorded()
        view = RunView(RUN, Metrics(), LogTail(), LogTail(), "/root/train.log")
        self.box = BoxView("lab", "root@lab", LinkView("live"), (view,))

    def boxes(self) -> tuple[BoxView, ...]:
        return (self.box,)

    def show(self, **changes: object) -> None:
        (view,) = self.box.runs
        self.box = replace(
            self.box, runs=(replace(view, run=msgspec.structs.replace(view.run, **changes)),)
        )

    def shell(self) -> Shell:
        return HereShell()

    def proofs(self, run: str) -> ProofFile:
        return ProofFile(self.folder / "saved.jsonl")

    def changed(self, run: str) -> None:
        """Nobody listens."""

    def look(self, auto: AutoPush) -> list[Task]:
        self.started.tasks.clear()
        auto.look()
        return list(self.started.tasks)

    def auto(self, settings: HubSettings = SETTINGS) -> AutoPush:
        return AutoPush(
            self,
            self.started,  # type: ignore[arg-type]
            lambda _name: self,
            settings,
            clock=self.clock,
            wall=lambda: 1_796_000_000.0,
        )


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_a_milestone_is_pushed_to_where_the_configuration_says(stage: Stage) -> None:
    (task,) = stage.look(stage.auto())
    assert isinstance(task, PushPlan)
    assert str(task.place).startswith("my-org/exp-run-1-")
    assert task.names == ("best.pt", "last.pt")
    assert (task.reason, task.console, task.via) == ("epoch 10", "/root/train.log", "box")
    assert task.private and not task.public


def test_a_push_says_who_bills_the_box(stage: Stage) -> None:
    (task,) = stage.look(stage.auto())
    assert isinstance(task, PushPlan) and task.provider is None
    stage.box = replace(stage.box, rent=RentView("vast", "7", "lab", "running"))
    (task,) = stage.look(stage.auto())
    assert isinstance(task, PushPlan) and task.provider == "vast"


def test_nothing_is_pushed_without_a_rule_a_place_or_a_live_link(stage: Stage) -> None:
    assert stage.look(stage.auto(HubSettings(auto=Rule(every_epochs=10)))) == []
    assert stage.look(stage.auto(HubSettings(to="my-org/{run}"))) == []
    stage.box = replace(stage.box, link=LinkView("stale"))
    assert stage.look(stage.auto()) == []


def test_pushes_to_a_repository_are_spaced(stage: Stage) -> None:
    auto = stage.auto()
    assert len(stage.look(auto)) == 1
    stage.clock.now += SPACING_SECONDS - 1
    assert stage.look(auto) == []
    stage.clock.now += 2
    assert len(stage.look(auto)) == 1


def test_a_run_whose_weights_are_on_their_way_is_left_alone(stage: Stage) -> None:
    stage.started.is_busy = True
    assert stage.look(stage.auto()) == []


def test_a_failure_that_needs_a_person_is_not_repeated_for_a_while(stage: Stage) -> None:
    auto = stage.auto()
    (task,) = stage.look(auto)
    assert isinstance(task, PushPlan)
    failed = TransferView(
        *(1, "push", "lab", RUN.path, RUN.id, task.names, str(task.place), "failed", "quota"),
        automatic=True,
        at=stage.clock.now,
    )
    stage.started.ended = [failed]
    stage.clock.now += BLOCKED_SECONDS - 1
    assert stage.look(auto) == []
    stage.clock.now += 2
    assert len(stage.look(auto)) == 1


def test_a_dead_run_is_pushed_while_its_box_still_answers(stage: Stage) -> None:
    stage.show(verdict="dead", epoch=7)
    (task,) = stage.look(stage.auto(HubSettings(to="o/r", auto=Rule(on_end=True))))
    assert isinstance(task, PushPlan)
    assert task.reason == "the run died"


def test_a_push_of_an_earlier_day_is_settled_once_whatever_the_rules_say(stage: Stage) -> None:
    push = PendingPush("0123abcd", "lab", RUN.path, "my-org/x", "box", 1.0, ())
    PendingFile(stage.proofs("")).add(push)
    auto = stage.auto(HubSettings())
    assert stage.look(auto) == [Settle("lab", RUN.id, push)]
    assert stage.look(auto) == []
