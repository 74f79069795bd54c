"""A push that outlives boxtop is remembered until its end was seen."""

from __future__ import annotations

from pathlib import Path

from tui.runs.pending import PendingFile, PendingPush, Sent
from tui.runs.proofs import ProofFile

PUSH = PendingPush(
    "0123abcd",
    "vast-1",
    "/root/runs/run1",
    "my-org/run1",
    "box",
    1_796_000_000.0,
    (
        Sent("best.pt", "weights/best.pt", 100, "a" * 64, 1_795_999_990.5, 42, 7),
        Sent("status.json", "status.json", 10, "b" * 64, 1_795_999_999.0, 43, checkpoint=False),
    ),
)


def test_a_push_is_remembered_by_every_process_until_its_end_was_seen(tmp_path: Path) -> None:
    mine = PendingFile(ProofFile(tmp_path / "run" / "saved.jsonl"))
    theirs = PendingFile(ProofFile(tmp_path / "run" / "saved.jsonl"))
    assert list(mine.all()) == []
    mine.add(PUSH)
    assert list(theirs.all()) == [PUSH]
    theirs.remove(PUSH.job)
    theirs.remove(PUSH.job)
    assert list(mine.all()) == []


def test_another_runs_pushes_and_a_broken_file_are_passed_over(tmp_path: Path) -> None:
    mine = PendingFile(ProofFile(tmp_path / "a.jsonl"))
    other = PendingFile(ProofFile(tmp_path / "b.jsonl"))
    mine.add(PUSH)
    (tmp_path / "a.jsonl.ffff.push").write_bytes(b"{")
    assert list(other.all()) == []
    assert list(mine.all()) == [PUSH]


def test_only_checkpoints_are_proven_saved() -> None:
    (proof,) = PUSH.proofs("c0ffee", 1_796_000_050.0)
    assert PUSH.names == ("best.pt",)
    assert (proof.name, proof.where) == ("best.pt", "hf://my-org/run1/weights/best.pt")
    assert (proof.commit, proof.epoch, proof.inode, proof.bytes) == ("c0ffee", 7, 42, 100)
