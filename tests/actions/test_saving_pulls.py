"""Proofs of pulled copies: kept at once, of the very file that was proven, and of no other."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.onbox.checkpoints import checkpoint, leftovers, make_weights, put, sha256
from tests.waiting import wait_until
from tui.actions.cancel import Cancel
from tui.actions.progress import Progress
from tui.actions.pull import PullReport
from tui.actions.saving import Saving
from tui.actions.shell import HereShell
from tui.actions.snapshot import Rules
from tui.runs.proofs import ProofFile

BEST, LAST, OTHER = (checkpoint(200_000, seed) for seed in (1, 2, 3))
RULES = Rules(settle=0.05, patience=3.0, spare=0)
BOTH = ("best.pt", "last.pt")


class Pulls:
    """The pulls of one run of this machine, with what a person does meanwhile."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.proofs = ProofFile(run.parent / f"{run.name}.jsonl")
        self.meanwhile = {"last.pt": lambda: None}

    def __call__(self, directory: Path, *names: str) -> PullReport:
        saving = Saving(HereShell(), lambda _run: self.proofs, rules=RULES)
        try:
            return saving.pull(str(self.run), names or BOTH, directory, self._told, Cancel())
        finally:
            saving.close()

    @property
    def saved(self) -> list[str]:
        return [proof.name for proof in self.proofs.standing()]

    def _told(self, progress: Progress) -> None:
        if progress.stage == "asking for":
            self.meanwhile.get(progress.name, lambda: None)()


@pytest.fixture
def pulls(tmp_path: Path) -> Pulls:
    return Pulls(make_weights(tmp_path / "runs" / "run1", best=BEST, last=LAST))


def test_what_came_is_saved_although_the_next_is_interrupted(pulls: Pulls, tmp_path: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    pulls.meanwhile["last.pt"] = interrupt
    with pytest.raises(KeyboardInterrupt):
        pulls(tmp_path / "to")
    assert pulls.saved == ["best.pt"]
    put(pulls.run / "weights/best.pt", OTHER)
    assert pulls(tmp_path / "to", "best.pt").failed == {}, "it is the run's own earlier copy"
    assert (tmp_path / "to/best.pt").read_bytes() == OTHER


def test_what_is_put_in_its_place_during_the_next_is_no_copy(pulls: Pulls, tmp_path: Path) -> None:
    copy = tmp_path / "to/best.pt"
    pulls.meanwhile["last.pt"] = lambda: put(copy, OTHER, age=0.0)
    assert len(OTHER) == len(BEST)
    pulls(copy.parent)
    assert pulls.saved == ["last.pt"]


def test_one_that_is_moved_away_during_the_next_costs_no_other(
    pulls: Pulls, tmp_path: Path
) -> None:
    copy = tmp_path / "to/best.pt"
    pulls.meanwhile["last.pt"] = copy.unlink
    assert [one.name for one in pulls(copy.parent).pulled] == ["best.pt", "last.pt"]
    assert pulls.saved == ["last.pt"]


def test_the_only_copy_of_another_run_is_not_replaced(pulls: Pulls, tmp_path: Path) -> None:
    there = tmp_path / "to"
    pulls(there)
    shutil.rmtree(there)
    other = Pulls(make_weights(tmp_path / "runs" / "run2", best=OTHER))
    other(there, "best.pt")
    report = pulls(there)
    assert "no copy of this run's" in str(report.failed["best.pt"])
    assert [one.name for one in report.pulled] == ["last.pt"]
    assert sha256((there / "best.pt").read_bytes()) == sha256(OTHER)
    assert other.saved == ["best.pt"]


@pytest.mark.parametrize("way", ["there", "link"])
def test_the_file_itself_is_no_copy_of_it(pulls: Pulls, tmp_path: Path, way: str) -> None:
    weights = pulls.run / "weights"
    (tmp_path / "link").symlink_to(weights)
    report = pulls(weights if way == "there" else tmp_path / "link")
    assert report.pulled == [] and pulls.saved == []
    for name, error in report.failed.items():
        assert f"{name} is the very file that was to be copied" in str(error)
        assert error.hint == "name another directory"
    wait_until(lambda: leftovers(pulls.run) == [], what="the snapshot's end")
    assert sorted(path.name for path in weights.iterdir()) == ["best.pt", "last.pt"]
