"""The callback in a real LibreYOLO training: its checkpoints reach the Hub, it ends as usual."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.hub import hub_fixture  # noqa: F401
from tests.hub.server import Hub
from tests.training.trainings import PYTHON
from tests.waiting import wait_until
from tui.demo.dataset import draw_dataset
from tui.runs.checkpoint import check

pytestmark = [pytest.mark.train, pytest.mark.timeout(400)]

SCRIPT = """\
import sys
from libreyolo import LibreYOLO9
from tui.callbacks import PushToHub

if __name__ == "__main__":
    push = PushToHub("my-org/real", every_epochs=1, best_seconds=None)
    LibreYOLO9(None, size="t").train(
        data=sys.argv[1], project=sys.argv[2], name="real", epochs=2, imgsz=64, batch=8,
        workers=0, device="cpu", callbacks=[push],
    )
"""


def test_a_training_pushes_its_checkpoints(hub: Hub, tmp_path: Path) -> None:
    if not PYTHON.exists():
        pytest.skip(f"no Python with LibreYOLO at {PYTHON}: set BOXTOP_TRAIN_PYTHON")
    data = draw_dataset(tmp_path / "shapes")
    environment = {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path.cwd()), "HF_TOKEN": hub.token}
    done = subprocess.run(
        [str(PYTHON), "-c", SCRIPT, str(data), str(tmp_path / "runs")],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=380,
    )
    assert done.returncode == 0, done.stderr
    assert "could not push" not in done.stderr
    run = tmp_path / "runs/real"
    last = (run / "weights/last.pt").read_bytes()
    wait_until(
        lambda: any(
            entry.data == last
            for commit in hub.store.repos["my-org/real"].commits
            for entry in commit.entries.values()
        ),
        what="the last checkpoint at the Hub",
    )
    wait_until(lambda: not list((run / "weights").glob(".boxtop-*")), what="the snapshot's end")
    with (run / "weights/last.pt").open("rb") as file:
        assert check(file).complete
