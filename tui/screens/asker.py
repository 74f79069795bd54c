"""Brings the questions of link threads to the screen, one at a time, and the answers back."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

import msgspec

from tui.links.base import ChangedKeyQuestion, HostKeyQuestion


class Pending(msgspec.Struct):
    """A question whose thread waits; ``answer`` is no until somebody gives another one."""

    host_key: HostKeyQuestion | None = None
    changed_key: ChangedKeyQuestion | None = None
    key_path: str = ""
    attempt: int = 1
    answer: bool | str | None = None
    done: threading.Event = msgspec.field(default_factory=threading.Event)

    def settle(self, answer: bool | str | None) -> None:
        """Answer, and let the thread go on."""
        self.answer = answer
        self.done.set()


class ScreenAsker:
    """An Asker for links: blocks the calling thread until a person answers or the app ends.

    It may be asked before the app runs: questions wait until ``attach``.
    """

    def __init__(self, *, accept_new_host_key: bool = False) -> None:
        self._accept = accept_new_host_key
        self._lock = threading.Lock()
        self._waiting: deque[Pending] = deque()
        self._wake: Callable[[], object] | None = None
        self._is_closed = False

    def accept_host_key(self, question: HostKeyQuestion) -> bool:
        """Whether this first key may be trusted and remembered."""
        return self._accept or self._ask(Pending(host_key=question)) is True

    def replace_host_key(self, question: ChangedKeyQuestion) -> bool:
        """Whether a changed key shall be replaced; --accept-new-host-key never means that."""
        return not self._accept and self._ask(Pending(changed_key=question)) is True

    def passphrase(self, key_path: str, attempt: int) -> str | None:
        """The passphrase of a private key; None means that nobody gives it."""
        answer = self._ask(Pending(key_path=key_path, attempt=attempt))
        return answer if isinstance(answer, str) else None

    def attach(self, wake: Callable[[], object]) -> None:
        """Call ``wake``, from any thread, when a question waits."""
        with self._lock:
            self._wake = wake
            is_waiting = bool(self._waiting)
        if is_waiting:
            wake()

    def next(self) -> Pending | None:
        """Take the oldest question that waits, None when there is none."""
        with self._lock:
            return self._waiting.popleft() if self._waiting else None

    def close(self) -> None:
        """Answer everything with no, also what is asked from now on."""
        with self._lock:
            self._is_closed = True
            waiting = list(self._waiting)
            self._waiting.clear()
        for pending in waiting:
            pending.settle(None)

    def _ask(self, pending: Pending) -> bool | str | None:
        with self._lock:
            if self._is_closed:
                return None
            self._waiting.append(pending)
            wake = self._wake
        if wake is not None:
            wake()
        pending.done.wait()
        return pending.answer
