"""How a person wants to see things; shared by all screens, kept while the app runs."""

from __future__ import annotations

import msgspec

from tui.charts.model import Options
from tui.screens.rows import ORDERS, Order

SMOOTHING = (0.0, 0.3, 0.6, 0.8, 0.9, 0.95, 0.99)
"""Weights of the moving average that + and - step through."""


class Settings(msgspec.Struct):
    """Charts, and the order and filter of the list. ``metrics`` are column names, () the usual."""

    ascii_only: bool = False
    smoothing: float = 0.0
    log_y: bool = False
    by_time: bool = False
    metrics: tuple[str, ...] = ()
    order: Order = "attention"
    reverse: bool = False
    words: str = ""

    def smoother(self, steps: int) -> float:
        """Step through the weights; both ends stop."""
        at = min(range(len(SMOOTHING)), key=lambda i: abs(SMOOTHING[i] - self.smoothing))
        self.smoothing = SMOOTHING[max(0, min(len(SMOOTHING) - 1, at + steps))]
        return self.smoothing

    def next_order(self) -> Order:
        """Take the next order of the list."""
        self.order = ORDERS[(ORDERS.index(self.order) + 1) % len(ORDERS)]
        return self.order

    def options(self, *, losses: bool = False) -> Options:
        """Return how a chart is drawn; only losses have a logarithmic height."""
        return Options(self.smoothing, self.log_y and losses, self.ascii_only)
