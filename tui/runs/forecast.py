"""When a disk will be full, from how its free space has shrunk."""

from __future__ import annotations

from collections import deque

from tui.facts import Disk

WINDOW_SECONDS = 1800.0
"""Older samples say nothing of the run that writes now."""
MIN_SPAN_SECONDS = 120.0
"""A shorter span is one checkpoint's step, not a trend."""
SAMPLE_SECONDS = 15.0


class DiskForecast:
    """Free space over time of one file system."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, int]] = deque()

    def add(self, at: float, disk: Disk) -> None:
        """Note the free space at a moment of the box's clock."""
        if self._samples and at - self._samples[-1][0] < SAMPLE_SECONDS:
            return
        self._samples.append((at, disk.free))
        while at - self._samples[0][0] > WINDOW_SECONDS:
            self._samples.popleft()

    def full_in(self) -> float | None:
        """Seconds until nothing is free at the mean rate of the window, None without a trend.

        Least squares over the samples: checkpoints fill a disk in steps, and a line through all
        of them is steadier than one between the ends.
        """
        if len(self._samples) < 3:
            return None
        first = self._samples[0][0]
        times = [at - first for at, _ in self._samples]
        if times[-1] < MIN_SPAN_SECONDS:
            return None
        frees = [float(free) for _, free in self._samples]
        mean_time, mean_free = sum(times) / len(times), sum(frees) / len(frees)
        spread = sum((t - mean_time) ** 2 for t in times)
        slope = sum((t - mean_time) * (f - mean_free) for t, f in zip(times, frees, strict=True))
        slope /= spread
        if slope >= 0:
            return None
        return frees[-1] / -slope
