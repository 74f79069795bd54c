"""Real LibreYOLO trainings, watched over a real sshd, from their start to each kind of end."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.sshd import SshServer
from tests.training.trainings import PYTHON, START_SECONDS, Training, clear_home, make_home, runs
from tests.waiting import wait_until
from tui.boxes import Box
from tui.links.asking import RefusingAsker
from tui.runs.model import Run
from tui.view import RunView
from tui.watch import Fleet, look

pytestmark = [pytest.mark.train, pytest.mark.sshd, pytest.mark.timeout(400)]

SEEN_SECONDS = 60.0
"""Two looks at the process table take 10 s; the rest is for a busy machine."""


@pytest.fixture(scope="module")
def trainings(sshd: SshServer) -> Iterator[dict[str, Training]]:
    """Three trainings at once: one to be killed, one to be interrupted, one to complete."""
    if not PYTHON.exists():
        pytest.skip(f"no Python with LibreYOLO at {PYTHON}: set BOXTOP_TRAIN_PYTHON")
    make_home(sshd.home)
    started = {
        name: Training(sshd.home, name, epochs)
        for name, epochs in (("killed", 60), ("interrupted", 60), ("completed", 3))
    }
    for name, training in started.items():
        if name == "interrupted":
            training.start_in_terminal()
        else:
            training.start_detached(sshd)
    yield started
    for training in started.values():
        training.end()
    clear_home(sshd.home)


@pytest.fixture
def box(ssh_box: SshServer) -> Box:
    return Box("lab", ssh_box.text, ssh_box.target, roots=(str(ssh_box.home / "runs"),))


@pytest.fixture
def fleet(box: Box, trainings: dict[str, Training], tmp_path: Path) -> Iterator[Fleet]:
    with closing(Fleet((box,), RefusingAsker(), tmp_path / "data")) as following:
        yield following


def see(
    fleet: Fleet,
    name: str,
    verdict: str,
    seconds: float = SEEN_SECONDS,
    until: Callable[[RunView], bool] = lambda view: True,
) -> RunView:
    """Wait until the run has that verdict (and more, ``until``) and return how it looks then."""

    def seen() -> RunView | None:
        box = fleet.box("lab")
        assert box is not None
        found = [view for view in box.runs if view.run.id == name]
        return found[0] if found and found[0].run.verdict == verdict and until(found[0]) else None

    run = wait_until(seen, seconds, f"{name} is {verdict}")
    assert run is not None
    return run


def test_a_killed_training_was_running_and_is_dead(
    fleet: Fleet, trainings: dict[str, Training]
) -> None:
    training = trainings["killed"]
    view = see(fleet, "killed", "running", START_SECONDS, lambda view: view.run.pid_alive is True)
    running = view.run
    assert running.pid == training.pid
    assert view.console_path == str(training.console)
    assert (running.model, running.total_epochs) == ("yolo9t", 60)
    assert running.reported_state == "running"
    os.kill(training.pid, signal.SIGKILL)
    dead = see(fleet, "killed", "dead").run
    assert dead.reported_state == "running", "LibreYOLO writes nothing when it is killed"
    assert dead.pid_alive is False
    assert training.status is not None
    assert dead.epoch == training.status.current_epoch


def test_ctrl_c_stops_a_training(fleet: Fleet, trainings: dict[str, Training]) -> None:
    training = trainings["interrupted"]
    running = see(fleet, "interrupted", "running", START_SECONDS).run
    assert running.epoch is not None
    os.kill(training.pid, signal.SIGINT)
    stopped = see(fleet, "interrupted", "stopped").run
    assert stopped.reported_state == "failed"
    assert stopped.error is not None
    assert (stopped.error.type, stopped.error.message or None) == ("KeyboardInterrupt", None)
    assert training.process is not None
    assert training.process.wait(20) != 0


def test_a_whole_training_completes_with_the_numbers_of_its_files(
    fleet: Fleet, trainings: dict[str, Training]
) -> None:
    training = trainings["completed"]
    view = see(
        *(fleet, "completed", "completed", START_SECONDS),
        until=lambda view: (
            sizes(view.run) == sizes_on_disk(training)
            and len(view.log.lines) == len(log_on_disk(training))
        ),
    )
    run = view.run
    assert (run.epoch, run.total_epochs, run.progress) == (3, 3, 1.0)
    assert not run.early_stopped
    assert_equal_to_files(view, training)


def test_one_look_sees_what_the_fleet_saw(
    box: Box, trainings: dict[str, Training], tmp_path: Path
) -> None:
    training = trainings["completed"]
    wait_until(
        lambda: training.status and not runs(training.pid, "completed"), START_SECONDS, "its end"
    )
    (view,) = look((box,), RefusingAsker(), tmp_path / "data")
    assert view.link.error is None
    judged = {run.run.id: run for run in view.runs}
    assert judged["completed"].run.verdict == "completed"
    assert_equal_to_files(judged["completed"], training)
    assert all(checkpoint.complete for checkpoint in judged["completed"].run.checkpoints)


def assert_equal_to_files(view: RunView, training: Training) -> None:
    """Metrics, log, best and checkpoints are what LibreYOLO wrote into the files."""
    lines = (training.directory / "metrics.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert view.metrics.epochs == [row["epoch"] for row in rows] == [1, 2, 3]
    for name in ("train/loss", "train/box_loss", "lr/group0"):
        assert view.metrics.series(name) == [row[name] for row in rows]
    run, status = view.run, training.status
    assert status is not None and run.best is not None
    assert (run.best.value, run.best.epoch) == (status.best_metric, status.best_epoch)
    assert run.train_loss == status.train_loss
    assert list(view.log.lines) == log_on_disk(training)
    assert sizes(run) == sizes_on_disk(training)


def log_on_disk(training: Training) -> list[str]:
    return (training.directory / "train.log").read_text().splitlines()


def sizes(run: Run) -> dict[str, int]:
    return {checkpoint.name: checkpoint.bytes for checkpoint in run.checkpoints}


def sizes_on_disk(training: Training) -> dict[str, int]:
    return {p.name: p.stat().st_size for p in (training.directory / "weights").glob("*.pt")}
