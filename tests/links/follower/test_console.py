"""The console log of a run: found through its process, by its place and time, or not at all."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
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
from tests.runs.build import CASES
from tests.waiting import wait_until
from tui.facts import Settled
from tui.runs import files


def test_the_console_log_is_found_through_the_process(
    kind: Kind, runs: Path, trainings: Trainings
) -> None:
    console = runs.parent / "it's a log"
    with console.open("wb") as output:
        training = trainings.start(output=output)
    run = make_run(runs, "run1", pid=training.pid, started_at=iso_now())
    with follow(kind, runs, vitals_seconds=1.0) as box:
        box.until_received(lambda seen: seen.data(run, files.CONSOLE) == b"begun\n")
        vitals_when(box, lambda one: one.console == str(console))
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
        wait_until(lambda: console.stat().st_size, what="it said that it began")
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
        wait_until(console.exists, what="tee opened its file")
        training = trainings.start(output=tee.stdin)
        run = make_run(runs, "run1", pid=training.pid, started_at=iso_now())
        with follow(kind, runs, vitals_seconds=1.0) as box:
            box.until_received(lambda seen: seen.data(run, files.CONSOLE) == b"begun\n")
    finally:
        tee.stdin.close()
        trainings.end()
        tee.wait()
