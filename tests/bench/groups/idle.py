"""The screen of three quiet boxes: CPU and memory, against the least that Textual can do."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator

from tests.bench.apps.label import TEXT
from tests.bench.bench import Bench
from tests.bench.boxes import near_box
from tests.bench.figures import Figure
from tests.bench.processes import Used, used_over
from tests.bench.run_files import RunFiles
from tests.bench.terminal import Terminal

BOXES = 3
EPOCHS = 300
SETTLE_SECONDS = 4.0


def measure(bench: Bench) -> Iterator[Figure]:
    """Each box has one living run that does not change, as within an epoch."""
    seconds = float(bench.repeats(30, 8))
    with near_box(bench) as server:
        lines = []
        for number in range(BOXES):
            root = bench.directory / f"box{number}"
            RunFiles(root / f"run{number}", os.getpid()).write(EPOCHS, 50_000, wide=True)
            ssh = f"{server.user}@127.0.0.1 -p {server.port}"
            lines.append(f'[box.lab{number}]\nssh = "{ssh}"\nruns = ["{root}"]\n')
        config = bench.directory / "boxtop.toml"
        config.write_text("".join(lines))
        with (
            Terminal([*bench.boxtop(), "--config", str(config)]) as ours,
            Terminal([sys.executable, "-m", "tests.bench.apps.label"]) as theirs,
        ):
            for number in range(BOXES):
                ours.wait_for(f"run{number}")
            theirs.wait_for(TEXT)
            time.sleep(SETTLE_SECONDS)
            written = ours.written
            used = used_over(ours.pid, seconds)
            painted = ours.written - written
            least = used_over(theirs.pid, min(seconds, 10.0))
    yield from _figures(used, least, painted / seconds)


def _figures(used: Used, least: Used, painted: float) -> Iterator[Figure]:
    yield Figure(
        "idle screen of 3 boxes, CPU",
        "% of a core",
        used.share * 100,
        None,
        least.share * 100,
        "Textual, one label",
        at_most=1.0,
        note=f"{painted:.0f} bytes a second are painted",
    )
    yield Figure(
        "idle screen of 3 boxes, memory",
        "MB",
        used.resident_bytes / 1e6,
        None,
        least.resident_bytes / 1e6,
        "Textual, one label",
        at_most=90.0,
    )
