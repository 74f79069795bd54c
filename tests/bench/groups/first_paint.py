"""From exec to the first screen on a terminal, against the least that Textual can do."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator, Sequence

from tests.bench.apps.label import TEXT
from tests.bench.bench import Bench
from tests.bench.boxes import near_box
from tests.bench.figures import Figure, median, noise
from tests.bench.processes import cpu_seconds
from tests.bench.run_files import RunFiles
from tests.bench.terminal import Terminal
from tui.boxes import Box
from tui.links.asking import RefusingAsker
from tui.watch import look

RUN = "zebra-run"
EPOCHS = 300


def measure(bench: Bench) -> Iterator[Figure]:
    """A box seen before, now behind a port where nobody answers: the mirror is all there is."""
    data = bench.directory / "data"
    run = RunFiles(bench.directory / "runs" / RUN)
    run.write(EPOCHS, 50_000, wide=True)
    with near_box(bench) as server:
        root = str(run.directory.parent)
        box = Box("lab", server.text, server.target, roots=(root,))
        (view,) = look([box], RefusingAsker(), data)
        assert view.runs, view.link
    with socket.create_server(("127.0.0.1", 0)) as silent:
        config = bench.directory / "boxtop.toml"
        port = silent.getsockname()[1]
        config.write_text(f'[box.lab]\nssh = "127.0.0.1 -p {port}"\nruns = ["{root}"]\n')
        boxtop = [*bench.boxtop(), "--config", str(config), "--data-dir", str(data)]
        label = [sys.executable, "-m", "tests.bench.apps.label"]
        ours, theirs = [], []
        for _ in range(bench.repeats(15, 5)):
            ours.append(_painted(boxtop, RUN))
            theirs.append(_painted(label, TEXT))
        used, least = (median([cpu for _, cpu in each]) * 1e3 for each in (ours, theirs))
    yield Figure(
        "first paint, from the mirror",
        "ms",
        median([taken for taken, _ in ours]) * 1e3,
        noise([taken for taken, _ in ours]),
        median([taken for taken, _ in theirs]) * 1e3,
        "Textual, one label",
        ratio_at_most=1.5,
        note=f"CPU till then {used:.0f} against {least:.0f} ms",
    )


def _painted(command: Sequence[str], text: str) -> tuple[float, float]:
    """Seconds from exec until a text is painted, and the CPU time used by then."""
    with Terminal(command) as terminal:
        taken = terminal.wait_for(text) - terminal.began
        return taken, cpu_seconds(terminal.pid)
