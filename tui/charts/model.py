"""What a chart shows and how: the words between a run's metrics and the drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.charts.series import Series


@dataclass(frozen=True, slots=True)
class Best:
    """The best epoch: its x, and its value when the plot shows the watched metric."""

    x: float
    value: float | None
    label: str


@dataclass(frozen=True, slots=True)
class Plot:
    """What to draw: series over ``xs`` (strictly increasing); ``time`` says that x is seconds."""

    name: str
    xs: Sequence[float]
    series: tuple[Series, ...]
    best: Best | None = None
    time: bool = False
    empty: str = "no epochs yet"


@dataclass(frozen=True, slots=True)
class Options:
    """How to draw: ``smoothing`` 0 to 0.99, ``log_y``, ASCII marks only, a fixed label width."""

    smoothing: float = 0.0
    log_y: bool = False
    ascii_only: bool = False
    gutter: int = 0


PLAIN = Options()
"""No smoothing, linear, braille."""
