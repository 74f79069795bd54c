"""Keeps one box's link open: reconnects what heals, waits for a person where nothing else helps."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing, nullcontext

from tui.clock import Clock
from tui.debug import record_fault
from tui.facts import Fact
from tui.links.base import HEARTBEAT_SECONDS, FollowRequest, Link, LinkError
from tui.runs.mirror import MirrorError
from tui.text import one_line, redact
from tui.view import LinkState, LinkView
from tui.watch.box_state import BoxState

STALE_SECONDS = 2 * HEARTBEAT_SECONDS + 1.0
"""Two missed heartbeats, and a second for the line."""
BACKOFF_FIRST_SECONDS = 2.0
BACKOFF_LAST_SECONDS = 60.0
OFFLINE_AFTER_ATTEMPTS = 3
"""A link that was live is called offline only after so many attempts to reconnect failed."""


def backoff(attempt: int) -> float:
    """Seconds to wait before an attempt (1, 2, …): 2, 4, 8 … 60, each less up to half by chance.

    The jitter keeps a hundred boxes behind one broken line from coming back all at once.
    """
    import random

    full = min(BACKOFF_LAST_SECONDS, BACKOFF_FIRST_SECONDS * 2.0 ** min(attempt - 1, 10))
    return full * random.uniform(0.5, 1.0)


class Keeper:
    """One thread that opens a link, takes its facts and opens it again after it broke.

    ``make_link`` and ``request`` are asked anew for every attempt; ``changed`` is called from this
    thread after each change; ``gate`` bounds how many boxes shake hands at once. The mirror is read
    at once, the network waits for ``may_connect``.
    """

    def __init__(
        self,
        state: BoxState,
        make_link: Callable[[], Link],
        request: Callable[[], FollowRequest],
        changed: Callable[[], None],
        clock: Clock,
        gate: threading.Semaphore | None = None,
        on_fact: Callable[[Fact], None] | None = None,
        may_connect: threading.Event | None = None,
    ) -> None:
        self.state = state
        self._may_connect = may_connect
        self._make_link = make_link
        self._request = request
        self._changed = changed
        self._clock = clock
        self._gate = gate
        self._on_fact = on_fact
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._closed = threading.Event()
        self._link: Link | None = None
        self._live = False
        self._was_live = False
        self._attempt = 0
        self._error: LinkError | None = None
        self._retry_at: float | None = None
        self._thread = threading.Thread(target=self._run, name=f"box {state.box.name}", daemon=True)

    def start(self) -> None:
        """Begin: first the mirror, then the network."""
        self._thread.start()

    def close(self) -> None:
        """End the link; the thread ends by itself."""
        with self._lock:
            self._closed.set()
            link = self._link
        self._wake.set()
        if link is not None:
            link.close()

    def join(self, timeout: float) -> None:
        """Wait until the thread has written its last contact."""
        if self._thread.is_alive():
            self._thread.join(timeout)

    def reconnect(self) -> None:
        """Open the link anew now: a person asked, or the laptop woke up."""
        with self._lock:
            self._attempt = min(self._attempt, 1)
            link = self._link
        self._wake.set()
        if link is not None:
            link.close()

    @property
    def link(self) -> Link | None:
        """The link that is open or being opened now."""
        with self._lock:
            return self._link

    def link_view(self) -> LinkView:
        """How the box is reached at this moment."""
        age = self.state.seen_s()
        with self._lock:
            error, live, retry_at = self._error, self._live, self._retry_at
            attempt, was_live = self._attempt, self._was_live
        if live:
            return LinkView("live" if age is None or age <= STALE_SECONDS else "stale", age)
        if error is None:
            return LinkView("connecting", age, attempt=attempt)
        retry_in = None if retry_at is None else max(0.0, retry_at - self._clock.steady())
        message = one_line(redact(str(error)))
        if not error.retried:
            state: LinkState = "refused" if error.refused else "offline"
            return LinkView(state, age, message, error.hint, attempt)
        back = was_live and attempt <= OFFLINE_AFTER_ATTEMPTS
        return LinkView(
            "connecting" if back else "offline", age, message, error.hint, attempt, retry_in
        )

    def _run(self) -> None:
        try:
            self.state.load()
        except OSError as error:
            self.state.note(f"the mirror cannot be read: {error}")
        self._changed()
        if self._may_connect is not None:
            self._may_connect.wait()
        while not self._closed.is_set():
            self._wake.clear()
            ended = self._once()
            if self._closed.is_set():
                break
            self._wait_after(ended)
        self.state.save()

    def _once(self) -> LinkError:
        try:
            link = self._make_link()
            with self._lock:
                if self._closed.is_set():
                    return LinkError("lost", "closed")
                self._link = link
            with closing(link):
                self._follow(link)
            return LinkError("lost", "the box closed the connection")
        except LinkError as error:
            return error
        except MirrorError as error:
            return LinkError("protocol", str(error), "boxtop reads the file again")
        except Exception as error:  # noqa: BLE001 - one box's fault must not end the others
            record_fault(error)
            return LinkError("internal", f"{type(error).__name__}: {error}", "--debug tells more")
        finally:
            with self._lock:
                self._link = None
                self._live = False

    def _follow(self, link: Link) -> None:
        facts = link.open(self._request())
        with self._gate or nullcontext():
            first = next(iter_facts := iter(facts), None)
        if first is None:
            return
        self._take(first)
        with self._lock:
            self._live = self._was_live = True
            self._attempt, self._error, self._retry_at = 0, None, None
        self._changed()
        for fact in iter_facts:
            self._take(fact)
            self._changed()

    def _take(self, fact: Fact) -> None:
        self.state.apply(fact)
        if self._on_fact is not None:
            self._on_fact(fact)

    def _wait_after(self, error: LinkError) -> None:
        with self._lock:
            self._error = error
            self._attempt += 1
            wait = backoff(self._attempt) if error.retried else None
            self._retry_at = None if wait is None else self._clock.steady() + wait
        self._changed()
        self._wake.wait(wait)
        with self._lock:
            self._retry_at = None
            if not error.retried:
                self._error = None
        self._changed()
