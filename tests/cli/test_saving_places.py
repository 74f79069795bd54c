"""Where boxtop pull puts what it brings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.onbox.checkpoints import checkpoint, make_weights, write_status

BEST = checkpoint(300_000, 1)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = make_weights(tmp_path / "runs" / "run1", best=BEST)
    write_status(path, state="completed", completed_epochs=9, start_epoch=1, total_epochs=9)
    return path


@pytest.mark.parametrize("option", ["--to", "--data-dir", "--config"])
def test_nobodys_home_is_a_mistake_in_words(
    boxtop: Boxtop, run: Path, tmp_path: Path, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    called = boxtop("pull", run, option, "~nouser/x")
    assert called.code == 2
    assert "there is no user of this name here: ~nouser/x" in called.err


def test_the_directory_is_named_by_box_and_run(
    boxtop: Boxtop, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "boxtop.toml"
    config.write_text(f'[box.lab]\npath = "{run.parent}"\n')
    monkeypatch.chdir(tmp_path)
    assert boxtop("pull", "--config", config, "lab:run1").code == 0
    assert (tmp_path / "lab-run1/best.pt").read_bytes() == BEST
