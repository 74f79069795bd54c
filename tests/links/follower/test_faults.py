"""A fault of the follower itself at one run is that run's trouble, and stops nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.links.received import Received
from tests.links.runs_on_disk import append, make_run, write_status
from tui.boxes import LocalTarget
from tui.facts import FileTrouble, Settled, Vitals
from tui.links.base import FollowRequest
from tui.links.follower.appended import Appended
from tui.links.follower.checkpoints import Checkpoints
from tui.links.follower.followed import Replaced
from tui.links.follower.processes import Training
from tui.links.follower.runs import Status
from tui.links.local import LocalLink
from tui.runs import files

Fault = Callable[[pytest.MonkeyPatch], None]


def fault_of(owner: type, name: str, part: str) -> Fault:
    """Return how to make a method fail for the one run that is called strange."""

    def arrange(monkeypatch: pytest.MonkeyPatch) -> None:
        real = getattr(owner, name)

        def fails(self: object, *arguments: object) -> object:
            if b"strange" in os.fsencode(getattr(self, part)):
                raise KeyError("nobody thought of this")
            return real(self, *arguments)

        monkeypatch.setattr(owner, name, fails)

    return arrange


def fault_of_process(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Training.facts

    def facts(self: Training) -> object:
        if self.pid == 4_000_001:
            raise ZeroDivisionError
        return real(self)

    monkeypatch.setattr(Training, "facts", facts)


FAULTS: dict[str, tuple[Fault, str]] = {
    "read": (fault_of(Replaced, "take", "run"), files.STATUS),
    "understand": (fault_of(Status, "understand", "run"), files.STATUS),
    "metrics": (fault_of(Appended, "take", "run"), files.METRICS),
    "weights": (fault_of(Checkpoints, "check", "run"), files.STATUS),
    "process": (fault_of_process, files.STATUS),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_at_one_run_is_its_trouble_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    strange = make_run(tmp_path, "strange", pid=4_000_001)
    well = make_run(tmp_path, "well", pid=os.getpid())
    for run in (strange, well):
        append(run / files.METRICS, b'{"epoch": 1}\n')
    arrange, name = FAULTS[fault]
    arrange(monkeypatch)
    received = Received()
    facts = []
    for fact in LocalLink(LocalTarget(tmp_path)).open(FollowRequest((str(tmp_path),), once=True)):
        facts.append(fact)
        received.take(fact)
    assert isinstance(facts[-1], Settled)
    told = [fact for fact in facts if isinstance(fact, FileTrouble) and fact.name == name]
    assert [fact.path for fact in told] == [str(strange)]
    assert "the follower failed" in told[0].error
    assert received.data(well, files.METRICS) == b'{"epoch": 1}\n'
    assert any(isinstance(fact, Vitals) for fact in facts)
    assert received.vitals[str(well)].process is not None


@pytest.mark.parametrize("depth", [50, 400, 900, 980, 5000])
def test_values_nested_ever_so_deep_are_only_values(tmp_path: Path, depth: int) -> None:
    run = make_run(tmp_path, "deep")
    nested = "[" * depth + "]" * depth
    status = f'{{"pid": {nested}, "started_at": {nested}, "mean_epoch_seconds": {nested}}}'
    (run / files.STATUS).write_text(status)
    write_status(make_run(tmp_path, "well"), current_epoch=1)
    facts = list(LocalLink(LocalTarget(tmp_path)).open(FollowRequest((str(tmp_path),), once=True)))
    assert isinstance(facts[-1], Settled)
    assert not [fact for fact in facts if isinstance(fact, FileTrouble)]
