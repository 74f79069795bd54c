"""Whether the process is alive and still the training: no false life, no false death."""

from __future__ import annotations

import pytest

from tests.runs.build import CASES, NOW, alive, evidence
from tui.facts import Process
from tui.runs.findings import find
from tui.runs.liveness import judge_process

STARTED = NOW - 7200.0


def lives(process: Process | None, updated: float = NOW - 30) -> bool | None:
    return judge_process(process, STARTED, updated, NOW).alive


def test_a_pid_that_now_belongs_to_sshd_is_dead() -> None:
    life = find(evidence(CASES / "RUN-02")).life
    assert life.alive is False
    assert life.reason == ("pid 4242 now belongs to sshd (started 590 s ago, run started 25 h ago)")


def test_nobody_looked_and_nobody_could_look_are_not_known() -> None:
    assert lives(None) is None
    assert lives(Process(4242, "unreadable")) is None


def test_a_process_that_is_gone_or_a_zombie_is_dead() -> None:
    assert lives(Process(4242, "gone")) is False
    assert lives(Process(4242, "zombie", STARTED - 30, "python train.py")) is False


@pytest.mark.parametrize(
    "command",
    [
        "python -m libreyolo train data=coco.yaml",
        "/usr/bin/python3.11 train.py",
        "python",
        "/opt/conda/bin/python3 -u -c from multiprocessing.spawn import spawn_main; spawn_main()",
        "python -m ipykernel_launcher -f /root/.local/share/jupyter/runtime/kernel-1.json",
        "pt_main_thread",
        "/root/venv/bin/libreyolo train data=x",
        "torchrun --nproc_per_node=4 train.py",
        "accelerate launch go.py",
        "uv run train",
        "my-renamed-job: epoch 3",  # setproctitle: the start time fits
        "yolo-finetune",
        "",
    ],
)
def test_a_training_of_any_name_lives_while_its_start_fits(command: str) -> None:
    assert lives(Process(4242, "alive", STARTED - 240, command)) is True


def test_whole_seconds_and_small_steps_of_the_clock_kill_no_run() -> None:
    assert lives(Process(4242, "alive", STARTED + 0.9, "python train.py")) is True
    assert lives(Process(4242, "alive", STARTED + 20, "python train.py")) is True


def test_a_process_that_wrote_after_its_start_is_the_writer_whatever_the_clock_did() -> None:
    stepped = Process(4242, "alive", STARTED + 5000, "python train.py")
    assert lives(stepped, updated=NOW - 30) is True
    assert lives(stepped, updated=STARTED + 4000) is False


@pytest.mark.parametrize(
    "command",
    [
        "sshd: root@notty",
        "/usr/sbin/sshd -D",
        "sshd-session: root",
        "/bin/bash /start.sh",
        "-bash",
        "python3 /usr/local/bin/jupyter-lab --ip 0.0.0.0",
        "/usr/bin/python3 -m jupyter notebook",
        "/usr/bin/python3 /usr/bin/supervisord -n",
        "python -m tensorboard.main --logdir runs",
        "[kworker/0:1-events]",
        "sleep infinity",
        "nginx: worker process",
        "tmux new -s train",
        "tail -f /root/train.log",
    ],
)
def test_another_program_is_not_the_training_even_if_it_is_older(command: str) -> None:
    assert lives(Process(4242, "alive", STARTED - 240, command)) is False
    assert lives(Process(4242, "alive", None, command)) is False


def test_an_unknown_program_needs_a_start_that_fits() -> None:
    assert lives(Process(4242, "alive", STARTED - 90_000, "postgres-exporter")) is False
    assert lives(Process(4242, "alive", None, "postgres-exporter")) is False
    assert lives(Process(4242, "alive", None, "python train.py")) is True
    assert lives(Process(4242, "alive", None, "")) is True


def test_a_sweep_in_one_process_lives_long_before_its_run() -> None:
    assert lives(Process(4242, "alive", STARTED - 500_000, "python sweep.py")) is True


def test_a_second_training_with_the_same_pid_is_another_one() -> None:
    reused = Process(4242, "alive", NOW - 300, "python train.py")
    life = judge_process(reused, STARTED, NOW - 3600, NOW)
    assert life.alive is False
    assert life.reason == (
        "pid 4242 now belongs to python (started 300 s ago, run started 2 h ago)"
    )


def test_a_hostile_command_line_is_named_harmlessly() -> None:
    process = Process(4242, "alive", NOW - 5, "\x1b]0;pwned\x07evil\nname --x")
    life = judge_process(process, STARTED, NOW - 3600, NOW)
    assert life.reason is not None
    assert "\x1b" not in life.reason
    assert "\n" not in life.reason


def test_the_builders_process_is_alive() -> None:
    assert lives(alive()) is True
