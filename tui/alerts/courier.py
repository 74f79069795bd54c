"""Delivers messages to one channel, in a thread of its own: it may be slow, and it may fail."""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable

import msgspec

from tui.alerts.channel import Answer, Channel
from tui.alerts.event import Event, Message, message_of
from tui.debug import record_fault
from tui.runs.words import rough_text
from tui.text import said

WAITING_MOST = 50
WAITS = (5.0, 15.0, 60.0, 300.0, 900.0)
"""Before the next tries, each less up to half by chance; the last one is used on and on."""
LONGEST_ASKED = 3600.0
"""No Retry-After is heeded for longer."""
GIVE_UP_SECONDS = 6 * 3600.0
LATE_SECONDS = 120.0
"""What arrives later than this says how late it is: it may not be so any more."""
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
        self._current: Message | None = None
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

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits, and nothing is under way."""
        with self._lock:
            return self._current is None and not self._waiting

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

    def left(self) -> tuple[Event, ...]:
        """Return what was not delivered when it ended, and another start could deliver."""
        with self._lock:
            current = () if self._current is None else (self._current,)
            return tuple(event for one in (*current, *self._waiting) for event in one.events)

    def _run(self) -> None:
        while True:
            self._news.wait()
            self._news.clear()
            while not self._closed.is_set() and (message := self._next()) is not None:
                if self._deliver(message):
                    self._current = None
            if self._closed.is_set():
                return

    def _next(self) -> Message | None:
        """Return what waits, as one message."""
        with self._lock:
            messages = list(self._waiting)
            self._waiting.clear()
            if len(messages) < 2:
                self._current = messages[0] if messages else None
            else:
                events = [event for message in messages for event in message.events]
                self._current = message_of(events, messages[-1].at) if events else messages[-1]
            return self._current

    def _deliver(self, message: Message) -> bool:
        """Try until it is taken, cannot be, or is too old; False when boxtop ended before that."""
        began, attempt = self._steady(), 0
        while True:
            answer = self._try(_dated(message, self._steady() - began))
            if answer.ok:
                self._is_failing = False
                return True
            is_late = self._steady() - began > GIVE_UP_SECONDS
            gives_up = is_late or not answer.heals
            if not self._is_failing:
                self._is_failing = True
                then = "not delivered" if gives_up else "boxtop tries again"
                self._tell(said(f"alerts: {self.channel.name}: {answer.text}; {then}"))
            if gives_up:
                return True
            if self._closed.wait(self._wait(answer, attempt)):
                return False
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


def _dated(message: Message, late_s: float) -> Message:
    """Return a message that says when it was so, where that is long ago."""
    if late_s < LATE_SECONDS:
        return message
    return msgspec.structs.replace(message, title=f"{message.title} ({rough_text(late_s)} ago)")
