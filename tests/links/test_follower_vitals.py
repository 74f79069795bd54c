"""What the follower says of processes, console logs, GPUs and disks: real ones of this machine."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import pytest

from tests.links.boxes import Following, Kind, follow, make_kind
from tests.links.runs_on_disk import append, make_run, write_status
from tests.waiting import wait_until
from tui.facts import Beat, Process, RunVitals, Settled, Vitals
from tui.runs import files

CASES = Path(__file__).parent.parent / "data" / "cases"
TRAINING = "import signal,sys; print('begun', flush=True); signal.pause()"


def iso_now() -> str:
    return datetime.now(UTC).replace(microsecond=0).isoformat()


@pytest.fixture(params=["python", "dash"])
def kind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kind:
    return make_kind(request.param, tmp_path_factory.mktemp("box"))


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    directory = tmp_path / "root" / "runs"
    directory.mkdir(parents=True)
    return directory


class Trainings:
    """Processes that stand for trainings; all of them end with the test."""

    def __init__(self) -> None:
        self._started: list[subprocess.Popen[bytes]] = []

    def start(
        self, code: str = TRAINING, output: int | IO[bytes] = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        """Start a python that runs the code, in a session of its own."""
        return self.run([sys.executable, "-c", code], output)

    def run(self, arguments: list[str], output: int | IO[bytes]) -> subprocess.Popen[bytes]:
        """Start any program."""
        process = subprocess.Popen(arguments, stdout=output, stderr=output, start_new_session=True)
        self._started.append(process)
        return process

    def end(self) -> None:
        for process in self._started:
            with_group(process.pid, signal.SIGKILL)
            process.wait()


def with_group(pid: int, number: signal.Signals) -> None:
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        return


@pytest.fixture
def trainings() -> Iterator[Trainings]:
    made = Trainings()
    yield made
    made.end()


def tell(
    kind: Kind, runs: Path, holds: Callable[[RunVitals], object], **request: object
) -> RunVitals:
    """Follow until the one run's live facts hold, and return them."""
    with follow(kind, runs, vitals_seconds=1.0, **request) as box:
        return vitals_when(box, holds)


def vitals_when(box: Following, holds: Callable[[RunVitals], object]) -> RunVitals:
    box.until_received(lambda seen: any(holds(run) for run in seen.vitals.values()))
    return next(run for run in box.received.vitals.values() if holds(run))


def process_is(state: str) -> Callable[[RunVitals], bool]:
    return lambda run: run.process is not None and run.process.state == state


def test_a_living_training_is_told_with_its_start_and_command(
    kind: Kind, runs: Path, trainings: Trainings
) -> None:
    before = time.time()
    training = trainings.start()
    make_run(runs, "run1", pid=training.pid, started_at=iso_now())
    process = tell(kind, runs, process_is("alive")).process
    assert process is not None
    assert process.pid == training.pid
    assert process.started_at == pytest.approx(before, abs=3)
    assert process.command.startswith(f"{sys.executable} -c import signal")
    assert process.ignores_sigint is False
    assert process.tree == ()


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
        (["sleep", "600"], iso_now()),
        ([sys.executable, "-c", TRAINING], "2020-01-01T00:00:00+00:00"),
    ],
    ids=["a program that trains nothing", "a later python"],
)
def test_another_program_with_the_old_pid_brings_neither_tree_nor_console(
    runs: Path,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    trainings: Trainings,
    program: list[str],
    begun: str,
) -> None:
    kind = make_kind("python", tmp_path_factory.mktemp("box"))
    with (tmp_path / "other.log").open("wb") as other:
        stranger = trainings.run(program, other)
    make_run(runs, "run1", pid=stranger.pid, started_at=begun)
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


def test_the_console_log_is_found_through_the_process(
    kind: Kind, runs: Path, trainings: Trainings
) -> None:
    console = runs.parent / "it's a log"
    with console.open("wb") as output:
        training = trainings.start(output=output)
    run = make_run(runs, "run1", pid=training.pid, started_at=iso_now())
    with follow(kind, runs, vitals_seconds=1.0) as box:
        box.until_received(lambda seen: seen.data(run, files.CONSOLE) == b"begun\n")
        assert box.received.vitals[str(run)].console == str(console)
        append(console, b"RuntimeError: no more\n")
        box.until_received(lambda seen: seen.data(run, files.CONSOLE).endswith(b"no more\n"))


def test_the_console_log_of_a_training_that_renamed_itself_is_found(
    kind: Kind, runs: Path, tmp_path: Path
) -> None:
    console = tmp_path / "root" / "out.txt"
    with (
        console.open("wb") as output,
        subprocess.Popen(
            ["epoch 3/10", "-S", "-c", TRAINING],
            executable=os.path.realpath(sys.executable),
            stdout=output,
            env={**os.environ, "PYTHONHOME": sys.base_prefix},
        ) as training,
    ):
        run = make_run(runs, "run1", pid=training.pid, started_at=iso_now())
        try:
            with follow(kind, runs, vitals_seconds=1.0) as box:
                box.until_received(lambda seen: seen.data(run, files.CONSOLE) == b"begun\n")
        finally:
            training.kill()


def test_the_console_log_stays_followed_when_its_process_is_gone(
    kind: Kind, runs: Path, trainings: Trainings
) -> None:
    console = runs.parent / "console"
    with console.open("wb") as output:
        training = trainings.start(output=output)
    run = make_run(runs, "run1", pid=training.pid, started_at=iso_now())
    with follow(kind, runs, vitals_seconds=1.0) as box:
        vitals_when(box, process_is("alive"))
        training.kill()
        training.wait()
        vitals_when(box, process_is("gone"))
        append(console, b"Killed\n")
        box.until_received(lambda seen: seen.data(run, files.CONSOLE) == b"begun\nKilled\n")
    known = {str(run): str(console)}
    with follow(kind, runs, consoles=known) as box:
        box.until_received(lambda seen: seen.data(run, files.CONSOLE) == b"begun\nKilled\n")


def test_a_deleted_console_log_is_not_looked_for(
    kind: Kind, runs: Path, trainings: Trainings
) -> None:
    console = runs.parent / "console"
    with console.open("wb") as output:
        training = trainings.start(output=output)
    wait_until(lambda: console.stat().st_size)
    console.unlink()
    (runs.parent / "console (deleted)").write_bytes(b"another file")
    make_run(runs, "run1", pid=training.pid, started_at=iso_now())
    assert tell(kind, runs, process_is("alive")).console is None


def test_a_configured_console_log_is_followed(kind: Kind, runs: Path) -> None:
    console = runs.parent / "configured.log"
    console.write_bytes(b"from the configuration\n")
    run = make_run(runs, "run1", state="completed")
    with follow(kind, runs, console=str(console)) as box:
        box.until_fact(Settled)
    assert box.received.data(run, files.CONSOLE) == b"from the configuration\n"


def test_a_log_beside_the_root_is_taken_for_the_console_of_a_dead_run(
    kind: Kind, runs: Path
) -> None:
    run = make_run(runs, "run1", pid=4_000_000, started_at=iso_now())
    append(run / files.CONFIG, b"epochs: 3\n")
    os.utime(run / files.CONFIG, (time.time() - 5, time.time() - 5))
    shutil.copy(CASES / "FILE-17" / "root_train.log", runs.parent / "train.log")
    with follow(kind, runs) as box:
        box.until_fact(Settled)
    assert b"RuntimeError" in box.received.data(run, files.CONSOLE)
    assert box.received.vitals[str(run)].console == str(runs.parent / "train.log")


def test_a_log_from_another_time_is_not_taken_for_the_console(kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1", pid=4_000_000, started_at=iso_now())
    append(run / files.CONFIG, b"epochs: 3\n")
    old = runs.parent / "train.log"
    old.write_bytes(b"of an earlier run\n")
    os.utime(old, (1_700_000_000, 1_700_000_000))
    with follow(kind, runs) as box:
        box.until_fact(Settled)
    assert box.received.vitals[str(run)].console is None


def test_a_log_that_fell_silent_while_the_run_went_on_is_another_programs(
    kind: Kind, runs: Path
) -> None:
    began = time.time() - 7200
    started = datetime.fromtimestamp(began, UTC).isoformat(timespec="seconds")
    run = make_run(runs, "run1", pid=4_000_000, started_at=started)
    append(run / files.CONFIG, b"epochs: 3\n")
    os.utime(run / files.CONFIG, (began, began))
    foreign = runs.parent / "train.log"
    foreign.write_bytes(b"KeyError: onnx\n")
    os.utime(foreign, (began + 1200, began + 1200))
    with follow(kind, runs) as box:
        box.until_fact(Settled)
    assert box.received.vitals[str(run)].console is None


def test_the_console_behind_a_tee_is_found(
    runs: Path, trainings: Trainings, tmp_path_factory: pytest.TempPathFactory
) -> None:
    kind = make_kind("python", tmp_path_factory.mktemp("box"))
    console = runs.parent / "teed.log"
    tee = subprocess.Popen(["tee", str(console)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert tee.stdin is not None
    try:
        training = trainings.start(output=tee.stdin)
        run = make_run(runs, "run1", pid=training.pid, started_at=iso_now())
        with follow(kind, runs, vitals_seconds=1.0) as box:
            box.until_received(lambda seen: seen.data(run, files.CONSOLE) == b"begun\n")
    finally:
        tee.stdin.close()
        trainings.end()
        tee.wait()


def test_the_box_itself_is_told(kind: Kind, runs: Path) -> None:
    make_run(runs, "run1", state="completed")
    with follow(kind, runs) as box:
        vitals = box.until_fact(Vitals)
    assert isinstance(vitals, Vitals)
    disk = shutil.disk_usage(runs)
    told = vitals.runs[0].disk
    assert told is not None
    assert told.total == disk.total
    assert told.free == pytest.approx(disk.free, rel=0.05)
    assert told.inodes_free
    assert vitals.load1 is not None
    assert vitals.cpus
    assert vitals.memory_total and vitals.memory_used
    assert 0 < vitals.memory_used < vitals.memory_total
    assert vitals.gpus == () and vitals.gpu_error is None


def fake_nvidia_smi(kind: Kind, script: str) -> Path:
    program = kind.path / "nvidia-smi"
    program.write_text(f"#!{kind.shell}\n{script}\n")
    program.chmod(0o755)
    return program


def test_gpus_are_told(kind: Kind, runs: Path) -> None:
    row = "0, NVIDIA H100 80GB HBM3, 97, 71234, 81559, 61, 688.31"
    fake_nvidia_smi(kind, f'echo "{row}"; echo "1, Odd, name, [N/A], 0, 16384, 30, [N/A]"')
    make_run(runs, "run1")
    with follow(kind, runs) as box:
        vitals = box.until(lambda fact: isinstance(fact, Vitals) and bool(fact.gpus))
        box.until_fact(Settled)
    assert isinstance(vitals, Vitals)
    first, second = vitals.gpus
    assert (first.index, first.name, first.util) == (0, "NVIDIA H100 80GB HBM3", 97)
    assert (first.memory_used, first.memory_total) == (71234 * 2**20, 81559 * 2**20)
    assert (first.temperature_c, first.power_w) == (61, 688.31)
    assert (second.name, second.util, second.power_w) == ("Odd, name", None, None)


def test_a_gpu_that_fell_off_the_bus_is_told_in_its_own_words(kind: Kind, runs: Path) -> None:
    words = (CASES / "RUN-19" / "nvidia_smi.txt").read_text().strip()
    fake_nvidia_smi(kind, f'echo "{words}"; exit 15')
    make_run(runs, "run1")
    with follow(kind, runs) as box:
        vitals = box.until(lambda fact: isinstance(fact, Vitals) and bool(fact.gpu_error))
    assert isinstance(vitals, Vitals)
    assert vitals.gpu_error == words
    assert vitals.gpus == ()


def hanging(program: Path) -> list[int]:
    """Return the processes that run this program."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.fsencode(program) in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def test_a_hanging_nvidia_smi_delays_nothing_and_never_piles_up(
    kind: Kind, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("request", "shell_input"):
        monkeypatch.setattr(f"tui.links.{place}.HEARTBEAT_SECONDS", 2.0)
    hang = (CASES / "RUN-19" / "hang.sh").read_text()
    (kind.path / "sleep").exists() or (kind.path / "sleep").symlink_to(shutil.which("sleep") or "")
    program = fake_nvidia_smi(kind, hang)
    run = make_run(runs, "run1")
    with follow(kind, runs, vitals_seconds=1.0) as box:
        began = time.monotonic()
        box.until_received(lambda seen: str(run) in seen.checkpoints or bool(seen.whole))
        wait_until(lambda: hanging(program))
        status = write_status(run, current_epoch=1)
        box.until_received(lambda seen: seen.data(run, files.STATUS) == status)
        assert time.monotonic() - began < 4.0
        told = box.until(lambda fact: isinstance(fact, Vitals) and bool(fact.gpu_error))
        assert isinstance(told, Vitals)
        assert told.gpu_error == "timed out after 5 s"
        assert time.monotonic() - began < 10.0
        box.until_fact(Settled)
        wait_until(lambda: not hanging(program))
        box.until_fact(Beat)
        assert not hanging(program), "asked again too early"


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
