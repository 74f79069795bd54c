"""Places of a box where weights may lie unseen: each stands against ending it."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.actions.gated import ONE, TWO, Rented, lab, saved_run
from tests.onbox.checkpoints import make_weights, put, write_status
from tui.actions.gate import judge
from tui.actions.gate_eyes import BoxEyes
from tui.actions.gate_gather import gather
from tui.actions.gate_survey import OUTERMOST, Survey, Trouble, asker, is_here
from tui.actions.instance_gate import loses_of
from tui.money import DOCUMENTED
from tui.onbox.gate import Search, machine, sign
from tui.onbox.mounts import in_memory
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


def eyes_of(lab: Rented) -> BoxEyes:
    return BoxEyes(lab.shell, lab.view, lab.proofs, [str(lab.root)])


class Troubled(BoxEyes):
    """Eyes to which some places are closed."""

    closed: tuple[Trouble, ...] = ()

    def survey(self, runs: Sequence[str], *, widely: bool = False) -> Survey:
        return replace_troubles(super().survey(runs, widely=widely), self.closed)


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
        assert "/run1: best.pt" in judgement.refusals[0].text
    finally:
        shutil.rmtree(shared)


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="no memory to write to here")
def test_memory_is_known_by_what_is_mounted_not_by_its_name(lab: Rented) -> None:
    def loses(path: str) -> bool:
        return False

    shared = Path(tempfile.mkdtemp(dir="/dev/shm"))
    try:
        (lab.root / "run1").symlink_to(make_weights(shared / "run1", best=ONE))
        write_status(shared / "run1", state="completed", pid=None)
        linked = lab.run("run2", best=ONE)
        put(shared / "last.pt", TWO)
        (linked / "weights" / "last.pt").symlink_to(shared / "last.pt")
        lab.run("run3", best=ONE)
        eyes = BoxEyes(lab.shell, lab.view, lab.proofs, [str(lab.root)])
        judgement = judge(gather("lab", eyes, loses=loses, same_machine=False), "stop", loses)
        assert {Path(one.path or "").name for one in judgement.refusals} == {"run1", "run2"}
        assert judge(gather("lab", eyes, same_machine=False), "stop", loses).passes is False
    finally:
        shutil.rmtree(shared)


def mounted(monkeypatch: pytest.MonkeyPatch, place: Path, kind: str) -> None:
    """Let the disk of a place be of another kind."""
    device = place.stat().st_dev
    line = f"36 35 {os.major(device)}:{os.minor(device)} / {place} rw - {kind} source rw\n"
    table = place / "mountinfo"
    table.write_text("nonsense\n" + line)
    monkeypatch.setattr("tui.onbox.mounts.MOUNTS", str(table))


@pytest.mark.parametrize(
    ("kind", "is_memory"), [("tmpfs", True), ("ramfs", True), ("ext4", False), ("nfs4", False)]
)
def test_what_lies_in_memory_is_known_by_the_kind_of_its_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, is_memory: bool
) -> None:
    mounted(monkeypatch, tmp_path, kind)
    assert in_memory([os.fsencode(tmp_path)]) is is_memory
    assert not in_memory([os.fsencode(tmp_path / "none"), b"a\0b"])


def test_where_nothing_tells_what_is_mounted_nothing_is_taken_for_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.onbox.mounts.MOUNTS", str(tmp_path / "none"))
    assert not in_memory([b"/dev/shm"])


def test_a_copy_on_a_disk_mounted_over_ssh_may_be_on_the_box_itself(
    lab: Rented, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved_run(lab)
    mounted(monkeypatch, lab.home, "fuse.sshfs")
    judgement = judge(gather("lab", eyes_of(lab), same_machine=False), "destroy")
    texts = [one.text for one in judgement.refusals]
    assert len(texts) == 2
    assert all("mounted over ssh, which may be the box's" in text for text in texts)


def test_a_link_into_a_place_that_cannot_be_followed_is_a_place_nobody_saw(lab: Rented) -> None:
    (lab.root / "around").symlink_to(lab.root / "around")
    (lab.root / "nowhere").symlink_to(lab.root / "unmounted")
    assert judge(gather("lab", eyes_of(lab), same_machine=False), "destroy").passes
    (lab.root / "exp").symlink_to("/" + "x" * 300)  # as one into a disk that broke
    (refusal,) = judge(gather("lab", eyes_of(lab), same_machine=False), "destroy").refusals
    assert refusal.kind == "unseen"
    assert f"{lab.root}/exp" in refusal.text


HOST = {"boot": "b", "processes": OUTERMOST}
CONTAINER = {"boot": "b", "processes": "pid:[7]"}
OTHER_CONTAINER = {"boot": "b", "processes": "pid:[8]"}


@pytest.mark.parametrize(
    ("here", "box", "goes_with_it"),
    [
        (HOST, HOST, True),
        (CONTAINER, CONTAINER, True),
        (HOST, CONTAINER, False),  # a container on this machine is a box of its own
        (CONTAINER, HOST, True),
        (CONTAINER, OTHER_CONTAINER, True),
        (HOST, {**HOST, "boot": "other"}, False),
        (CONTAINER, {**CONTAINER, "boot": "other"}, False),
        ({"boot": "", "processes": ""}, {"boot": "", "processes": ""}, False),
    ],
)
def test_copies_in_a_container_may_go_with_the_machine_around_it(
    here: dict[str, str], box: dict[str, str], goes_with_it: bool
) -> None:
    assert is_here(box, here) is goes_with_it


def test_who_runs_on_a_rented_instance_asks_for_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RUNPOD_POD_ID", "VAST_CONTAINERLABEL", "CONTAINER_ID", "CONTAINER_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert asker() == sign(machine())
    monkeypatch.setenv("VAST_CONTAINERLABEL", "C.7001")
    assert asker() == ""
