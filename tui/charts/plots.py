"""Which charts a run gets: its losses, its validation metrics, its learning rate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tui.charts.cells import LINES
from tui.charts.model import Best, Plot
from tui.charts.series import Series, numbers
from tui.charts.ticks import measured

LOSS, METRIC, RATE = "train/", "metrics/", "lr/"
_ABSENT = -1.0
"""LibreYOLO's value of a metric that has no objects to measure (mAP_large without large ones)."""

_MAP = "mAP"
_FIRST_METRICS = ("mAP50-95", "mAP50_95", "mAP50", "mAP75", "precision", "recall")


class Columns(Protocol):
    """The history of a run by epoch, as ``tui.runs.metrics.Metrics`` holds it."""

    @property
    def epochs(self) -> Sequence[int]:
        """The epochs, strictly increasing."""
        ...

    def names(self) -> list[str]:
        """All numeric columns in order of appearance."""
        ...

    def series(self, name: str) -> list[float | None]:
        """The values of a column, one for each epoch."""
        ...


def loss(columns: Columns, best: Best | None = None, *, time: bool = False) -> Plot:
    """Return the chart of the total loss and its parts."""
    names = [n for n in columns.names() if n.startswith(LOSS) and n.endswith("loss")]
    names.sort(key=lambda name: name != "train/loss")
    series = [Series(_loss_label(n), columns.series(n)) for n in names[: len(LINES)]]
    mark = None if best is None else Best(best.x, None, best.label)
    return _plot("loss", columns, series, mark, time)


def metrics(
    columns: Columns,
    best: Best | None = None,
    *,
    chosen: Sequence[str] = (),
    time: bool = False,
) -> Plot:
    """Return the chart of validation metrics; ``chosen`` names columns, else the usual mAPs."""
    names = [name for name in chosen if name in columns.names()] or usual_metrics(columns)
    skipped = _not_validated(columns)
    series = [_metric(columns, name, skipped) for name in names[: len(LINES)]]
    if len(series) > 1 and all(one.label.startswith(_MAP) for one in series):
        short = [Series(s.label.removeprefix(_MAP), s.values, s.skipped) for s in series]
        return _plot(_MAP, columns, short, best, time)
    return _plot("metrics", columns, series, best, time)


def rate(columns: Columns, *, time: bool = False) -> Plot:
    """Return the chart of the learning rate; groups that share one schedule are one line."""
    series: list[Series] = []
    for name in columns.names():
        if not name.startswith(RATE):
            continue
        values = columns.series(name)
        if all(values != other.values for other in series):
            series.append(Series(name.removeprefix(RATE), values))
    if len(series) == 1:
        series = [Series("lr", series[0].values)]
    return _plot("learning rate", columns, series[: len(LINES)], None, time)


def custom(columns: Columns, names: Sequence[str], *, time: bool = False) -> Plot:
    """Return one chart of the named columns, with or without their prefix."""
    known = columns.names()
    skipped = _not_validated(columns)
    series = [
        _metric(columns, full, skipped) if full.startswith(METRIC) else _plain(columns, full)
        for name in names
        for full in known
        if name in (full, full.partition("/")[2])
    ]
    return _plot(" ".join(names), columns, series[: len(LINES)], None, time)


def metric_names(columns: Columns) -> list[str]:
    """Return the validation metrics once each: ``mAP50(B)`` repeats ``mAP50`` and is left out."""
    names = [name for name in columns.names() if name.startswith(METRIC)]
    return [n for n in names if not n.endswith("(B)") or n.removesuffix("(B)") not in names]


def usual_metrics(columns: Columns) -> list[str]:
    """Return the metrics that are shown when nobody chose: at most three, mAPs first."""
    names = metric_names(columns)
    wanted = [METRIC + short for short in _FIRST_METRICS if METRIC + short in names]
    return (wanted or names)[:3]


def best(columns: Columns, name: str | None, value: float | None, epoch: int | None) -> Best | None:
    """Return the mark of the best epoch; without a value only its epoch is marked."""
    if epoch is None:
        return None
    label = f"best {epoch}" if value is None else f"best {measured(value)} @ {epoch}"
    shown = name is not None and METRIC + name in usual_metrics(columns)
    return Best(float(epoch), value if shown else None, label)


def _plot(name: str, columns: Columns, series: list[Series], mark: Best | None, time: bool) -> Plot:
    epochs = columns.epochs
    xs: Sequence[float] = epochs
    if time:
        xs = _elapsed(columns)
        if mark is not None and mark.x in epochs:
            mark = Best(xs[epochs.index(int(mark.x))], mark.value, mark.label)
    return Plot(name, xs, tuple(series), mark, time)


def _elapsed(columns: Columns) -> list[float]:
    """Return the seconds of training at the end of each epoch; an unknown epoch takes the mean."""
    names = columns.names()
    times = numbers(columns.series("time")) if "time" in names else [None] * len(columns.epochs)
    known = [t for t in times if t is not None and t > 0]
    mean = sum(known) / len(known) if known else 1.0
    total = 0.0
    out: list[float] = []
    for value in times:
        total += value if value is not None and value > 0 else mean
        out.append(total)
    return out


def _not_validated(columns: Columns) -> frozenset[int]:
    """Return the indices of epochs in which nothing was validated: they are no gaps."""
    without = list(range(len(columns.epochs)))
    for name in columns.names():
        if not without:
            break
        if name.startswith(METRIC):
            values = columns.series(name)
            without = [i for i in without if values[i] is None] if None in values else []
    return frozenset(without)


def _metric(columns: Columns, name: str, skipped: frozenset[int]) -> Series:
    values = columns.series(name)
    if _ABSENT in values:
        values = [None if value == _ABSENT else value for value in values]
    return Series(name.removeprefix(METRIC), values, skipped)


def _plain(columns: Columns, name: str) -> Series:
    return Series(_loss_label(name), columns.series(name))


def _loss_label(name: str) -> str:
    short = name.removeprefix(LOSS)
    return "total" if short == "loss" else short.removesuffix("_loss")
