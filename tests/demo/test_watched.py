"""The demo as boxtop sees it: through the ordinary SSH link, follower and judgement."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.waiting import wait_until
from tui.boxes import Box, SshTarget
from tui.demo.sandbox import PREFIX
from tui.demo.scene import EPOCHS_DONE
from tui.demo.session import DemoSession
from tui.links.asking import RefusingAsker
from tui.links.base import Asker, Link
from tui.links.ssh.config import ConfigFiles
from tui.links.ssh.link import SshLink
from tui.view import RunView
from tui.watch import Fleet

CHECKOUT = Path(__file__).parents[2]


@contextmanager
def watching(demo: DemoSession) -> Iterator[Fleet]:
    def link_for(box: Box, asker: Asker) -> Link:
        assert isinstance(box.target, SshTarget)
        return SshLink(box.target, asker, ConfigFiles.of_user(demo.ssh_config))

    fleet = Fleet(demo.boxes, RefusingAsker(), demo.data, link_for=link_for)
    try:
        yield fleet
    finally:
        fleet.close()


def run_of(fleet: Fleet, box: str, name: str, verdict: str) -> RunView:
    """Wait until a run has that verdict."""

    def seen() -> RunView | None:
        view = fleet.box(box)
        assert view is not None
        found = [each for each in view.runs if each.run.id == name]
        return found[0] if found and found[0].run.verdict == verdict else None

    run = wait_until(seen, 20, f"{name} is {verdict}: {fleet.box(box)}")
    assert run is not None
    return run


def test_a_live_run_with_a_real_curve_is_seen_at_once() -> None:
    with DemoSession() as demo, watching(demo) as fleet:

        def with_its_curve() -> RunView | None:
            now = run_of(fleet, "demo-a100", "yolo9t", "running")
            return now if now.metrics.epochs else None

        view = wait_until(with_its_curve, 20, "the metrics")
        assert view is not None
        assert view.run.epoch is not None and view.run.epoch >= EPOCHS_DONE
        assert view.metrics.epochs[:EPOCHS_DONE] == list(range(1, EPOCHS_DONE + 1))
        assert view.run.resumed
        assert run_of(fleet, "demo-4090", "yolox-nano", "completed").run.progress == 1.0
        assert run_of(fleet, "demo-old", "yolo9t-early", "completed").run.early_stopped

        def vitals() -> RunView | None:
            now = run_of(fleet, "demo-a100", "yolo9t", "running")
            return now if now.run.pid_alive and now.console_path and now.console.lines else None

        living = wait_until(vitals, 20, "the process and its console log")
        assert living is not None
        assert living.console_path == str(demo.directory / "demo-a100" / "train.log")

        def checkpoints() -> set[tuple[str, bool | None]]:
            now = run_of(fleet, "demo-a100", "yolo9t", "running").run
            return {(checkpoint.name, checkpoint.complete) for checkpoint in now.checkpoints}

        whole = {("best.pt", True), ("last.pt", True), ("epoch_20.pt", True)}
        wait_until(lambda: checkpoints() >= whole, 20, "whole checkpoints between two epochs")
        box = fleet.box("demo-a100")
        assert box is not None
        assert [gpu.name for gpu in box.gpus] == ["NVIDIA A100-SXM4-80GB"]
        assert box.gpu_error is None
        assert box.notices == ()


def test_a_training_that_dies_is_seen_as_dead_and_its_gpu_as_idle() -> None:
    with DemoSession(speed=10) as demo, watching(demo) as fleet:
        dead = run_of(fleet, "demo-4090", "yolo9t-lr", "dead").run
        assert (dead.reported_state, dead.epoch, dead.total_epochs) == ("running", 5, 30)
        assert dead.pid_alive is False

        def idle() -> bool:
            box = fleet.box("demo-4090")
            return bool(box and box.gpus and box.gpus[0].util == 0)

        wait_until(idle, 20, "an idle GPU")


@pytest.mark.parametrize("path", ["/usr/local/bin:/usr/bin:/bin", "/nowhere"])
def test_the_command_shows_the_demo_and_leaves_nothing(
    path: str, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where no OpenSSH is installed: there is none in /nowhere."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("PATH", path)
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    done = subprocess.run(
        [sys.executable, "-m", "tui", "demo"], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    for word in ("demo-a100", "demo-4090", "demo-old", "running", "stopped early at 4/60"):
        assert word in done.stdout
    assert list(tmp_path.glob(f"{PREFIX}*")) == []
    assert list(home.rglob("*known_hosts*")) == []
