"""What is told of a run's process: its state, its tree, and that it is another's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.links.boxes import Kind, follow, make_kind
from tests.links.follower.trainings import (
    TRAINING,
    Trainings,
    iso_now,
    process_is,
    tell,
    vitals_when,
)
from tests.links.runs_on_disk import append, make_run
from tests.waiting import wait_until
from tui.facts import Process, Settled, Vitals
from tui.runs import files


def test_a_living_training_is_told_with_its_start_and_command(
    kind: Kind, runs: Path, trainings: Trainings
) -> None:
    before = time.time()
    training = trainings.start()
    after = time.time()
    make_run(runs, "run1", pid=training.pid, started_at=iso_now())
    process = tell(kind, runs, process_is("alive")).process
    assert process is not None
    assert process.pid == training.pid
    assert process.started_at is not None
    assert before - 3 <= process.started_at <= after + 3
    assert process.command.startswith(f"{sys.executable} -c import signal")
    assert process.ignores_sigint is False
    assert process.tree == ()


@pytest.mark.parametrize("written", [str, float])
def test_a_pid_of_another_type_names_its_process(
    kind: Kind, runs: Path, trainings: Trainings, written: Callable[[int], object]
) -> None:
    training = trainings.start()
    make_run(runs, "run1", pid=written(training.pid), started_at=iso_now())
    process = tell(kind, runs, process_is("alive")).process
    assert process is not None
    assert process.pid == training.pid


def test_a_training_that_ignores_ctrl_c_is_told_so(
    kind: Kind, runs: Path, trainings: Trainings
) -> None:
    deaf = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); print(1, flush=True)"
    training = trainings.start(f"{deaf}; signal.pause()", subprocess.PIPE)
    assert training.stdout is not None
    training.stdout.readline()
    make_run(runs, "run1", pid=training.pid, started_at=iso_now())
    process = tell(kind, runs, process_is("alive")).process
    assert process is not None
    assert process.ignores_sigint is True


def test_a_training_that_ended_is_a_zombie_until_it_is_gone(
    kind: Kind, runs: Path, trainings: Trainings
) -> None:
    training = trainings.start()
    make_run(runs, "run1", pid=training.pid, started_at=iso_now())
    with follow(kind, runs, vitals_seconds=1.0) as box:
        vitals_when(box, process_is("alive"))
        training.kill()
        vitals_when(box, process_is("zombie"))
        training.wait()
        vitals_when(box, process_is("gone"))


def spawning(code: str, first: str = "") -> str:
    """Return the code of a python that starts another one and waits."""
    start = f"subprocess.Popen([sys.executable, '-c', {code!r}])"
    return f"import os, signal, subprocess, sys; {first} {start}; signal.pause()"


def test_the_tree_of_a_training_holds_its_launcher_and_its_workers(
    kind: Kind, runs: Path, trainings: Trainings, tmp_path: Path
) -> None:
    leaf = "import signal; signal.pause()"
    rank = spawning(leaf, f"open({str(tmp_path / 'rank')!r}, 'w').write(str(os.getpid()));")
    launcher = trainings.start(spawning(rank))
    pid_file = tmp_path / "rank"
    pid = int(wait_until(lambda: pid_file.exists() and pid_file.read_text()))
    wait_until(lambda: Path(f"/proc/{pid}/task/{pid}/children").read_text())
    make_run(runs, "run1", pid=pid, started_at=iso_now())
    with follow(kind, runs, vitals_seconds=1.0) as box:
        process = vitals_when(box, process_is("alive")).process
        assert process is not None
        assert launcher.pid in {task.pid for task in process.tree}
        assert {task.parent for task in process.tree} == {os.getpid(), pid}
        assert all("signal" in task.command for task in process.tree)
        os.kill(pid, signal.SIGKILL)
        process = vitals_when(box, lambda run: not process_is("alive")(run)).process
        assert process is not None
        assert len(process.tree) == 2, "the launcher and the worker that outlived their rank"


@pytest.mark.parametrize(
    ("program", "begun"),
    [
        (["sleep", "600"], iso_now),
        ([sys.executable, "-c", TRAINING], lambda: "2020-01-01T00:00:00+00:00"),
    ],
    ids=["a program that trains nothing", "a later python"],
)
def test_another_program_with_the_old_pid_brings_neither_tree_nor_console(
    runs: Path,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    trainings: Trainings,
    program: list[str],
    begun: Callable[[], str],
) -> None:
    kind = make_kind("python", tmp_path_factory.mktemp("box"))
    with (tmp_path / "other.log").open("wb") as other:
        stranger = trainings.run(program, other)
    make_run(runs, "run1", pid=stranger.pid, started_at=begun())
    vitals = tell(kind, runs, process_is("alive"))
    assert vitals.console is None
    assert vitals.process is not None
    assert vitals.process.tree == ()


def test_a_shell_box_knows_a_program_that_trains_nothing_too(
    runs: Path, tmp_path_factory: pytest.TempPathFactory, trainings: Trainings
) -> None:
    kind = make_kind("dash", tmp_path_factory.mktemp("box"))
    with (runs.parent / "other.log").open("wb") as other:
        stranger = trainings.run(["sleep", "600"], other)
    make_run(runs, "run1", pid=stranger.pid)
    assert tell(kind, runs, process_is("alive")).console is None


def test_copies_of_another_box_bring_no_facts_of_this_machine(
    runs: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    kind = make_kind("python", tmp_path_factory.mktemp("box"))
    run = make_run(runs, "run1", pid=os.getpid())
    append(run / files.CONSOLE, b"kept\n")
    with follow(kind, runs, machine=False) as box:
        box.until_fact(Settled)
    assert not [fact for fact in box.facts if isinstance(fact, Vitals | Process)]
    assert box.received.data(run, files.CONSOLE) == b"kept\n"
