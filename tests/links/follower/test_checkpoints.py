"""Weights: listed with their completeness, the ones that matter first."""

from __future__ import annotations

import os
from pathlib import Path

from tests.links.boxes import Kind, follow
from tests.links.runs_on_disk import make_run
from tui.facts import (
    Checkpoints,
    Settled,
)
from tui.runs import files


def test_checkpoints_are_listed_with_their_completeness(any_kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    weights = run / files.WEIGHTS
    weights.mkdir()
    whole = zipped(weights / "best.pt")
    (weights / "last.pt").write_bytes(whole[:-10])
    (weights / "epoch_1.pt").write_bytes(b"")
    (weights / "notes.txt").write_bytes(b"no checkpoint")
    for path in weights.iterdir():
        os.utime(path, (1_700_000_000, 1_700_000_000))
    with follow(any_kind, runs, vitals_seconds=1.0) as box:
        box.until_fact(Settled)
        told = {one.name: one for one in box.received.checkpoints[str(run)].files}
        assert {name: one.complete for name, one in told.items()} == {
            "best.pt": True,
            "last.pt": False,
            "epoch_1.pt": False,
        }
        assert told["best.pt"].size == len(whole)
        assert told["best.pt"].mtime == 1_700_000_000
        (weights / "best.pt").unlink()
        box.until(lambda fact: isinstance(fact, Checkpoints) and len(fact.files) == 2)


def test_the_checkpoints_that_matter_are_listed_however_many_there_are(
    any_kind: Kind, runs: Path
) -> None:
    weights = make_run(runs, "run1") / files.WEIGHTS
    weights.mkdir()
    for age, name in enumerate(["last", *(f"epoch_{number}" for number in range(230)), "best"]):
        (weights / f"{name}.pt").write_bytes(b"")
        os.utime(weights / f"{name}.pt", (1_700_000_000 - age, 1_700_000_000 - age))
    with follow(any_kind, runs, vitals_seconds=1.0) as box:
        box.until_fact(Settled)
        (told,) = box.received.checkpoints.values()
    assert {"best.pt", "last.pt", "epoch_0.pt"} <= {one.name for one in told.files}


def test_a_run_without_weights_says_so_that_nobody_shows_those_of_an_earlier_one(
    any_kind: Kind, runs: Path
) -> None:
    run = make_run(runs, "run1")
    with follow(any_kind, runs, vitals_seconds=1.0) as box:
        box.until_fact(Settled)
        assert box.received.checkpoints[str(run)].files == ()


def zipped(path: Path) -> bytes:
    import zipfile

    with zipfile.ZipFile(path, "w") as archive:
        for number in range(20):
            archive.writestr(f"archive/data/{number}", bytes(1000))
    return path.read_bytes()


def test_weights_that_are_no_files_cost_only_themselves(kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    weights = run / files.WEIGHTS
    weights.mkdir()
    (weights / "a_dangling.pt").symlink_to("/nope")
    os.mkfifo(weights / "b_fifo.pt")
    (weights / "last.pt").write_bytes(b"x" * 10)
    (weights / "z_dangling.pt").symlink_to("/nope")
    with follow(kind, runs) as box:
        told = box.until_fact(Checkpoints)
        assert isinstance(told, Checkpoints)
        assert [file.name for file in told.files] == ["last.pt"]
        box.until_fact(Settled)
