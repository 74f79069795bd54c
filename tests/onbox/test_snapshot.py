"""A snapshot is one whole version of a checkpoint, or a refusal that says why."""

from __future__ import annotations

import itertools
import os
import shutil
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.onbox.checkpoints import (
    checkpoint,
    leftovers,
    make_weights,
    put,
    rewriting,
    sha256,
    write_status,
)
from tests.runs.build import CASES
from tui.onbox import snapshot
from tui.onbox.hidden import Hidden
from tui.onbox.places import Identity, Refused, Weights
from tui.onbox.snapshot import Rules, Taken, Taker

OLD, NEW = checkpoint(60_000, 1), checkpoint(60_000, 2)
QUICK = Rules(settle=0.0, patience=5.0, spare=0)


def take(
    run: Path,
    name: str,
    rules: Rules = QUICK,
    tell: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> Taken:
    weights = Weights(str(run))
    return Taker(weights, Hidden(weights), rules, tell).take(name)


def test_a_snapshot_is_the_file_as_it_was(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", best=OLD, epoch_10=NEW)
    source = run / "weights" / "best.pt"
    taken = take(run, "best.pt", Rules(spare=0))
    assert Path(taken.path).read_bytes() == OLD
    assert (taken.size, taken.sha256) == (len(OLD), sha256(OLD))
    assert taken.identity == Identity.of(source.stat())
    assert not taken.in_place
    hidden = Path(taken.path).parent
    assert hidden.parent == source.parent
    assert stat.S_IMODE(hidden.stat().st_mode) == 0o700
    assert take(run, "epoch_10.pt").epoch == 10


def test_a_torn_checkpoint_is_refused_and_whole_ones_are_offered(tmp_path: Path) -> None:
    shutil.copytree(CASES / "HF-02" / "weights", tmp_path / "run" / "weights")
    with pytest.raises(Refused) as refused:
        take(tmp_path / "run", "last.pt")
    assert refused.value.kind == "damaged"
    assert str(refused.value) == "last.pt is not a complete checkpoint: no end record"
    assert refused.value.more == {"others": ["best.pt"]}


@pytest.mark.parametrize(
    ("name", "reason"),
    [("best_midwrite.pt", "no end record"), ("best_mixed.pt", r"CRC differs in data\.pkl")],
)
def test_what_a_reader_meets_in_the_middle_of_a_write_is_refused(
    name: str, reason: str, tmp_path: Path
) -> None:
    run = make_weights(tmp_path / "run", best=(CASES / "HF-01" / name).read_bytes())
    with pytest.raises(Refused, match=f"best\\.pt is not a complete checkpoint: {reason}"):
        take(run, "best.pt")


def test_a_file_that_changes_each_time_is_given_up(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", last=OLD)
    versions = itertools.cycle([NEW, OLD])

    def change(stage: str, done: int, total: int) -> None:
        if stage == "copy":
            (run / "weights" / "last.pt").write_bytes(next(versions))

    with pytest.raises(Refused, match=r"last\.pt changed three times") as refused:
        take(run, "last.pt", tell=change)
    assert refused.value.kind == "changed"


def test_a_half_written_file_of_a_living_run_waits_for_the_next_status(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", last=OLD[: len(OLD) // 2])
    write_status(run, current_epoch=4)
    waiting = threading.Event()

    def tell(stage: str, done: int, total: int) -> None:
        if stage == "wait" and not waiting.is_set():
            (run / "weights" / "last.pt").write_bytes(NEW)
            write_status(run, current_epoch=5)
            waiting.set()

    taken = take(run, "last.pt", Rules(settle=2.0, patience=30.0, spare=0), tell)
    assert waiting.is_set()
    assert taken.sha256 == sha256(NEW)
    assert taken.epoch == 5


def test_a_young_file_is_waited_for(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run")
    path = run / "weights" / "best.pt"
    put(path, OLD[:1000], age=0)
    looks = itertools.count()

    def tell(stage: str, done: int, total: int) -> None:
        if stage == "wait" and next(looks) == 0:
            put(path, OLD, age=0)

    assert take(run, "best.pt", Rules(settle=0.3, spare=0), tell).sha256 == sha256(OLD)


def test_a_file_from_the_future_is_taken_when_it_rests(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run")
    put(run / "weights" / "best.pt", OLD, age=-1e6)
    assert take(run, "best.pt", Rules(settle=0.2, spare=0)).sha256 == sha256(OLD)


def test_epochs_come_from_files_that_are_newer_than_the_weights(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", best=OLD, last=NEW)
    (run / "metrics.jsonl").write_text('{"epoch": 7, "best_epoch": 5}\n{"epoch": 8, "best')
    assert take(run, "last.pt").epoch == 7
    assert take(run, "best.pt").epoch == 5
    os.utime(run / "metrics.jsonl", (1, 1))
    assert take(run, "last.pt").epoch is None
    write_status(run, state="completed", start_epoch=6, completed_epochs=7, best_epoch=9)
    (run / "metrics.jsonl").unlink()
    assert take(run, "last.pt").epoch == 12
    assert take(run, "best.pt").epoch == 9


@pytest.mark.parametrize(
    "name", ["../best.pt", "/etc/passwd", ".hidden.pt", "a\0.pt", "x", "..", ""]
)
def test_a_name_never_leaves_the_weights(name: str, tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", best=OLD)
    (tmp_path / "run" / "best.pt").write_bytes(OLD)
    with pytest.raises(Refused, match="is no name of a checkpoint"):
        take(run, name)


def test_links_within_the_weights_are_followed_and_others_refused(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", epoch_3=OLD)
    (tmp_path / "secret.pt").write_bytes(OLD)
    (run / "weights" / "last.pt").symlink_to("epoch_3.pt")
    (run / "weights" / "best.pt").symlink_to(tmp_path / "secret.pt")
    os.mkfifo(run / "weights" / "pipe.pt")
    (run / "weights" / "folder.pt").mkdir()
    assert take(run, "last.pt").sha256 == sha256(OLD)
    with pytest.raises(Refused, match="leads out of the weights"):
        take(run, "best.pt")
    for name in ("pipe.pt", "folder.pt"):
        with pytest.raises(Refused, match="is no regular file"):
            take(run, name)


def test_no_room_means_reading_in_place(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", best=OLD)
    taken = take(run, "best.pt", QUICK._replace(spare=1 << 60))
    assert taken.in_place
    assert taken.path == str(run / "weights" / "best.pt")
    assert taken.sha256 == sha256(OLD)
    assert leftovers(run) == []


def test_a_change_while_reading_in_place_is_noticed(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", best=OLD)

    def change(stage: str, done: int, total: int) -> None:
        if stage == "check":
            (run / "weights" / "best.pt").write_bytes(OLD)

    rules = QUICK._replace(spare=1 << 60)
    with pytest.raises(Refused, match="changed three times"):
        take(run, "best.pt", rules, change)


def test_permission_denied_names_the_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_weights(tmp_path / "run", best=OLD)

    def denied(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(Refused, match=r"permission denied: best\.pt \(owner ") as refused:
        take(run, "best.pt")
    assert refused.value.kind == "denied"


def test_copying_works_without_help_of_the_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_weights(tmp_path / "run", best=OLD)

    def unsupported(*_: object) -> int:
        raise OSError(38, "not implemented")

    monkeypatch.setattr(os, "copy_file_range", unsupported, raising=False)
    assert Path(take(run, "best.pt").path).read_bytes() == OLD


def test_what_is_taken_under_a_rewriter_is_one_of_its_versions(tmp_path: Path) -> None:
    """Case HF-01, with its own two versions."""
    run = make_weights(tmp_path / "run")
    path = run / "weights" / "best.pt"
    versions = [(CASES / "HF-01" / f"best_epoch{epoch}.pt").read_bytes() for epoch in (11, 12)]
    taken = 0
    with rewriting(path, versions, pause=0.0002, piece=4096, rest=0.01):
        while taken < 20:
            try:
                found = take(run, "best.pt")
            except Refused:
                continue
            taken += 1
            assert found.sha256 in map(sha256, versions)
            shutil.rmtree(Path(found.path).parent)


def test_no_room_is_no_reason_to_end_a_training(tmp_path: Path) -> None:
    """Two more saves must fit beside a copy: the trainer may truncate and write at any time."""
    assert snapshot.SPARE_BYTES >= 64 << 20
    assert Rules().spare is None
