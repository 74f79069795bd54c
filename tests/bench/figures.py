"""One measured figure, what it is compared with, and whether it holds."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """A row of the table. ``measured``, ``baseline`` and ``at_most`` share the ``unit``.

    ``ratio_at_most`` bounds measured ÷ baseline. ``noise`` is half the middle half's width over
    the median (0.05 is ± 5 %). A figure without a bound is shown for orientation. ``failure`` says
    why a figure could not be measured, which never counts as holding.
    """

    what: str
    unit: str = ""
    measured: float | None = None
    noise: float | None = None
    baseline: float | None = None
    baseline_is: str = ""
    at_most: float | None = None
    ratio_at_most: float | None = None
    note: str = ""
    failure: str = ""

    @property
    def ratio(self) -> float | None:
        """Measured ÷ baseline, None where there is nothing to divide by."""
        if self.measured is None or not self.baseline:
            return None
        return self.measured / self.baseline

    @property
    def holds(self) -> bool | None:
        """Whether every bound is met; None where there is no bound."""
        if self.failure:
            return False
        bounds = ((self.measured, self.at_most), (self.ratio, self.ratio_at_most))
        given = [(value, bound) for value, bound in bounds if bound is not None]
        if not given:
            return None
        return all(value is not None and value <= bound for value, bound in given)

    def as_dict(self) -> dict[str, object]:
        """Everything for ``--json``, with what is computed."""
        return {**asdict(self), "ratio": self.ratio, "holds": self.holds}


def median(values: Sequence[float]) -> float:
    """The middle of the values."""
    return statistics.median(values)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` (0 to 1) of the values lie, by nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -int(-share * len(ordered) // 1) - 1))]


def noise(values: Sequence[float]) -> float | None:
    """Half the width of the middle half of the values over their median."""
    middle = statistics.median(values)
    if len(values) < 4 or not middle:
        return None
    low, _, high = statistics.quantiles(values, n=4)
    return abs(high - low) / 2 / abs(middle)
