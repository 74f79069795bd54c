"""`boxtop demo --train` trains for real on its own box and leaves nothing behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.demo.conftest import log_in
from tests.training.trainings import PYTHON, START_SECONDS, runs
from tests.waiting import wait_until
from tui.demo.session import DemoSession
from tui.demo.train import EPOCHS

pytestmark = [pytest.mark.train, pytest.mark.timeout(400)]


@pytest.mark.skipif(not PYTHON.exists(), reason=f"no Python with LibreYOLO at {PYTHON}")
def test_the_demo_trains_for_real_until_it_is_closed() -> None:
    with DemoSession(train=True, python=str(PYTHON)) as demo:
        (box,) = demo.boxes
        with log_in(demo, box) as client:

            def told() -> bytes:
                _, stdout, _ = client.exec_command("cat runs/shapes/status.json")
                return bytes(stdout.read())

            def epoch() -> int:
                return (json.loads(told() or b"{}").get("current_epoch")) or 0

            console = demo.directory / box.name / "train.log"
            wait_until(lambda: epoch() >= 1, START_SECONDS, f"an epoch: {console}")
            status = json.loads(told())
            assert (status["state"], status["total_epochs"]) == ("running", EPOCHS)
            assert runs(status["pid"], "shapes")
            assert "Training LibreYOLO9t.pt" in console.read_text()
            ignored = Path(f"/proc/{status['pid']}/status").read_text().partition("SigIgn:")[2]
            assert int(ignored.split()[0], 16) & 0b10, "nohup … & ignores SIGINT"
    assert not runs(status["pid"], "shapes")
    assert not demo.directory.exists()
