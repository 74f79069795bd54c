"""A training that logs line by line, in a process of its own.

``python -m tests.bench.log_writer DIRECTORY PER_SECOND`` goes on until it is ended.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from tests.bench.processes import kill
from tests.bench.run_files import log_lines
from tui.runs import files

LOTS_PER_SECOND = 100


@contextmanager
def writing(directory: Path, per_second: int) -> Iterator[None]:
    """Append lines to a run's log, so many a second, each with a write of its own."""
    command = [sys.executable, "-m", "tests.bench.log_writer", str(directory), str(per_second)]
    process = subprocess.Popen(command)
    try:
        yield
    finally:
        kill(process.pid)
        process.wait()


def main() -> None:
    """Write evenly over the time."""
    directory, per_second = sys.argv[1:]
    lines = log_lines(sys.maxsize)
    began = time.monotonic()
    lot = 0
    with (Path(directory) / files.LOG).open("ab", buffering=0) as log:
        while True:
            for line in islice(lines, int(per_second) // LOTS_PER_SECOND):
                log.write(line.encode())
            lot += 1
            time.sleep(max(0.0, began + lot / LOTS_PER_SECOND - time.monotonic()))


if __name__ == "__main__":
    main()
