"""A run with weights, and what LibreYOLO tells a callback of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.onbox.checkpoints import checkpoint, make_weights, write_status

BEST, LAST = checkpoint(200_000, 1), checkpoint(200_000, 2)


@dataclass(frozen=True)
class Event:
    """The end of an epoch, or of a training."""

    save_dir: str
    epoch: int = 1
    is_best: bool = False


@pytest.fixture(name="run")
def run_fixture(tmp_path: Path) -> Path:
    """A run directory with both checkpoints."""
    path = make_weights(tmp_path / "run1", best=BEST, last=LAST)
    write_status(path)
    return path
