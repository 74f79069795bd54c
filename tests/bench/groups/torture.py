"""Kills of follower, sshd's session, our process and the line, while files misbehave."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from tests.bench.bench import Bench
from tests.bench.figures import Figure
from tests.bench.torture.lane import Lane, Toll

LANES = 8
SHOWN_FAULTS = 5


def measure(bench: Bench) -> Iterator[Figure]:
    """Every lane has its own box, mirror and killer; BENCH_SEED repeats a run's choices."""
    seed = int(os.environ.get("BENCH_SEED") or random.randrange(10**6))
    kills = bench.repeats(50, 5)
    until = time.monotonic() + bench.repeats(190, 22)
    with ExitStack() as stack:
        lanes = [Lane(bench, stack, number, seed) for number in range(LANES)]
        with ThreadPoolExecutor(LANES) as pool:
            tolls = list(pool.map(lambda lane: lane.run(kills, until), lanes))
    yield from _figures(tolls, seed)


def _figures(tolls: list[Toll], seed: int) -> Iterator[Figure]:
    killed: Counter[str] = sum((toll.kills for toll in tolls), Counter())
    faults = [fault for toll in tolls for fault in toll.faults]
    told = ", ".join(f"{count} {kind}" for kind, count in sorted(killed.items()))
    lines, lives = sum(toll.lines for toll in tolls), sum(toll.generations for toll in tolls)
    yield Figure(
        f"lines lost in {killed.total()} kills",
        "lines",
        float(sum(toll.lost for toll in tolls)),
        at_most=0.0,
        note=f"{told}; {lines} lines in {lives} lives of files; BENCH_SEED={seed}",
    )
    yield Figure(
        f"lines repeated in {killed.total()} kills",
        "lines",
        float(sum(toll.repeated for toll in tolls)),
        at_most=0.0,
        note="\n    ".join(faults[:SHOWN_FAULTS]),
    )
