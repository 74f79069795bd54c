"""One look at all boxes, each in its own time limit, then done."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from tui.boxes import Box
from tui.clock import Clock
from tui.debug import record_fault
from tui.facts import Settled
from tui.links.base import Asker, ChangedKeyQuestion, HostKeyQuestion, Link, LinkError
from tui.links.factory import make_link, reachable
from tui.rent import RentView
from tui.runs.mirror import MirrorError
from tui.runs.mirrors import Mirrors
from tui.text import one_line, redact
from tui.view import BoxView, LinkView
from tui.watch.box_state import BoxState
from tui.watch.fleet import MakeLink, claim_mirror, follow_request

LOOK_SECONDS = 30.0
"""A box that has not said everything by then is shown with what is known of it."""

TICK_SECONDS = 0.1
"""A signal that another thread took does not end the main thread's wait: it looks up this often."""


def look(
    boxes: Sequence[Box],
    asker: Asker,
    data: Path | None,
    *,
    timeout: float = LOOK_SECONDS,
    clock: Clock | None = None,
    link_for: MakeLink = make_link,
    rent_of: RentOf | None = None,
) -> tuple[BoxView, ...]:
    """Look at every box once, all at the same time, and return what was seen.

    A box that fails is shown as its mirror remembers it, with the reason in its link. ``rent_of``
    is asked at the end for what a box's provider tells of it; it may block.
    """
    patient = _Patient(asker, clock or Clock())
    looks = [_Look(box, patient, data, patient.clock, link_for) for box in boxes]
    threads = [threading.Thread(target=one.run, name=one.box.name, daemon=True) for one in looks]
    for thread in threads:
        thread.start()
    for one, thread in zip(looks, threads, strict=True):
        while thread.is_alive() and (left := timeout - patient.passed()) > 0:
            thread.join(min(left, TICK_SECONDS))
        if thread.is_alive():
            one.give_up(timeout)
    return tuple(one.view(rent_of) for one in looks)


RentOf = Callable[[Box], RentView | None]


class _Patient:
    """Asks a person, and stops the time while somebody thinks about the answer."""

    def __init__(self, asker: Asker, clock: Clock) -> None:
        self.clock = clock
        self._asker = asker
        self._lock = threading.Lock()
        self._began = time.monotonic()
        self._asked = 0.0
        self._open = 0
        self._open_since = 0.0

    def passed(self) -> float:
        """Seconds since the look began, without those in which a question was open."""
        with self._lock:
            now = time.monotonic()
            open_for = now - self._open_since if self._open else 0.0
            return now - self._began - self._asked - open_for

    def accept_host_key(self, question: HostKeyQuestion) -> bool:
        """Ask whether a first key may be trusted."""
        with self._question():
            return self._asker.accept_host_key(question)

    def replace_host_key(self, question: ChangedKeyQuestion) -> bool:
        """Ask whether a changed key shall be replaced."""
        with self._question():
            return self._asker.replace_host_key(question)

    def passphrase(self, key_path: str, attempt: int) -> str | None:
        """Ask for the passphrase of a private key."""
        with self._question():
            return self._asker.passphrase(key_path, attempt)

    @contextmanager
    def _question(self) -> Iterator[None]:
        with self._lock:
            if not self._open:
                self._open_since = time.monotonic()
            self._open += 1
        try:
            yield
        finally:
            with self._lock:
                self._open -= 1
                if not self._open:
                    self._asked += time.monotonic() - self._open_since


class _Look:
    """One box, looked at once."""

    def __init__(
        self, box: Box, asker: Asker, data: Path | None, clock: Clock, link_for: MakeLink
    ) -> None:
        self.box = box
        self._asker = asker
        self._link_for = link_for
        mirrors = Mirrors(data) if data is not None else None
        self._mirror = claim_mirror(mirrors, box)
        self._state = BoxState(box, clock, self._mirror, data)
        self._link: Link | None = None
        self._error: LinkError | None = None
        self._lock = threading.Lock()
        self._ended = self._viewed = False

    def run(self) -> None:
        """Load the mirror, read the box until everything was said, keep what was read."""
        try:
            self._state.load()
            self._link = self._link_for(reachable(self.box), self._asker)
            with closing(self._link):
                self._read(self._link)
        except LinkError as error:
            self._error = self._error or error
        except (MirrorError, OSError) as error:
            self._error = LinkError("internal", str(error))
        except Exception as error:  # noqa: BLE001 - one box's fault must not end the others
            record_fault(error)
            self._error = LinkError("internal", f"{type(error).__name__}: {error}")
        finally:
            with self._lock:
                self._state.save()
                self._ended = True
                if self._viewed:
                    self._release()

    def give_up(self, timeout: float) -> None:
        """Take what is known: the time is over."""
        if self._error is None and not self._state.settled:
            message = f"timed out after {timeout:g} s"
            self._error = LinkError("lost", message, "look again, or watch it: boxtop reconnects")
        if self._link is not None:
            self._link.close()

    def view(self, rent_of: RentOf | None) -> BoxView:
        """What was seen, or what the mirror remembers."""
        rent = None if rent_of is None else rent_of(self.box)
        with self._lock:
            if rent is not None:
                self._state.set_rent(rent)
                self._state.save()
            self._viewed = True
            if self._ended:
                self._release()
        if self._state.settled:
            return self._state.view(LinkView("live", self._state.seen_s()))
        error = self._error or LinkError("lost", "the box closed the connection")
        message = one_line(redact(str(error)))
        state = LinkView(
            "refused" if error.refused else "offline", self._state.seen_s(), message, error.hint
        )
        return self._state.view(state)

    def _release(self) -> None:
        """Let others write the mirror: whoever is last here, this thread or the one that reads."""
        if self._mirror is not None:
            self._mirror.release()

    def _read(self, link: Link) -> None:
        for fact in link.open(follow_request(self.box, self._state, once=True)):
            self._state.apply(fact)
            if isinstance(fact, Settled):
                return
