"""boxtop push and pull where nothing can be kept: what is saved is said all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.hub import hub_fixture  # noqa: F401
from tests.hub.server import Hub
from tests.onbox.checkpoints import checkpoint, make_weights, write_status
from tui.runs.pending import PendingFile
from tui.runs.proofs import ProofFile

BEST = checkpoint(300_000, 1)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = make_weights(tmp_path / "runs" / "run1", best=BEST)
    write_status(path, state="completed", completed_epochs=9, start_epoch=1, total_epochs=9)
    return path


def full(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_pull_that_cannot_be_remembered_says_that_the_files_are_there(
    boxtop: Boxtop, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProofFile, "add", full)
    called = boxtop("pull", "--data-dir", tmp_path / "data", run, "--to", tmp_path / "to")
    assert called.code == 4
    assert f"best.pt came whole to {tmp_path}/to, but the proof cannot be kept in " in called.err
    assert "no space left on device" in called.err and "unexpected" not in called.err
    assert (tmp_path / "to/best.pt").read_bytes() == BEST


def test_a_push_that_cannot_be_remembered_is_not_begun(
    boxtop: Boxtop, run: Path, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", hub.token)
    monkeypatch.setattr(PendingFile, "add", full)
    words = ("push", "--data-dir", tmp_path / "data", run, "--to", "my-org/exp", "--yes")
    called = boxtop(*words)
    assert called.code == 4
    assert "the push cannot be noted in " in called.err
    assert hub.asked("create", "commit") == []


def test_a_push_whose_proof_cannot_be_kept_says_that_the_hub_has_it(
    boxtop: Boxtop, run: Path, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", hub.token)
    words = ("push", "--data-dir", tmp_path / "data", run, "--to", "my-org/exp", "--yes")
    with monkeypatch.context() as without_room:
        without_room.setattr(ProofFile, "add", full)
        called = boxtop(*words)
    assert called.code == 4
    assert "of my-org/exp, but the proof cannot be kept in " in called.err
    again = boxtop(*words)
    assert again.code == 0
    assert "an earlier push of best.pt to my-org/exp has ended well" in again.err


def test_a_data_directory_that_is_a_file_is_told_in_words(
    boxtop: Boxtop, run: Path, tmp_path: Path
) -> None:
    (tmp_path / "data").write_text("")
    called = boxtop("pull", "--data-dir", tmp_path / "data", run, "--to", tmp_path / "to")
    assert called.code == 4 and "unexpected" not in called.err
    assert "directory" in called.err
