"""Trainings on many boxes, in a process of their own: appends rows at a steady pace.

``python -m tests.bench.updater PER_SECOND DIRECTORY…`` goes on until it is ended.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.bench.processes import kill
from tests.bench.run_files import RunFiles, wide_row

FIRST_EPOCH = 100_000


@contextmanager
def updating(per_second: float, runs: Sequence[RunFiles]) -> Iterator[None]:
    """Append rows to runs taken by chance, so many a second in all."""
    command = [sys.executable, "-m", "tests.bench.updater", str(per_second)]
    process = subprocess.Popen([*command, *(str(run.directory) for run in runs)])
    try:
        yield
    finally:
        kill(process.pid)
        process.wait()


def main() -> None:
    """Append evenly over the time."""
    per_second, *directories = sys.argv[1:]
    runs = [RunFiles(Path(directory)) for directory in directories]
    chance = random.Random(1)
    began = time.monotonic()
    number = 0
    while True:
        number += 1
        time.sleep(max(0.0, began + number / float(per_second) - time.monotonic()))
        chance.choice(runs).append_metrics(wide_row(FIRST_EPOCH + number))


if __name__ == "__main__":
    main()
