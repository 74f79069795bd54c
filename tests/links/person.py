"""Somebody who answers a link's questions in tests, and remembers them."""

from __future__ import annotations

import threading

from tui.links.base import ChangedKeyQuestion, HostKeyQuestion


class Person:
    """Says yes or no to host keys, and types the passphrases given, one after the other."""

    def __init__(
        self,
        accepts: bool = False,
        passphrases: tuple[str | None, ...] = (),
        *,
        replaces: bool = False,
    ) -> None:
        self.accepts = accepts
        self.replaces = replaces
        self.changes: list[ChangedKeyQuestion] = []
        self.questions: list[HostKeyQuestion] = []
        self.asked_for: list[tuple[str, int]] = []
        self._passphrases = list(passphrases)
        self._lock = threading.Lock()

    def accept_host_key(self, question: HostKeyQuestion) -> bool:
        with self._lock:
            self.questions.append(question)
        return self.accepts

    def replace_host_key(self, question: ChangedKeyQuestion) -> bool:
        with self._lock:
            self.changes.append(question)
        return self.replaces

    def passphrase(self, key_path: str, attempt: int) -> str | None:
        with self._lock:
            self.asked_for.append((key_path, attempt))
            return self._passphrases.pop(0) if self._passphrases else None
