"""A training that writes as badly as a training can: torn lines, truncation, regrowth, rotation.

Every byte is noted before it is written, generation by generation, so that any copy can be judged.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable
from pathlib import Path

from tests.bench.run_files import RunFiles
from tui.runs import files

LARGEST = 120_000
"""A log is begun anew above this size: it is followed from its beginning below 200 kB only."""

LARGEST_METRICS = 400_000

LONGEST_PAUSE = 0.02
Line = Callable[[int], bytes]


def metrics_line(number: int) -> bytes:
    """A row whose end, longer than a resume token's tail, is the same in every row."""
    same = ', "lr/group0": 0.0100, "lr/group1": 0.0100, "lr/group2": 0.0100, "lr/group3": 0.0100}'
    return (
        f'{{"epoch": {number:07}, "train/loss": {number / 7:.6f}'.encode() + same.encode() + b"\n"
    )


def fixed_metrics_line(number: int) -> bytes:
    """A row of fixed width, so that generations agree in every offset."""
    return metrics_line(1_000_000 + number)


def results_line(number: int) -> bytes:
    """A row of results.csv."""
    return f"{number},{number / 3:.5f},0.01,0.01\n".encode()


def log_line(number: int) -> bytes:
    """A log line of fixed width whose end is the same in every line."""
    told = "Checkpoint saved: /root/runs/a-run-with-a-long-name/weights/last.pt"
    return f"2026-11-30 02:09:21 | INFO     | {number:07} {told}\n".encode()


def console_line(number: int) -> bytes:
    """A progress bar's states, then the line."""
    return f"\rtrain {number}:  50%\rtrain {number}: 100% — fertig ✓\n".encode()


class GrowingFile:
    """One append-only file; ``generations`` holds all bytes it ever had, the newest life last."""

    def __init__(self, path: Path, line: Line, head: bytes = b"", largest: int = LARGEST) -> None:
        self.path = path
        self.largest = largest
        self.generations: list[bytearray] = []
        self.lock = threading.Lock()
        self.lines_written = 0
        self._line = line
        self._head = head
        self._number = 0
        self._torn = b""
        self._handle = -1
        self.begin()

    @property
    def content(self) -> bytes:
        """What the file holds now."""
        return bytes(self.generations[-1])

    @property
    def size(self) -> int:
        """How many bytes the file holds now."""
        return len(self.generations[-1])

    @property
    def whole_lines(self) -> int:
        """How many lines the file holds now."""
        return self.generations[-1].count(b"\n")

    def begin(self) -> None:
        """Create the file, empty or with its header."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._handle = os.open(self.path, flags, 0o600)
        self._new_life()
        self._write(self._head)

    def append(self, count: int) -> None:
        """Write whole lines at once, after the rest of a torn one."""
        self._write(self._torn + self._lines(count))
        self._torn = b""

    def tear(self, chance: random.Random) -> None:
        """Write the first part of a line; its rest comes with the next append."""
        line = self._torn or self._lines(1)
        cut = chance.randrange(1, len(line)) if len(line) > 1 else 0
        self._write(line[:cut])
        self._torn = line[cut:]

    def regrow(self, count: int) -> None:
        """Truncate the file in place and write lines, all in one go."""
        os.ftruncate(self._handle, 0)
        self._new_life()
        self._write(self._head + self._lines(count))

    def rotate(self, late: int) -> None:
        """Rename the file, write ``late`` more lines to it, then begin a new one."""
        self.path.rename(self.path.with_name(self.path.name + ".old"))
        self._end_life(late)

    def recreate(self, late: int) -> None:
        """Delete the file after some more lines, then begin a new one."""
        self._write(self._torn + self._lines(late))
        self._torn = b""
        self.path.unlink()
        self._end_life(0)

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)

    def _end_life(self, late: int) -> None:
        if late:
            self._write(self._torn + self._lines(late))
        os.close(self._handle)
        self.begin()

    def _new_life(self) -> None:
        self._torn = b""
        with self.lock:
            self.generations.append(bytearray())

    def _lines(self, count: int) -> bytes:
        first = self._number + 1
        self._number += count
        self.lines_written += count
        return b"".join(self._line(number) for number in range(first, first + count))

    def _write(self, data: bytes) -> None:
        with self.lock:
            self.generations[-1] += data
        while data:
            data = data[os.write(self._handle, data) :]


class Writer:
    """All files of one run, each treated badly by chance."""

    def __init__(self, root: Path, fixed: bool) -> None:
        self.run = RunFiles(root / "run1")
        self.run.directory.mkdir(parents=True)
        self.run.write_status(1)
        directory = self.run.directory
        self.console_path = root / "train.out"
        self.files = {
            files.METRICS: GrowingFile(
                directory / files.METRICS,
                fixed_metrics_line if fixed else metrics_line,
                largest=LARGEST_METRICS,
            ),
            files.RESULTS: GrowingFile(
                directory / files.RESULTS, results_line, b"epoch,train/loss,lr/group0,lr/group1\n"
            ),
            files.LOG: GrowingFile(directory / files.LOG, log_line),
            files.CONSOLE: GrowingFile(self.console_path, console_line),
        }

    def misbehave(self, chance: random.Random, seconds: float) -> None:
        """Write for a while."""
        pause = threading.Event()
        while seconds > 0:
            self._one(chance, chance.choice(list(self.files.values())))
            wait = chance.choice((0.0, chance.uniform(0, LONGEST_PAUSE)))
            pause.wait(wait)
            seconds -= wait + 0.001

    def _one(self, chance: random.Random, file: GrowingFile) -> None:
        if file.size > file.largest:
            chance.choice((file.rotate, file.recreate, file.regrow))(chance.randrange(3))
            return
        what = chance.random()
        if what < 0.35:
            file.append(chance.randrange(1, 6))
        elif what < 0.65:
            file.tear(chance)
        elif what < 0.75:
            file.append(chance.randrange(50, file.largest // 300))
        elif what < 0.80:
            file.rotate(chance.randrange(4))
        elif what < 0.84:
            file.recreate(chance.randrange(4))
        elif what < 0.88:
            file.regrow(chance.randrange(4))
        elif what < 0.92:
            file.regrow(file.whole_lines + chance.randrange(200))
        else:
            self.run.write_status(chance.randrange(1, 1000))

    def close(self) -> None:
        """Close all files."""
        for file in self.files.values():
            file.close()
