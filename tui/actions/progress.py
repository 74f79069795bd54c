"""How far a transfer is, in numbers and in words."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from tui.runs.words import clock_text, size_text

RATE_SECONDS = 5.0
"""A rate is that of the last seconds: an average since the start hides a line that broke."""
_SAMPLES = 64


@dataclass(frozen=True, slots=True)
class Progress:
    """One moment of a transfer. ``stage`` is a word for people: ``uploading``, ``checking``.

    ``done`` and ``total`` are bytes, ``rate`` bytes a second, ``eta_s`` seconds; None is unknown.
    ``note`` says what it waits for.
    """

    stage: str
    name: str = ""
    done: int | None = None
    total: int | None = None
    rate: float | None = None
    eta_s: float | None = None
    note: str = ""


class Rate:
    """Bytes a second over the last moments."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._samples: deque[tuple[float, int]] = deque(maxlen=_SAMPLES)

    def add(self, done: int) -> float | None:
        """Take how much is done now, and return the rate; None while it cannot be told."""
        now = self._clock()
        if self._samples and done < self._samples[-1][1]:
            self._samples.clear()
        if not self._samples or now - self._samples[-1][0] >= RATE_SECONDS / _SAMPLES:
            self._samples.append((now, done))
        while len(self._samples) > 2 and now - self._samples[1][0] >= RATE_SECONDS:
            self._samples.popleft()
        began, first = self._samples[0]
        return (done - first) / (now - began) if now > began and done > first else None


def measured(
    rate: Rate, stage: str, name: str, done: int | None, total: int | None, note: str = ""
) -> Progress:
    """Return a moment with its rate and the time to go."""
    if done is None:
        return Progress(stage, name, note=note)
    speed = rate.add(done)
    eta = (total - done) / speed if total is not None and speed else None
    return Progress(stage, name, done, total, speed, eta, note)


def progress_text(progress: Progress) -> str:
    """Return one line: ``uploading best.pt  12.3 MB of 21.4 MB  57 %  4.1 MB/s  0:02 left``."""
    parts = [f"{progress.stage} {progress.name}".strip()]
    if progress.done is not None and progress.total:
        parts.append(f"{size_text(progress.done)} of {size_text(progress.total)}")
        parts.append(f"{100 * min(progress.done, progress.total) // progress.total} %")
    elif progress.done:
        parts.append(size_text(progress.done))
    if progress.rate:
        parts.append(f"{size_text(int(progress.rate))}/s")
    if progress.eta_s is not None and progress.done != progress.total:
        parts.append(f"{clock_text(progress.eta_s)} left")
    if progress.note:
        parts.append(progress.note)
    return "  ".join(parts)
