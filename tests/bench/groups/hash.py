"""Hashing a checkpoint and checking its CRCs in one reading, as it is done on boxes and here."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.bench import Bench
from tests.bench.commands import interleaved
from tests.bench.figures import Figure, median, noise
from tests.bench.large_checkpoints import write_checkpoint
from tui.onbox import archive

UNIT_BYTES = 100e6
"""Figures are for so many bytes: 333 ms are 300 MB/s."""


def measure(bench: Bench) -> Iterator[Figure]:
    """A file that is in memory already: what the processor can do."""
    path = bench.directory / "best.pt"
    size = write_checkpoint(path, 128 << 20 if bench.quick else 512 << 20)
    repeats = bench.repeats(7, 3)
    sums = interleaved({"sha256sum": ["sha256sum", str(path)]}, repeats)["sha256sum"].wall
    scale = UNIT_BYTES / size * 1e3
    both = [seconds * scale for seconds in _timed(path, _examine, repeats)]
    yield Figure(
        "hash and CRCs of 100 MB, together",
        "ms",
        median(both),
        noise(both),
        median(sums) * scale,
        "sha256sum alone",
        1000 / 3,
        note=f"{UNIT_BYTES / 1e3 / median(both):.0f} MB/s",
    )


def _timed(path: Path, act: Callable[[Path], None], repeats: int) -> list[float]:
    found = []
    for _ in range(repeats):
        began = time.monotonic()
        act(path)
        found.append(time.monotonic() - began)
    return found


def _examine(path: Path) -> None:
    with path.open("rb") as file:
        assert archive.examine(file).reason is None
