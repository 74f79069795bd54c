"""What counts as saved, and what happens to a proof that was cut, lost or overtaken."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from tui.facts import CheckpointStat
from tui.runs.proofs import Proof, ProofFile, local_proof_file, saved_as

FILE = CheckpointStat("best.pt", 100, 1_796_000_000.25, 42, True)
PROOF = Proof(
    name="best.pt",
    where="hf://my-org/run/best.pt",
    sha256="a" * 64,
    bytes=100,
    at=1_796_000_100.0,
    commit="c0ffee",
    epoch=7,
    mtime=1_796_000_000.25,
    inode=42,
)


def changed(**fields: object) -> Proof:
    return msgspec.structs.replace(PROOF, **fields)


def test_a_checkpoint_without_a_proof_is_not_saved() -> None:
    assert saved_as(FILE, ()) is None
    assert saved_as(FILE, (changed(name="last.pt"),)) is None


def test_a_proof_of_the_file_as_it_is_now_is_current() -> None:
    saved = saved_as(FILE, (PROOF,))
    assert saved is not None
    assert saved.current
    assert (saved.where, saved.commit, saved.epoch) == ("hf://my-org/run/best.pt", "c0ffee", 7)


@pytest.mark.parametrize(
    "file",
    [
        msgspec.structs.replace(FILE, size=101),
        msgspec.structs.replace(FILE, mtime=FILE.mtime + 0.001),
        msgspec.structs.replace(FILE, inode=43),
    ],
    ids=["size", "time", "inode"],
)
def test_a_file_rewritten_since_is_saved_only_as_it_was(file: CheckpointStat) -> None:
    saved = saved_as(file, (PROOF,))
    assert saved is not None
    assert not saved.current


def test_a_box_that_tells_whole_seconds_and_no_inode_is_believed() -> None:
    assert PROOF.fits(CheckpointStat("best.pt", 100, 1_796_000_000.0))
    assert not PROOF.fits(CheckpointStat("best.pt", 100, 1_796_000_001.0))


def test_the_proof_that_fits_wins_over_a_newer_one_that_does_not() -> None:
    newer = changed(at=PROOF.at + 50, inode=7, commit="beef")
    saved = saved_as(FILE, (PROOF, newer))
    assert saved is not None
    assert saved.commit == "c0ffee"


def test_of_two_that_fit_the_hub_is_named() -> None:
    copy = changed(where="/home/me/best.pt", commit=None, at=PROOF.at + 50)
    saved = saved_as(FILE, (PROOF, copy))
    assert saved is not None
    assert saved.where.startswith("hf://")


def test_of_two_that_are_old_the_newest_is_named() -> None:
    old = msgspec.structs.replace(FILE, size=1)
    saved = saved_as(old, (PROOF, changed(at=PROOF.at + 50, epoch=9)))
    assert saved is not None
    assert saved.epoch == 9


@pytest.mark.parametrize("cut", [2, 20, 100])
def test_a_line_torn_by_a_kill_is_passed_over_and_the_next_one_stands(
    tmp_path: Path, cut: int
) -> None:
    proofs = ProofFile(tmp_path / "run" / "saved.jsonl")
    proofs.add([PROOF, changed(name="last.pt")])
    whole = proofs.path.read_bytes()
    proofs.path.write_bytes(whole[:-cut])
    assert [proof.name for proof in proofs.all()] == ["best.pt"]
    proofs.add([changed(name="epoch_5.pt")])
    assert [proof.name for proof in proofs.all()] == ["best.pt", "epoch_5.pt"]


def test_what_another_process_adds_is_seen(tmp_path: Path) -> None:
    mine, theirs = ProofFile(tmp_path / "p"), ProofFile(tmp_path / "p")
    assert mine.all() == ()
    theirs.add([PROOF])
    assert mine.all() == (PROOF,)
    assert (tmp_path / "p").stat().st_mode & 0o777 == 0o600


def test_names_that_are_no_utf8_are_kept(tmp_path: Path) -> None:
    proofs = ProofFile(tmp_path / "p")
    odd = changed(name="best\udcff.pt")
    proofs.add([odd])
    assert ProofFile(tmp_path / "p").all() == (odd,)


def copied(path: Path) -> Proof:
    """A proof of a copy as it lies there now."""
    found = path.stat()
    return changed(
        where=str(path), commit=None, copy_mtime_ns=found.st_mtime_ns, copy_inode=found.st_ino
    )


def test_a_local_copy_stands_only_while_it_lies_there_as_it_was_verified(tmp_path: Path) -> None:
    copy = tmp_path / "best.pt"
    copy.write_bytes(b"x" * 100)
    proofs = ProofFile(tmp_path / "p")
    proofs.add([copied(copy)])
    assert proofs.standing()
    os.utime(copy, ns=(1, 1))
    assert not proofs.standing()
    copy.unlink()
    assert not proofs.standing()


def test_other_bytes_of_the_same_size_in_its_place_are_no_copy(tmp_path: Path) -> None:
    copy = tmp_path / "best.pt"
    copy.write_bytes(b"x" * 100)
    proofs = ProofFile(tmp_path / "p")
    proofs.add([copied(copy)])
    (tmp_path / "other").write_bytes(b"y" * 100)
    (tmp_path / "other").replace(copy)
    assert not proofs.standing()


def test_what_was_saved_of_an_earlier_training_at_this_path_is_not_this_ones() -> None:
    old = msgspec.structs.replace(FILE, mtime=FILE.mtime + 5000)
    assert saved_as(old, (PROOF,), began=PROOF.at + 10) is None
    assert saved_as(old, (PROOF,), began=PROOF.at - 10) is not None
    assert saved_as(FILE, (PROOF,), began=PROOF.at + 10) is not None


def test_a_run_seen_through_a_link_has_the_same_proofs(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "runs")
    straight = local_proof_file(tmp_path, str(tmp_path / "runs" / "r"))
    assert local_proof_file(tmp_path, str(tmp_path / "link" / "r")).path == straight.path


def test_runs_of_this_machine_have_their_proofs_apart(tmp_path: Path) -> None:
    first = local_proof_file(tmp_path, "/runs/a")
    assert first.path.parent == tmp_path / "saved"
    assert first.path != local_proof_file(tmp_path, "/runs/b").path
