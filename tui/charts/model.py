"""What a chart shows and how: the words between a run's metrics and the drawing."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tui.charts.series import Series


class Best(msgspec.Struct, frozen=True):
    """The best epoch: its x, and its value when the plot shows the watched metric."""

    x: float
    value: float | None
    label: str


class Plot(msgspec.Struct, frozen=True):
    """What to draw: series over ``xs`` (strictly increasing); ``time`` says that x is seconds."""

    name: str
    xs: Sequence[float]
    series: tuple[Series, ...]
    best: Best | None = None
    time: bool = False
    empty: str = "no epochs yet"


class Options(msgspec.Struct, frozen=True):
    """How to draw: ``smoothing`` 0 to 0.99, ``log_y``, ASCII marks only, a fixed label width."""

    smoothing: float = 0.0
    log_y: bool = False
    ascii_only: bool = False
    gutter: int = 0


PLAIN = Options()
"""No smoothing, linear, braille."""
