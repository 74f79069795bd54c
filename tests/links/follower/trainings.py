"""Processes that stand for trainings, and what the follower tells of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from tests.links.boxes import Following, Kind, follow
from tui.facts import RunVitals

TRAINING = "import signal,sys; print('begun', flush=True); signal.pause()"


def iso_now() -> str:
    return datetime.now(UTC).replace(microsecond=0).isoformat()


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
