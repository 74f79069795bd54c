"""Who answers a link's questions where there is no person: always no."""

from __future__ import annotations

from tui.links.base import ChangedKeyQuestion, HostKeyQuestion


class RefusingAsker:
    """Nobody is there: no host key is accepted, no passphrase given."""

    def accept_host_key(self, question: HostKeyQuestion) -> bool:
        """Refuse."""
        return False

    def replace_host_key(self, question: ChangedKeyQuestion) -> bool:
        """Refuse."""
        return False

    def passphrase(self, key_path: str, attempt: int) -> str | None:
        """Give none."""
        return None
