"""Mirrors as a whole: what goes with one that is removed, and what stays."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tui.facts import RunFound
from tui.runs.mirrors import Mirrors


def test_what_says_where_weights_are_outlives_a_removed_mirror(tmp_path: Path) -> None:
    box = Mirrors(tmp_path).box("lab", "root@lab")
    box.claim()
    run = box.run(RunFound("/root/runs/run1", "run1", "/root/runs"))
    proofs = box.proofs(run)
    proofs.path.write_bytes(b"{}\n")
    note = proofs.path.with_name(proofs.path.name + ".0123.push")
    note.write_bytes(b"{}")
    box.remove(run)
    assert list(box.runs()) == []
    assert proofs.path.exists() and note.exists()
    again = box.run(RunFound("/root/runs/run1", "run1", "/root/runs"))
    assert box.proofs(again).path == proofs.path
    box.release()


def test_a_mirror_that_goes_away_while_others_are_read_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = Mirrors(tmp_path).box("lab", "root@lab")
    box.claim()
    kept, going = (
        box.run(RunFound(f"/root/runs/{name}", name, "/root/runs")) for name in ("run1", "run2")
    )
    scandir = os.scandir

    def scanned(path: str) -> Iterator[os.DirEntry[str]]:
        if str(path) == str(going.directory):
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", scanned)
    assert [run.meta.id for run in box.runs()] == [kept.meta.id]
    box.release()
