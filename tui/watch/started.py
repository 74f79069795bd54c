"""What only an attempt that a person started may ask."""

from __future__ import annotations

from tui.links.base import Asker, ChangedKeyQuestion, HostKeyQuestion


class StartedByPerson:
    """An asker for one box: the first attempt is a person's, and every one that was wanted since.

    Attempts that boxtop makes by itself never ask whether a changed host key shall be replaced:
    somebody in between could have waited for them.
    """

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self._is_wanted = True
        self._may_replace = False

    def want(self) -> None:
        """The next attempt is a person's."""
        self._is_wanted = True

    def begin(self) -> StartedByPerson:
        """Begin an attempt."""
        self._may_replace, self._is_wanted = self._is_wanted, False
        return self

    def accept_host_key(self, question: HostKeyQuestion) -> bool:
        """Ask whether a first key may be trusted."""
        return self._asker.accept_host_key(question)

    def replace_host_key(self, question: ChangedKeyQuestion) -> bool:
        """Ask whether a changed key shall be replaced; no where nobody started the attempt."""
        return self._may_replace and self._asker.replace_host_key(question)

    def passphrase(self, key_path: str, attempt: int) -> str | None:
        """Ask for the passphrase of a private key."""
        return self._asker.passphrase(key_path, attempt)
