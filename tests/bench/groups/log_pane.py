"""A log that grows by 1,000 lines a second on the screen, against Textual's own log widget."""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Iterator
from itertools import islice

from tests.bench.bench import Bench
from tests.bench.figures import Figure, median, percentile
from tests.bench.log_writer import writing
from tests.bench.processes import Used, used_over
from tests.bench.run_files import RunFiles, log_lines
from tests.bench.terminal import Terminal

HELD = 100_000
LINES_PER_SECOND = 1_000
FILL_LINES = 1_000
FILL_SECONDS = 0.09
"""Between two lots of the first lines: a log that grows faster than 1 MB a second is skipped."""


def measure(bench: Bench) -> Iterator[Figure]:
    """A local run; its follower is a process of its own and is not counted."""
    seconds = float(bench.repeats(20, 8))
    run = RunFiles(bench.directory / "runs" / "run1")
    run.write(50, wide=True)
    with Terminal([*bench.boxtop(), str(run.directory.parent)]) as terminal:
        terminal.wait_for("run1")
        terminal.wait_for("following")
        terminal.press("5")
        time.sleep(0.5)
        terminal.press("z")
        time.sleep(0.5)
        empty = used_over(terminal.pid, 1.0)
        _fill(run, terminal)
        with writing(run.directory, LINES_PER_SECOND):
            held = _held_lines(terminal)
            time.sleep(1.0)
            used = used_over(terminal.pid, seconds)
            answers = [_answer(terminal) for _ in range(bench.repeats(20, 8))]
    least = _textual_log(min(seconds, 8.0))
    yield from _figures(used, empty, least, answers, held)


def _fill(run: RunFiles, terminal: Terminal) -> None:
    """Write the lines that are to be held, no faster than a log is taken whole."""
    lines = log_lines(sys.maxsize)
    for _ in range(HELD // FILL_LINES + 1):
        run.append_log("".join(islice(lines, FILL_LINES)))
        time.sleep(FILL_SECONDS)
    run.append_log("the log is full now\n")
    terminal.wait_for("the log is full now")


def _held_lines(terminal: Terminal) -> int:
    """Read from the panel's title how many lines it holds."""
    at = terminal.press("k")
    terminal.wait_for("line ", since=at)
    found = re.search(r"line \d+ of (\d+)", terminal.text_since(at))
    terminal.press("G")
    return int(found[1]) if found else 0


def _answer(terminal: Terminal) -> float:
    """Seconds until a key's effect is painted while the log streams."""
    time.sleep(random.uniform(0.1, 0.4))
    at = terminal.press("k")
    stopped = terminal.wait_for("line ", since=at) - at
    time.sleep(random.uniform(0.1, 0.4))
    at = terminal.press("G")
    return max(stopped, terminal.wait_for("following", since=at) - at)


def _textual_log(seconds: float) -> Used:
    command = [sys.executable, "-m", "tests.bench.apps.log", str(HELD), str(LINES_PER_SECOND)]
    with Terminal(command) as terminal:
        terminal.wait_for("Average loss", 30)
        time.sleep(2.0)
        return used_over(terminal.pid, seconds)


def _figures(
    used: Used, empty: Used, least: Used, answers: list[float], held: int
) -> Iterator[Figure]:
    yield Figure(
        f"log of 1,000 lines/s, {held:,} held: CPU",
        "% of a core",
        used.share * 100,
        None,
        least.share * 100,
        "Textual's Log",
        at_most=12.0,
    )
    yield Figure(
        "  its memory, the whole process",
        "MB",
        used.resident_bytes / 1e6,
        None,
        least.resident_bytes / 1e6,
        "Textual's Log",
        at_most=60.0,
        note=f"{empty.resident_bytes / 1e6:.0f} MB before the first line",
    )
    yield Figure(
        "  keys answered meanwhile, p95",
        "ms",
        percentile(answers, 0.95) * 1e3,
        at_most=100.0,
        note=f"p50 {median(answers) * 1e3:.0f} ms",
    )
