"""Nothing is lost and nothing repeated, wherever either side is killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.links.boxes import make_kind
from tests.links.torture import torture


@pytest.mark.parametrize(("name", "kills", "pace"), [("python", 20, 0.01), ("dash", 6, 0.1)])
def test_no_line_is_lost_or_repeated_when_the_follower_is_killed_at_any_byte(
    tmp_path: Path, name: str, kills: int, pace: float
) -> None:
    outcome = torture(make_kind(name, tmp_path), tmp_path, seed=7, kills=kills, pace=pace)
    assert outcome.lines > 20
    assert outcome.generations > 2
    assert (outcome.lost, outcome.repeated) == (0, 0)
