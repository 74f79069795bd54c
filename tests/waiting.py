"""Wait for a condition instead of for a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_until(condition: Callable[[], T], seconds: float = 15.0, what: str = "") -> T:
    """Return the first true answer of ``condition``; fail with ``what`` after ``seconds``."""
    tick = threading.Event()
    deadline = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what or condition}")
        tick.wait(0.01)
