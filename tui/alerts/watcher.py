"""Watches for what a person should be told, beside the screen, and sees to it that it is."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from tui.actions.transfer import TransferView
from tui.alerts.channel import Channel
from tui.alerts.courier import LAST_SECONDS, Courier
from tui.alerts.ends import KINDS, Ended
from tui.alerts.event import Message, only
from tui.alerts.judge import Judge, Moment
from tui.alerts.outbox import Outbox
from tui.alerts.past import Past
from tui.alerts.quiet import QuietTime
from tui.alerts.store import Store
from tui.config.settings import AlertSettings
from tui.debug import record_fault
from tui.view import BoxView

LOOK_SECONDS = 5.0
WAIT_SECONDS = 0.05
SAVE_SECONDS = 10.0
"""What is noted of runs may wait so long for the disk; what was told never does."""


class Boxes(Protocol):
    """What is watched; ``tui.watch.Fleet`` is one."""

    def boxes(self) -> tuple[BoxView, ...]:
        """Every box at this moment."""
        ...


class Person(Protocol):
    """Who sits at the screen; called from the watcher's threads."""

    def show(self, message: Message, *, loud: bool) -> None:
        """Show a message on the screen; ``loud`` outside the quiet time."""
        ...

    def notify(self, message: Message) -> None:
        """Show a message on the desktop."""
        ...

    def tell(self, line: str) -> None:
        """Say what is wrong with the alerts themselves."""
        ...


class AlertWatcher:
    """Looks every few seconds, in a thread of its own.

    ``transfers`` are those of weights, the newest first; ``data`` is where it is kept what was
    told, None for nowhere; boxes that are not ``real`` (recordings, copies) are left out. ``ends``
    are those of finish lines, which nobody else can tell. ``part`` names the boxes of a boxtop that
    watches no others, as in ``Store``; ``parts`` are what the boxes of one that watches any would
    be named so.
    """

    def __init__(
        self,
        boxes: Boxes,
        settings: AlertSettings,
        channels: Sequence[Channel],
        person: Person,
        data: Path | None,
        *,
        transfers: Callable[[], Sequence[TransferView]] = tuple,
        ends: Callable[[], Sequence[Ended]] = tuple,
        real: Callable[[str], bool] = lambda _name: True,
        part: str | None = None,
        parts: Callable[[], Iterable[str]] = tuple,
        wall: Callable[[], float] = time.time,
        awake: Callable[[], float] = time.monotonic,
    ) -> None:
        self._boxes = boxes
        self._settings = settings
        self._person = person
        self._couriers = [Courier(channel, person.tell) for channel in channels]
        self._transfers = transfers
        self._ends = ends
        self._real = real
        self._parts = parts
        self._data = data
        self._wall = wall
        self._awake = awake
        self._store = Store(data, part)
        self._session = str(wall())
        self._is_owner = self._store.own()
        self._saved_at = awake()
        self._cannot_save = False
        self._quiet = QuietTime(settings.quiet)
        self._past_lock = threading.Lock()
        self._is_last = False
        self._begin()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="alerts", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def close(self) -> None:
        """Look no more; what was not sent yet is remembered for the next start."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(2.0)
        for courier in self._couriers:
            courier.end()
        deadline = time.monotonic() + LAST_SECONDS
        for courier in self._couriers:
            courier.join(deadline)
        self._keep_undelivered()
        self._save()
        self._store.close()

    def past(self) -> Past:
        """Return what was told, also before this start; any thread may ask."""
        return self._outbox.past()

    def read(self) -> Past:
        """Return the same to somebody who looks at all of it, and note that; from any thread."""
        with self._past_lock:
            past = self._outbox.past()
            self._outbox.read()
            self._judge.is_changed = True
        return past

    def look(self) -> None:
        """Find what is news, and tell what is due."""
        if not self._is_owner and self._store.own():
            self._is_owner = True
            self._begin()
        self._store.claim(self._parts())
        at = Moment(self._wall(), self._awake())
        views = [box for box in self._boxes.boxes() if self._real(box.name)]
        events = self._judge.look(views, self._transfers(), at, self._ends())
        with self._past_lock:
            self._outbox.add(events, at)
        is_told = self._tell(at)
        if (
            events
            or is_told
            or (self._judge.is_changed and at.awake - self._saved_at >= SAVE_SECONDS)
        ):
            self._save()

    def last_look(self, seconds: float) -> None:
        """Look once more and send all that is due, before a close that nobody waits behind.

        What no address takes in that time is kept for the next start.
        """
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(2.0)
        self._is_last = True
        self.look()
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not all(one.is_idle for one in self._couriers):
            time.sleep(WAIT_SECONDS)

    def _tell(self, at: Moment) -> bool:
        """Tell what is due; return whether anything was for the channels."""
        if self._is_last:
            self._outbox.hurry()
        due = self._outbox.due(at)
        if due.screen is not None:
            self._person.show(due.screen, loud=not self._outbox.is_quiet(at))
        sent = due.sent
        if sent is not None and not (self._is_owner and self._store.tells_all()):
            sent = only(sent, KINDS)
        if sent is not None:
            if self._settings.desktop:
                self._person.notify(sent)
            for courier in self._couriers:
                courier.send(sent)
        return due.sent is not None

    def _keep_undelivered(self) -> None:
        """Hold for the next start what no address took; what one took is not sent twice."""
        lefts = [courier.left() for courier in self._couriers]
        if lefts:
            held = [event for event in lefts[0] if all(event in left for left in lefts[1:])]
            self._outbox.memory.held[:0] = held

    def _begin(self) -> None:
        memory = self._store.load()
        if not self._is_owner:
            memory.held.clear()  # its owner sends that
        self._judge = Judge(memory, self._session)
        self._outbox = Outbox(memory, self._quiet, self._settings.off)

    def _watch(self) -> None:
        while not self._closed.wait(LOOK_SECONDS):
            try:
                self.look()
            except Exception as error:  # noqa: BLE001 - one fault must not end the looking
                record_fault(error)

    def _save(self) -> None:
        """Keep what is known; a disk that takes nothing is told once."""
        self._judge.is_changed = False
        self._saved_at = self._awake()
        if not self._is_owner:
            return
        try:
            self._store.save(self._judge.memory)
        except OSError as error:
            if not self._cannot_save:
                self._cannot_save = True
                reason = f"{self._data}: {error.strerror or type(error).__name__}"
                self._person.tell(f"alerts: what was told cannot be kept in {reason}")
