"""What is known of a failed talk with the Hub: the raw facts, checked, and what was asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tui.text import said

_STATUS_IN_TEXT = re.compile(r"HTTP status (?:client|server) error \((\d{3})|HTTP Error (\d{3})")


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for, as far as it is known: it makes a message say which token and where."""

    repo: str | None = None
    source: str | None = None
    """Where the token is from, in words."""
    token_name: str | None = None
    role: str | None = None
    host: str = "huggingface.co"

    @property
    def token(self) -> str:
        """The token by its name at the Hub, else by where it is from."""
        if self.token_name:
            return f'token "{said(self.token_name, 60)}"'
        return f"the token (from {said(self.source, 80)})" if self.source else "the token"

    @property
    def namespace(self) -> str:
        """The user or organization of the repository."""
        return said((self.repo or "the repository").split("/")[0], 100)

    @property
    def place(self) -> str:
        """The repository."""
        return said(self.repo or "the repository", 200)


@dataclass(frozen=True, slots=True)
class Facts:
    """Raw facts, checked one by one: nothing of them is believed to have the right type."""

    stage: str
    type: str
    chain: tuple[str, ...]
    errno: str | None
    status: int | None
    body: str
    message: str
    retry_after: str | None
    ratelimit: str | None

    @property
    def text(self) -> str:
        """Everything that was said."""
        return f"{self.body}\n{self.message}"

    @property
    def words(self) -> str:
        """What the Hub itself said, in one harmless line; empty for a page of HTML."""
        if "<html" in self.text.lower() or "<!doctype" in self.text.lower():
            return ""
        match = re.search(r'"error"\s*:\s*"((?:[^"\\]|\\.)*)"', self.body)
        words = match[1].replace('\\"', '"') if match else self.body or self.message
        return said(words.strip(), 160)


def read_facts(facts: Mapping[str, object]) -> Facts:
    """Return raw facts of ``tui.onbox.hub_facts``, whatever came in their place."""

    def text(name: str) -> str:
        value = facts.get(name)
        return value[:4000] if isinstance(value, str) else ""

    chain = facts.get("chain")
    names = tuple(str(name) for name in chain[:20]) if isinstance(chain, list) else ()
    status = facts.get("status")
    if type(status) is not int:
        match = _STATUS_IN_TEXT.search(text("message"))
        status = int(match[1] or match[2]) if match else None
    return Facts(
        text("stage"),
        text("type"),
        names,
        text("errno") or None,
        status,
        text("body"),
        text("message"),
        text("retry_after") or None,
        text("ratelimit") or None,
    )
