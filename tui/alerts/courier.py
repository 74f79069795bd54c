"""Delivers messages to one channel, in a thread of its own: it may be slow, and it may fail."""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable

from tui.alerts.channel import Answer, Channel
from tui.alerts.event import Message, message_of
from tui.debug import record_fault
from tui.text import said

WAITING_MOST = 50
WAITS = (5.0, 15.0, 60.0, 300.0, 900.0)
"""Before the next tries, each less up to half by chance; the last one is used on and on."""
LONGEST_ASKED = 3600.0
"""No Retry-After is heeded for longer."""
GIVE_UP_SECONDS = 6 * 3600.0
LAST_SECONDS = 2.0
"""What is under way when boxtop ends gets this long."""


class Courier:
    """Takes messages at once, sends them one by one; what waits long is sent as one.

    ``tell`` gets a line for the person, once, when the channel begins to fail.
    """

    def __init__(
        self,
        channel: Channel,
        tell: Callable[[str], object],
        *,
        steady: Callable[[], float] = time.monotonic,
        waits: tuple[float, ...] = WAITS,
    ) -> None:
        self.channel = channel
        self._tell = tell
        self._steady = steady
        self._waits = waits
        self._waiting: deque[Message] = deque(maxlen=WAITING_MOST)
        self._lock = threading.Lock()
        self._news = threading.Event()
        self._closed = threading.Event()
        self._is_failing = False
        self._thread: threading.Thread | None = None

    def send(self, message: Message) -> None:
        """Take a message; the thread begins with the first one. Of too many the oldest is lost."""
        with self._lock:
            self._waiting.append(message)
            if self._thread is None:
                name = f"alerts {self.channel.name}"
                self._thread = threading.Thread(target=self._run, name=name, daemon=True)
                self._thread.start()
        self._news.set()

    def end(self) -> None:
        """Begin nothing more."""
        self._closed.set()
        self._news.set()

    def join(self, deadline: float) -> None:
        """Give what is under way until a steady time."""
        if self._thread is not None:
            self._thread.join(max(0.0, deadline - self._steady()))

    def close(self) -> None:
        """Send nothing more; what is under way gets a moment."""
        self.end()
        self.join(self._steady() + LAST_SECONDS)

    def _run(self) -> None:
        while True:
            self._news.wait()
            self._news.clear()
            while (message := self._next()) is not None:
                self._deliver(message)
            if self._closed.is_set():
                return

    def _next(self) -> Message | None:
        """Return what waits, as one message."""
        with self._lock:
            messages = list(self._waiting)
            self._waiting.clear()
        if len(messages) < 2:
            return messages[0] if messages else None
        events = [event for message in messages for event in message.events]
        return message_of(events, messages[-1].at) if events else messages[-1]

    def _deliver(self, message: Message) -> None:
        """Try until it is taken, cannot be, is too old, or boxtop ends."""
        began, attempt = self._steady(), 0
        while True:
            answer = self._try(message)
            if answer.ok:
                self._is_failing = False
                return
            is_late = self._steady() - began > GIVE_UP_SECONDS
            gives_up = is_late or not answer.heals
            if not self._is_failing:
                self._is_failing = True
                then = "not delivered" if gives_up else "boxtop tries again"
                self._tell(said(f"alerts: {self.channel.name}: {answer.text}; {then}"))
            if gives_up or self._closed.wait(self._wait(answer, attempt)):
                return
            attempt += 1

    def _wait(self, answer: Answer, attempt: int) -> float:
        own = self._waits[min(attempt, len(self._waits) - 1)] * random.uniform(0.5, 1.0)
        return max(own, min(answer.retry_after_s or 0.0, LONGEST_ASKED))

    def _try(self, message: Message) -> Answer:
        try:
            return self.channel.send(message)
        except Exception as error:  # noqa: BLE001 - a fault here must not end the watch
            record_fault(error)
            return Answer(False, f"boxtop erred ({type(error).__name__})")
