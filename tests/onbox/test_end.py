"""The program that ends trainings: whom it finds, whom it refuses, and whom it never signals.

These are cases RUN-17 and RUN-22, played by small real processes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.onbox.end_trees import FakeTraining, write_status
from tests.onbox.test_standalone import PYTHONS, OtherPython
from tests.waiting import wait_until
from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.kill_program import EndProgram, NothingToEnd, Target
from tui.actions.kill_tree import Tree
from tui.actions.shell import HereShell
from tui.onbox import end_gpus, end_signals, end_table, end_tree
from tui.onbox.end_signals import send
from tui.onbox.end_tree import Member, grow
from tui.onbox.places import Refused

Start = Callable[..., FakeTraining]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[FakeTraining] = []

    def begin(roles: str, name: str = "runs/run1", shell: bool = False) -> FakeTraining:
        training = FakeTraining(tmp_path / name, roles, shell)
        started.append(training)
        return training

    yield begin
    for training in started:
        training.end()


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    yield process
    process.kill()
    process.wait()


def target(training: FakeTraining) -> Target:
    return Target(str(training.run), training.pid, training.began)


def look(wanted: Target) -> Tree:
    shell = HereShell()
    with EndProgram(shell, wanted, Cancel()) as program:
        return program.look()


def look_at(run: Path, pid: int, began: float | None = None) -> Tree:
    return look(Target(str(run), pid, began))


def test_the_top_is_the_launcher_and_ranks_of_another_session_belong_to_it(start: Start) -> None:
    training = start("launcher coordinator rank0 + rank1 + rank2", shell=True)
    tree = look(target(training))
    pids = training.pids
    assert tree.top.pid == pids["launcher"], "the shell above it is not touched"
    assert tree.training.pid == pids["rank0"]
    assert {member.pid for member in tree.members} == set(pids.values())
    assert tree.top.session != tree.training.session
    assert not tree.kernel and not tree.orphans and tree.state == "running"
    assert tree.top.ignores is False
    assert abs(tree.at - time.time()) < 60


def test_workers_whose_parent_died_still_belong_to_it(start: Start) -> None:
    training = start("launcher coordinator rank0 + rank1 + rank2")
    tree = look(target(training))
    members = dict(member.key for member in tree.members)
    (rank1,) = [member for member in tree.members if member.pid == training.pids["rank1"]]
    os.kill(training.pids["coordinator"], signal.SIGKILL)
    wait_until(lambda: "coordinator" not in training.alive())
    del members[rank1.pid]
    grow(members, end_table.table())
    assert members[rank1.pid] == rank1.start, "found by the session that the coordinator began"


def test_a_training_that_trains_beside_it_stays_out(start: Start) -> None:
    mine = start("launcher rank0")
    other = start("launcher rank0", name="runs/run2")
    pids = {member.pid for member in look(target(mine)).members}
    assert pids == set(mine.pids.values())
    assert not pids & set(other.pids.values())


def test_a_driver_of_several_runs_is_not_the_top_of_one(tmp_path: Path) -> None:
    runs = [tmp_path / "runs/a", tmp_path / "runs/b"]
    for run in runs:
        run.mkdir(parents=True)
    code = (
        "import signal, subprocess, sys\n"
        "children = [subprocess.Popen([sys.executable, sys.argv[1], run, 'rank0'])"
        " for run in sys.argv[2:]]\n"
        "signal.pause()\n"
    )
    first = FakeTraining(runs[0], "rank0")
    first.end()
    (runs[0] / "status.json").unlink()
    (runs[0] / "pid.rank0").unlink()
    driver = subprocess.Popen([sys.executable, "-c", code, runs[0] / "tree.py", *runs])
    pids: list[int] = []
    try:
        wait_until(lambda: all((run / "pid.rank0").exists() for run in runs), what="both")
        pids = [int((run / "pid.rank0").read_text()) for run in runs]
        tree = look_at(runs[0], pids[0])
        assert tree.top.pid == tree.training.pid == pids[0]
        assert [member.pid for member in tree.members] == [pids[0]]
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        driver.kill()
        driver.wait()


def test_a_pid_that_writes_another_run_is_refused(start: Start, tmp_path: Path) -> None:
    other = start("rank0", name="runs/run2")
    write_status(tmp_path / "runs/run1", pid=other.pid)
    with pytest.raises(ActionError, match=r"trains another run now: .*run2") as refused:
        look_at(tmp_path / "runs/run1", other.pid, time.time())
    assert refused.value.kind == "refused"


def test_a_reused_pid_is_refused(sleeper: subprocess.Popen[bytes], tmp_path: Path) -> None:
    run = tmp_path / "run"
    write_status(run, pid=sleeper.pid)
    with pytest.raises(ActionError, match="started after the run did") as refused:
        look_at(run, sleeper.pid, time.time() - 3600)
    assert refused.value.kind == "refused"
    assert sleeper.poll() is None


def test_another_program_is_refused(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "600"]) as process:
        write_status(tmp_path / "run", pid=process.pid)
        try:
            with pytest.raises(ActionError, match="another program now: sleep"):
                look_at(tmp_path / "run", process.pid, time.time())
        finally:
            process.kill()


def test_what_boxtop_runs_in_and_pid_1_are_refused(tmp_path: Path) -> None:
    run = tmp_path / "run"
    write_status(run, pid=os.getpid())
    with pytest.raises(ActionError, match="what boxtop itself runs in"):
        look_at(run, os.getpid(), time.time())
    write_status(run, pid=1)
    with pytest.raises(ActionError, match="pid 1 is the box itself"):
        look_at(run, 1)


def test_a_newer_process_of_the_run_is_not_the_one_that_was_meant(start: Start) -> None:
    training = start("rank0")
    with pytest.raises(ActionError, match="another process now") as changed:
        look_at(training.run, training.pid + 1, training.began)
    assert changed.value.kind == "changed"


def test_what_has_ended_is_told(start: Start, tmp_path: Path) -> None:
    training = start("rank0")
    wanted = target(training)
    training.process.kill()
    wait_until(lambda: not training.alive())
    with pytest.raises(NothingToEnd, match="its parent has not noticed"):
        look(wanted)
    training.process.wait()
    with pytest.raises(NothingToEnd, match="there is no process"):
        look(wanted)
    write_status(training.run, pid=wanted.pid, state="completed")
    with pytest.raises(NothingToEnd, match="the run is completed"):
        look(wanted)
    with pytest.raises(ActionError) as missing:
        look_at(tmp_path / "nowhere", 4242)
    assert missing.value.kind == "missing"


def test_workers_that_a_dead_training_left_are_found(tmp_path: Path) -> None:
    run = tmp_path / "run"
    code = (
        "import os, signal, sys\n"
        "log = open(sys.argv[1] + '/train.log', 'a')\n"
        "if os.fork():\n    sys.exit()\n"
        "open(sys.argv[1] + '/worker', 'w').write(str(os.getpid()))\n"
        "signal.pause()\n"
    )
    run.mkdir()
    done = subprocess.Popen([sys.executable, "-c", code, run])
    done.wait()
    wait_until(lambda: (run / "worker").exists() and (run / "worker").read_text())
    worker = int((run / "worker").read_text())
    try:
        write_status(run, pid=done.pid)
        tree = look_at(run, done.pid, time.time())
        assert tree.orphans and [member.pid for member in tree.members] == [worker]
    finally:
        os.kill(worker, signal.SIGKILL)


def test_a_notebook_is_known_as_one(tmp_path: Path) -> None:
    kernel = tmp_path / "ipykernel_launcher.py"
    kernel.write_text("import signal; signal.pause()")
    with subprocess.Popen([sys.executable, kernel]) as process:
        try:
            write_status(tmp_path / "run", pid=process.pid)
            wait_until(lambda: "ipykernel" in end_table.command(process.pid))
            assert look_at(tmp_path / "run", process.pid, time.time()).kernel
        finally:
            process.kill()


@pytest.mark.parametrize("handles", [True, False])
def test_a_signal_reaches_the_process_that_was_named_alone(
    sleeper: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch, handles: bool
) -> None:
    if not handles:
        monkeypatch.delattr(os, "pidfd_open")
    found = end_table.process(sleeper.pid)
    assert found is not None
    assert send(Member(sleeper.pid, found.start - 1), "KILL") == "gone", "an older process"
    assert sleeper.poll() is None
    assert send(Member(sleeper.pid, found.start), "KILL") == "sent"
    assert sleeper.wait(10) == -signal.SIGKILL
    assert send(Member(sleeper.pid, found.start), "KILL") == "gone"


def test_a_halted_process_is_let_go_on_to_take_its_signal(
    sleeper: subprocess.Popen[bytes],
) -> None:
    os.kill(sleeper.pid, signal.SIGSTOP)
    wait_until(lambda: (p := end_table.process(sleeper.pid)) is not None and p.stopped)
    found = end_table.process(sleeper.pid)
    assert found is not None
    assert send(Member(found.pid, found.start), "TERM") == "sent"
    assert sleeper.wait(10) == -signal.SIGTERM


@pytest.mark.parametrize("pair", [[1, 0], [0, 0], [-1, 5], [True, 5], ["4", 5], [4]])
def test_pid_1_groups_and_nonsense_are_never_signalled(pair: list[object]) -> None:
    with pytest.raises(Refused):
        end_tree.told([pair])


@pytest.mark.parametrize("name", ["STOP", "HUP", 9, None])
def test_no_other_signal_is_sent(name: object) -> None:
    with pytest.raises(Refused, match="does not send"):
        send(Member(os.getpid(), 0), name)
    assert set(end_signals.SIGNALS) == {"INT", "TERM", "KILL"}


def test_a_gpu_driver_that_hangs_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    smi = tmp_path / "nvidia-smi"
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    smi.write_text("#!/bin/sh\necho '0, 1024, 24564'; echo '1, 3, 24564'\n")
    smi.chmod(0o755)
    told = end_gpus.gpus()
    assert told["gpus"][0] == {"index": 0, "used": 1 << 30, "total": 24564 << 20}
    assert len(told["gpus"]) == 2 and told["error"] is None
    smi.write_text("#!/bin/sh\nexec sleep 600\n")
    assert end_gpus.gpus(0.2) == {"gpus": [], "error": "nvidia-smi gave no answer within 0.2 s"}
    smi.write_text("#!/bin/sh\necho no device; exit 9\n")
    assert end_gpus.gpus()["error"] == "nvidia-smi failed (9)"


NEW_ENOUGH = [path for path in PYTHONS if "/3.6." not in str(path) and "/3.7." not in str(path)]


@pytest.mark.parametrize("python", NEW_ENOUGH, ids=lambda path: path.parents[1].name)
def test_it_runs_with_each_python_of_a_box(python: Path, start: Start) -> None:
    training = start("launcher rank0")
    with EndProgram(OtherPython(python), target(training), Cancel()) as program:
        tree = program.look()
        assert tree.top.pid == training.pids["launcher"]
        members = [member.key for member in tree.members]
        assert program.signal("TERM", members) == dict.fromkeys(training.pids.values(), "sent")
        seen = program.wait(members, 30.0, lambda left, seconds: None)
        assert seen.left == ()
        assert program.left(seen.members).left == ()
