"""Between two judgements only the times of a run move, and they move as a judgement would."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from tests.runs.build import CASES, RECORDINGS, evidence
from tui.runs.advance import advance
from tui.runs.assess import assess


@pytest.mark.parametrize(
    "directory", [CASES / "RUN-01", RECORDINGS / "yolo9t_killed", RECORDINGS / "yolox_done"]
)
@pytest.mark.parametrize("seconds", [0.5, 3.0, 4.9])
def test_a_run_carried_on_equals_the_run_judged_later(directory: Path, seconds: float) -> None:
    now = evidence(directory)
    later = replace(now, clock=now.clock + seconds)
    carried, judged = advance(assess(now), seconds), assess(later)
    assert (carried.age_s, carried.eta_s) == (
        pytest.approx(judged.age_s),
        pytest.approx(judged.eta_s),
    )
    if not judged.eta_text.startswith("overdue"):
        assert carried.eta_text == judged.eta_text
    assert (carried.verdict, carried.headline) == (judged.verdict, judged.headline)


def test_a_run_that_nobody_has_heard_of_stays_as_it_is() -> None:
    silent = msgspec.structs.replace(assess(evidence(CASES / "RUN-01")), age_s=None)
    assert advance(silent, 3.0) == silent


def test_an_overdue_run_waits_for_its_next_judgement() -> None:
    overdue = assess(evidence(RECORDINGS / "yolo9t_killed"))
    assert overdue.eta_text.startswith("overdue +")
    assert advance(overdue, 3.0).eta_text == overdue.eta_text
