"""Mirrors as a whole: what goes with one that is removed, and what stays."""

from __future__ import annotations

from pathlib import Path

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
