"""Places of a box where weights may lie unseen: each stands against ending it."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.actions.test_gate_box import ONE, TWO, Rented, lab
from tests.onbox.checkpoints import make_weights, write_status
from tui.actions.gate import judge
from tui.actions.gate_eyes import BoxEyes
from tui.actions.gate_gather import gather
from tui.actions.gate_survey import Survey, Trouble
from tui.actions.instance_gate import loses_of
from tui.money import DOCUMENTED
from tui.onbox.gate import Search
from tui.providers.base import Instance, State

__all__ = ["lab"]


def search(root: Path) -> Search:
    request = {"runs": [], "roots": [str(root)], "pruned": ["weights"], "markers": [], "depth": 3}
    return Search(request)


def failing(monkeypatch: pytest.MonkeyPatch, place: Path, code: int) -> None:
    """Let every look into a directory fail, as root may look everywhere."""
    scan = os.scandir

    def scandir(path: bytes) -> object:
        if Path(os.fsdecode(path)) == place:
            raise OSError(code, os.strerror(code), path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOTCONN, errno.ESTALE])
def test_a_root_on_a_disk_that_broke_is_a_place_nobody_saw(
    lab: Rented, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    failing(monkeypatch, lab.root, code)
    found = search(lab.root)
    assert found.paths() == []
    assert found.troubles == [(os.fsencode(lab.root), os.strerror(code), False)]


def test_weights_that_cannot_be_listed_make_a_directory_a_run(
    lab: Rented, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = lab.root / "bare" / "weights"
    weights.mkdir(parents=True)
    assert search(lab.root).paths() == []
    failing(monkeypatch, weights, errno.EACCES)
    assert search(lab.root).paths() == [[os.fsencode(lab.root / "bare")]]


class Troubled(BoxEyes):
    """Eyes to which some places are closed."""

    closed: tuple[Trouble, ...] = ()

    def survey(self, runs: Sequence[str]) -> Survey:
        return replace_troubles(super().survey(runs), self.closed)


def replace_troubles(found: Survey, troubles: tuple[Trouble, ...]) -> Survey:
    return Survey(found.places, troubles, found.same_machine)


@pytest.mark.parametrize(
    ("root", "refuses"), [("/root/runs", False), ("/workspace/runs", False), ("/data/runs", True)]
)
def test_a_root_that_a_person_named_has_to_be_seen(lab: Rented, root: str, refuses: bool) -> None:
    eyes = Troubled(lab.shell, lab.view, lab.proofs, [str(lab.root)])
    eyes.closed = (Trouble(root, "Permission denied", root=True),)
    facts = gather("lab", eyes, same_machine=False)
    judgement = judge(facts, "destroy")
    assert judgement.passes is not refuses
    said = [one.text for one in judgement.refusals] or list(judgement.warnings)
    assert any(f"{root}: Permission denied" in text for text in said)


def test_a_checkpoint_that_is_a_link_lies_where_it_leads(lab: Rented, tmp_path: Path) -> None:
    run = lab.run("run1", best=ONE, last=TWO)
    scratch = tmp_path / "scratch.pt"
    (run / "weights" / "best.pt").rename(scratch)
    (run / "weights" / "best.pt").symlink_to(scratch)

    def loses(path: str) -> bool:
        return not path.startswith(str(lab.root))

    eyes = BoxEyes(lab.shell, lab.view, lab.proofs, [str(lab.root)])
    facts = gather("lab", eyes, loses=loses, same_machine=False)
    told = judge(facts, "stop", loses).refusals
    assert {one.file for one in told} == {"best.pt", "last.pt"}
    assert str(scratch) in facts.runs[0].places


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="no memory to write to here")
def test_what_lies_in_memory_no_stop_keeps(lab: Rented) -> None:
    shared = Path(tempfile.mkdtemp(dir="/dev/shm"))
    try:
        (lab.root / "run1").symlink_to(make_weights(shared / "run1", best=ONE))
        write_status(shared / "run1", state="completed", pid=None)
        lab.run("run2", best=ONE)
        loses = loses_of(Instance("vast", "1", "lab", State.RUNNING, keeps=DOCUMENTED["vast"]))
        eyes = BoxEyes(lab.shell, lab.view, lab.proofs, [str(lab.root)])
        judgement = judge(gather("lab", eyes, loses=loses, same_machine=False), "stop", loses)
        assert [one.kind for one in judgement.refusals] == ["unsaved"]
        assert "run1: best.pt" in judgement.refusals[0].text
    finally:
        shutil.rmtree(shared)
