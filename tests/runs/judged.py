"""A run of the cases as it is judged with other evidence."""

from __future__ import annotations

from tests.runs.build import NOW, evidence, rows, status
from tui.facts import Stat
from tui.runs.assess import assess
from tui.runs.metrics import Metrics
from tui.runs.model import Run

LOSSES = [1.0, 0.9, 0.8, 0.7]


def table(*losses: float | None, first: int = 9) -> Metrics:
    return rows(
        *(
            {"epoch": first + n, "time": 61.0, "train/loss": loss, "validated": False}
            for n, loss in enumerate(losses)
        )
    )


def judged(**overrides: object) -> Run:
    return assess(evidence(**{"status": status(), **overrides}))


def written(name: str, age: float) -> dict[str, Stat]:
    return {name: Stat(100, NOW - age)}
