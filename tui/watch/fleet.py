"""Follows many boxes at once; a dead or hostile one delays no other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from tui.boxes import Box, LocalTarget, RecordingTarget, Target
from tui.clock import Clock
from tui.facts import Fact, RunFound
from tui.links.base import Asker, FollowRequest, Link
from tui.links.factory import make_link, reachable
from tui.links.recorder import Recorder
from tui.rent import RentView
from tui.runs import files
from tui.runs.mirrors import BoxMirror, Mirrors
from tui.text import one_line
from tui.view import BoxView
from tui.watch.box_state import BoxState
from tui.watch.keeper import Keeper
from tui.watch.started import StartedByPerson

HANDSHAKES_AT_ONCE = 32
"""Measured: 100 boxes connect in 3.2 s all at once, in 14 s with 16; 32 spares small laptops."""
WAKE_CHECK_SECONDS = 1.0
WOKE_UP_SECONDS = 5.0
"""A suspension of this length has cost every connection."""
JOIN_SECONDS = 2.0

MakeLink = Callable[[Box, Asker], Link]
Subscriber = Callable[[str], None]


class Fleet:
    """All watched boxes. Subscribers are called from link threads with a box's name.

    ``data`` is where mirrors lie, None keeps nothing; ``record`` a directory for recordings.
    ``link_for`` makes links (another one for the demo, whose SSH settings are its own). With
    ``connect`` False only mirrors are read, until ``start`` is called.
    """

    def __init__(
        self,
        boxes: Iterable[Box],
        asker: Asker,
        data: Path | None,
        *,
        clock: Clock | None = None,
        link_for: MakeLink = make_link,
        record: Path | None = None,
        connect: bool = True,
    ) -> None:
        self._may_connect = threading.Event()
        if connect:
            self.start()
        self._asker = asker
        self._data = data
        self._mirrors = Mirrors(data) if data is not None else None
        self._clock = clock or Clock()
        self._link_for = link_for
        self._record = record
        self._gate = threading.Semaphore(HANDSHAKES_AT_ONCE)
        self._subscribers: list[Subscriber] = []
        self._keepers: dict[str, Keeper] = {}
        self._started: dict[str, StartedByPerson] = {}
        self._claimed: list[BoxMirror] = []
        self._lock = threading.Lock()
        self._closed = threading.Event()
        for box in boxes:
            self.add(box)
        self._waker = threading.Thread(target=self._watch_for_sleep, name="wake", daemon=True)
        self._waker.start()

    def start(self) -> None:
        """Let the links be opened, where that was put off."""
        self._may_connect.set()

    def boxes(self) -> tuple[BoxView, ...]:
        """Every box at this moment, in the order they were added."""
        with self._lock:
            keepers = list(self._keepers.values())
        return tuple(keeper.state.view(keeper.link_view()) for keeper in keepers)

    def box(self, name: str) -> BoxView | None:
        """One box at this moment, None when no box has that name."""
        with self._lock:
            keeper = self._keepers.get(name)
        return None if keeper is None else keeper.state.view(keeper.link_view())

    def still(self, name: str) -> AbstractContextManager[object]:
        """Hold it to read a log of a box whole."""
        with self._lock:
            keeper = self._keepers.get(name)
        return nullcontext() if keeper is None else keeper.state.still

    def watched(self, name: str) -> tuple[BoxState, Link | None] | None:
        """What is known of a box, and its link: the open one, or a new one to reach it by.

        A box that cannot be reached as it is written, or has no address now, has no link.
        """
        with self._lock:
            keeper = self._keepers.get(name)
        if keeper is None:
            return None
        link = keeper.link
        if link is None and keeper.state.box.fault is None:
            link = self._link_for(keeper.state.box, self._asker)
        return keeper.state, link

    def subscribe(self, callback: Subscriber) -> None:
        """Call back, from a link's thread, whenever something of a box changed."""
        self._subscribers.append(callback)

    def reconnect(self, name: str | None = None) -> None:
        """Open the link of one box (or of all) anew now."""
        with self._lock:
            names = [known for known in self._keepers if name in (None, known)]
            for known in names:
                self._started[known].want()
        self._reopen(names)

    def _reopen(self, names: Iterable[str]) -> None:
        with self._lock:
            keepers = [self._keepers[name] for name in names]
        for keeper in keepers:
            keeper.reconnect()

    def add(self, box: Box, rent: RentView | None = None) -> None:
        """Watch one more box, billed as ``rent`` tells; a name already watched is left as it is."""
        with self._lock:
            if box.name in self._keepers or self._closed.is_set():
                return
            keeper = self._keeper(box)
            if rent is not None:
                keeper.state.set_rent(rent)
            self._keepers[box.name] = keeper
        keeper.start()

    def boxes_watched(self) -> tuple[Box, ...]:
        """Every box as it is reached now, in the order they were added."""
        with self._lock:
            return tuple(keeper.state.box for keeper in self._keepers.values())

    def rent(self, name: str, rent: RentView | None) -> None:
        """Take what a box's provider tells of it."""
        with self._lock:
            keeper = self._keepers.get(name)
        if keeper is not None:
            keeper.state.set_rent(rent)
            self._publish(name)

    def readdress(
        self,
        name: str,
        target: Target,
        fault: str | None = None,
        hint: str | None = None,
        *,
        now: bool = True,
    ) -> None:
        """Reach a box elsewhere from ``now`` on, or at the next attempt.

        With a ``fault`` it is not reached at all, until the next time.
        """
        with self._lock:
            keeper = self._keepers.get(name)
        if keeper is not None and keeper.state.readdress(target, fault, hint) and now:
            keeper.reconnect()

    def close(self) -> None:
        """End all links; a training goes on, whatever happens here."""
        self._closed.set()
        self._may_connect.set()
        with self._lock:
            keepers = list(self._keepers.values())
        for keeper in keepers:
            keeper.close()
        for keeper in keepers:
            keeper.join(JOIN_SECONDS)
        for mirror in self._claimed:
            mirror.release()

    def _keeper(self, box: Box) -> Keeper:
        mirror = claim_mirror(self._mirrors, box)
        if mirror is not None:
            self._claimed.append(mirror)
        state = BoxState(box, self._clock, mirror, self._data)
        recorder = Recorder(self._record / box.name.replace("/", "_")) if self._record else None
        started = self._started[box.name] = StartedByPerson(self._asker)
        return Keeper(
            state,
            make_link=lambda: self._link_for(reachable(state.box), started.begin()),
            request=lambda: follow_request(state.box, state),
            changed=lambda: self._publish(box.name),
            clock=self._clock,
            gate=self._gate,
            may_connect=self._may_connect,
            on_fact=_recording(recorder, state) if recorder else None,
        )

    def _publish(self, name: str) -> None:
        for subscriber in self._subscribers:
            subscriber(name)

    def _watch_for_sleep(self) -> None:
        """Reconnect at once after this machine slept: its connections are dead, only unaware."""
        asleep = self._clock.asleep()
        while not self._closed.wait(WAKE_CHECK_SECONDS):
            now = self._clock.asleep()
            if now - asleep > WOKE_UP_SECONDS:
                self._reopen(list(self._keepers))
            asleep = now


def _recording(recorder: Recorder, state: BoxState) -> Callable[[Fact], None]:
    """Record each fact until the recording cannot be written; watching goes on without it."""
    failed = threading.Event()

    def take(fact: Fact) -> None:
        if failed.is_set():
            return
        try:
            recorder.take(fact)
            if isinstance(fact, RunFound):
                for name, data, mtime in state.kept_files(fact.path):
                    recorder.begin_with(fact.path, name, data, mtime)
        except OSError as error:
            failed.set()
            state.note(f"the recording stopped: {recorder.directory}: {error.strerror}")

    return take


def claim_mirror(mirrors: Mirrors | None, box: Box) -> BoxMirror | None:
    """The mirror of a box, claimed for writing; None for what lies on this machine anyway."""
    if mirrors is None or isinstance(box.target, LocalTarget | RecordingTarget):
        return None
    mirror = box_mirror(mirrors, box)
    mirror.claim()
    return mirror


def box_mirror(mirrors: Mirrors, box: Box) -> BoxMirror:
    """The mirror of a box, for reading."""
    return mirrors.box(box.kept_as, one_line(box.mirror or box.text))


def follow_request(box: Box, state: BoxState, *, once: bool = False) -> FollowRequest:
    """What to ask of a box's follower now."""
    return FollowRequest(
        roots=box.roots,
        resume=state.tokens(),
        console=box.console,
        consoles=state.consoles(),
        once=once,
        only=box.only,
        markers=files.MARKERS if box.only is None else (*files.MARKERS, files.CONFIG),
    )
