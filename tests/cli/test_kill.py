"""boxtop kill, as a person at a terminal and as a script call it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.cli.terminal import terminal
from tests.onbox.checkpoints import checkpoint, make_weights
from tests.onbox.end_trees import FakeTraining, write_status
from tests.sshd import SshServer
from tests.waiting import wait_until

Start = Callable[..., FakeTraining]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[FakeTraining] = []

    def begin(roles: str, name: str = "run1") -> FakeTraining:
        training = FakeTraining(tmp_path / "runs" / name, roles, shell=True)
        started.append(training)
        return training

    yield begin
    for training in started:
        training.end()


def verdict(boxtop: Boxtop, data: Path, target: object) -> tuple[str, str]:
    """What status --json says of the only run."""
    told = boxtop("status", "--data-dir", data, "--json", target)
    (run,) = json.loads(told.out)["boxes"][0]["runs"]
    return run["verdict"], run["reason"]


@pytest.mark.sshd
def test_a_script_ends_a_training_of_a_box(
    boxtop: Boxtop, start: Start, ssh_box: SshServer, tmp_path: Path
) -> None:
    training = start("launcher:int coordinator:int rank0:int + rank1:int")
    beside = start("rank0", name="run2")
    make_weights(training.run, best=checkpoint(1000))
    data, config = tmp_path / "data", tmp_path / "boxtop.toml"
    config.write_text(
        f'[box.lab]\nssh = "{ssh_box.text}"\nruns = ["{training.run.parent}"]\n'
        "price_per_hour = 3.4828\n"
    )
    words = ("--config", config, "--data-dir", data)
    called = boxtop("kill", *words, "lab:run1", "--yes", "--wait", 2)
    assert called.code == 0, called.err
    assert "end the training run1 of lab, epoch 12/100" in called.err
    assert "SIGTERM at once to process" in called.err
    assert "best.pt is not saved" in called.err
    assert "the box keeps billing $3.48/h" in called.err
    assert called.out.splitlines()[0] == "run1 has ended: none of its processes is left"
    assert training.alive() == set() and beside.alive() == {"rank0"}
    told = json.loads(boxtop("status", *words, "--json", "lab:run1").out)
    (run,) = told["boxes"][0]["runs"]
    assert (run["verdict"], run["reason"]) == ("stopped", "stopped by boxtop")
    assert run["reported_state"] == "running"
    again = boxtop("kill", *words, "lab:run1", "--yes")
    assert again.code == 0 and "nothing to end" in again.err
    (line,) = (data / "journal.jsonl").read_text().splitlines()
    assert json.loads(line)["box"] == "lab"


def test_a_script_must_say_yes_and_read_only_forbids_it(
    boxtop: Boxtop, start: Start, tmp_path: Path
) -> None:
    training = start("rank0")
    data = tmp_path / "data"
    refused = boxtop("kill", "--data-dir", data, training.run)
    assert refused.code == 2 and "add --yes to end a training from a script" in refused.err
    forbidden = boxtop("--read-only", "kill", "--yes", training.run)
    assert forbidden.code == 2 and "--read-only forbids kill" in forbidden.err
    assert training.alive() == {"rank0"}
    assert not (data / "journal.jsonl").exists()


def test_a_script_kills_with_force_alone(boxtop: Boxtop, start: Start, tmp_path: Path) -> None:
    training = start("launcher rank0 rank1:int,term")
    data = tmp_path / "data"
    called = boxtop("kill", "--data-dir", data, training.run, "--yes", "--wait", 3)
    assert called.code == 3
    assert "run1 has NOT ended: 1 process of it still lives" in called.out
    assert "SIGKILL needs --force in a script" in called.err
    assert training.alive() == {"rank1"}
    words = ("kill", "--data-dir", data, training.run, "--yes", "--wait", 3, "--force")
    forced = boxtop(*words)
    assert forced.code == 0, forced.err + forced.out
    assert "the training itself has ended; 1 process of it still lives" in forced.err
    assert training.alive() == set()


def test_of_several_trainings_none_is_guessed(boxtop: Boxtop, start: Start, tmp_path: Path) -> None:
    one, two = start("rank0"), start("rank0", name="run2")
    called = boxtop("kill", "--data-dir", tmp_path / "data", tmp_path / "runs", "--yes")
    assert called.code == 2
    assert "2 trainings run on" in called.err and "run1" in called.err and "run2" in called.err
    assert one.alive() == two.alive() == {"rank0"}


def test_a_pid_of_another_program_is_not_touched(boxtop: Boxtop, tmp_path: Path) -> None:
    run = tmp_path / "runs" / "run1"
    long_ago = (datetime.now(UTC) - timedelta(hours=5)).isoformat(timespec="seconds")
    code = [sys.executable, "-c", "import signal; signal.pause()"]
    with subprocess.Popen(code) as process:
        try:
            write_status(run, pid=process.pid, started_at=long_ago, updated_at=long_ago)
            called = boxtop("kill", "--data-dir", tmp_path / "data", run, "--yes", "--force")
            assert called.code == 3
            assert "nothing was signalled" in called.err
            assert "another program has its pid now" in called.err
            assert process.poll() is None
        finally:
            process.kill()


def test_what_is_no_box_has_nothing_to_end(boxtop: Boxtop) -> None:
    recording = Path(__file__).parents[1] / "data/runs/yolo9t_long/timeline.jsonl"
    called = boxtop("kill", recording, "--yes")
    assert called.code == 2
    assert "a recording or a copy of a box runs no commands" in called.err


def test_a_person_is_asked_first_and_again_before_the_hard_way(
    start: Start, tmp_path: Path
) -> None:
    training = start("launcher rank0 rank1:int,term")
    words = ("kill", "--data-dir", tmp_path / "data", training.run, "--wait", 3)
    with terminal(*words) as shown:
        shown.wait_for("End it? [y/N]")
        shown.press("\n")
        assert shown.end() == 0 and "nothing was signalled" in shown.shown
    assert training.alive() == {"launcher", "rank0", "rank1"}
    with terminal(*words) as shown:
        shown.wait_for("End it? [y/N]")
        shown.press("y\n")
        shown.wait_for("Send SIGKILL? [y/N]")
        assert training.alive() == {"rank1"}
        assert f"{training.pids['rank1']}  {sys.executable}" in shown.shown
        shown.press("y\n")
        assert shown.end() == 0
        assert "none of its processes is left" in shown.shown
    assert training.alive() == set()


def test_ctrl_c_leaves_the_training_as_it_is_and_says_so(
    boxtop: Boxtop, start: Start, tmp_path: Path
) -> None:
    training = start("rank0:int,term rank1")
    data = tmp_path / "data"
    with terminal("kill", "--data-dir", data, training.run, "--yes", "--wait", 60) as shown:
        shown.wait_for("SIGTERM was sent")
        shown.process.send_signal(signal.SIGINT)
        assert shown.end() == 130
        assert "SIGTERM went out before; nothing more is sent" in shown.shown
    assert training.alive() == {"rank0", "rank1"}
    (line,) = (data / "journal.jsonl").read_text().splitlines()
    assert json.loads(line)["outcome"] == "unknown"
    wait_until(lambda: verdict(boxtop, data, training.run)[0] == "running")
