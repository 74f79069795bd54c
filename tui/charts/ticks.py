"""Readable axis ticks: steps of 1, 2 and 5, whole epochs, plain numbers, clock times."""

from __future__ import annotations

import math

import msgspec

_NICE = (1.0, 2.0, 5.0, 10.0)
_PLAIN_FROM = 1e-4
_PLAIN_TO = 1e5
_TIME_STEPS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200)
_DAY = 86_400


class Ticks(msgspec.Struct, frozen=True):
    """Positions on an axis and the text at each."""

    positions: tuple[float, ...]
    labels: tuple[str, ...]

    @property
    def width(self) -> int:
        """Cells of the widest label."""
        return max(map(len, self.labels), default=0)


SMALLEST_SPAN = 1e-300
"""Steps of a smaller span are subnormal: they no longer grow when they are multiplied."""


def linear(low: float, high: float, most: int) -> Ticks:
    """Return at most ``most`` ticks within [low, high], at multiples of a 1-2-5 step."""
    if most < 1 or not high - low > SMALLEST_SPAN:
        return Ticks((low,), (number(low),))
    step = _step((high - low) / most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    while last - first + 1 > most:
        step = _step(step * 1.01)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    positions = tuple(index * step for index in range(first, last + 1))
    if not positions:
        middle = (low + high) / 2
        return Ticks((middle,), (number(middle),))
    return Ticks(positions, tuple(number(position, step) for position in positions))


def whole(low: float, high: float, most: int) -> Ticks:
    """Return ticks at whole numbers only (epochs), at most ``most``."""
    first, last = math.ceil(low), math.floor(high)
    if last <= first or most < 2:
        return Ticks((float(last),), (str(last),))
    step = max(1, round(_step((last - first) / max(1, most - 1))))
    start = -(-first // step) * step
    values = list(range(start, last + 1, step))
    if first < start and start - first >= step / 2:
        values.insert(0, first)
    if len(values) < 2:
        values = [first, last]
    return Ticks(tuple(map(float, values)), tuple(map(str, values)))


def decades(low: float, high: float, most: int) -> Ticks:
    """Return ticks for a logarithmic axis; ``low`` and ``high`` and positions are log10 values."""
    first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
    wanted = [1.0, 2.0, 5.0] if last - first < max(2, most // 3) else [1.0]
    values = [m * 10.0**e for e in range(first - 1, last + 1) for m in wanted]
    inside = [v for v in values if low - 1e-9 <= math.log10(v) <= high + 1e-9]
    if len(inside) < 2:
        plain = linear(10.0**low, 10.0**high, most)
        inside = [v for v in plain.positions if v > 0]
    stride = max(1, -(-len(inside) // max(1, most)))
    inside = inside[::stride]
    return Ticks(tuple(math.log10(v) for v in inside), tuple(number(v) for v in inside))


def clock(low: float, high: float, most: int) -> Ticks:
    """Return ticks of a time axis in seconds: 0, 10m, 20m, 1h, 2d."""
    rough = max(1.0, (high - low) / max(1, most - 1))
    step = next((s for s in _TIME_STEPS if s >= rough), 0)
    if not step:
        step = round(_step(rough / _DAY)) * _DAY or _DAY
    values = range(math.ceil(low / step) * step, math.floor(high) + 1, step)
    return Ticks(tuple(map(float, values)), tuple(_duration(v) for v in values))


def number(value: float, step: float | None = None) -> str:
    """Return a number as people write it: 0.05, 12, 15k, 2e-05; ``step`` fixes the decimals."""
    if value == 0 or (step is not None and abs(value) < step * 1e-6):
        return "0"
    size = abs(value)
    if size < _PLAIN_FROM or (step is not None and step < _PLAIN_FROM and size < 0.01):
        return _power(value)
    if size >= 1e12:
        return _power(value)
    if size >= _PLAIN_TO:
        return next(
            _scaled(value, u, s) for u, s in ((1e9, "G"), (1e6, "M"), (1e3, "k")) if size >= u
        )
    if step is None:
        return f"{value:.4g}"
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:.{decimals}f}"


def measured(value: float) -> str:
    """Return a metric or a loss as it stands in a text: 0.646, 3.41, 15.4, 2e-5."""
    size = abs(value)
    if 0.001 <= size < 1:
        return f"{value:.3f}"
    if 1 <= size < 1000:
        return f"{value:.3g}" if size >= 10 else f"{value:.2f}"
    return number(value)


def _scaled(value: float, unit: float, suffix: str) -> str:
    return f"{value / unit:.4g}{suffix}"


def _power(value: float) -> str:
    mantissa, exponent = f"{value:.2e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}e{int(exponent)}"


def _step(rough: float) -> float:
    """Return the smallest 1-2-5 step that is not below ``rough``."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(n * power for n in _NICE if n * power >= rough * (1 - 1e-9))


def _duration(seconds: int) -> str:
    if seconds == 0:
        return "0"
    for unit, name in ((_DAY, "d"), (3600, "h"), (60, "m")):
        if seconds % unit == 0:
            return f"{seconds // unit}{name}"
    if seconds > 3600:
        return f"{seconds // 3600}h{seconds % 3600 // 60:02}"
    return f"{seconds // 60}m{seconds % 60:02}" if seconds > 60 else f"{seconds}s"
