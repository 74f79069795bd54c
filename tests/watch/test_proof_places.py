"""Where proofs lie: views and whoever adds to them look at the same place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.boxes import Box, LocalTarget, SshTarget
from tui.facts import RunFound
from tui.runs.mirrors import Mirrors
from tui.watch.kept import Kept
from tui.watch.proofs import proof_file

RUN = RunFound(path="/root/runs/run1", id="run1", root="/root/runs")


def box(host: str) -> Box:
    return Box(host, f"root@{host}", SshTarget(host, "root"), ("/root/runs",))


def test_a_run_that_cannot_be_mirrored_has_proofs_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = box("203.0.113.7"), box("203.0.113.8")
    places = [proof_file(tmp_path, each, RUN.path).path for each in (one, other)]
    assert places[0] != places[1]
    monkeypatch.chdir("/")
    for each, place in zip((one, other), places, strict=True):
        state = Kept(each, Mirrors(tmp_path).box(each.kept_as, each.text), tmp_path).unkept(RUN)
        assert state.proofs is not None and state.proofs.path == place


def test_a_run_of_this_machine_is_known_by_its_real_path(tmp_path: Path) -> None:
    real = tmp_path / "runs" / "run1"
    real.mkdir(parents=True)
    (tmp_path / "link").symlink_to(real)
    here = Box("runs", str(tmp_path), LocalTarget(tmp_path), (str(tmp_path),))
    found = {proof_file(tmp_path, here, str(path)).path for path in (real, tmp_path / "link")}
    assert len(found) == 1
