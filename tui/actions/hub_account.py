"""Who a token belongs to, and what is at the place it is to push to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tui.actions.hub_facts import Asked
from tui.actions.hub_problem import HubProblem
from tui.actions.hub_words import TOKENS_PAGE, scope_words
from tui.text import said

Missing = Literal["role", "namespace", "org_role", "scope"]
_MISSING: dict[object, Missing] = {
    "role": "role",
    "namespace": "namespace",
    "org_role": "org_role",
    "scope": "scope",
}


@dataclass(frozen=True, slots=True)
class Account:
    """What whoami says. ``role`` of the token: ``read``, ``write`` or ``fineGrained``."""

    name: str
    orgs: tuple[str, ...]
    token_name: str | None
    role: str | None


@dataclass(frozen=True, slots=True)
class Place:
    """A repository before a push. ``private`` None: it is not there, or that is not known."""

    repo: str
    exists: bool
    private: bool | None
    head: str | None
    writable: bool | None
    """None: cannot be told before it is tried."""
    missing: Missing | None


@dataclass(frozen=True, slots=True)
class Checked:
    """The answer to a check; ``client`` and ``xet`` are versions of what would upload."""

    account: Account
    place: Place
    client: str | None
    xet: str | None

    def asked(self, source: str | None = None) -> Asked:
        """Return what is known for wording a later failure."""
        account = self.account
        return Asked(self.place.repo, source, account.token_name, account.role)

    def problem(self, source: str | None = None) -> HubProblem | None:
        """Return why a push would be refused, None when nothing is known against it."""
        if self.place.writable is not False:
            return None
        asked = self.asked(source)
        account, space = said(self.account.name, 60), asked.namespace
        hint = f"make one with write access at {TOKENS_PAGE}"
        match self.place.missing:
            case "namespace":
                message = f"{asked.token} is {account}'s, who is no member of {space}"
                return HubProblem("namespace", message, f"push to {account}/..., or ask {space}")
            case "org_role":
                message = f"{account} may only read in {space}"
                return HubProblem("namespace", message, f"ask {space} for write access")
            case "scope":
                return HubProblem("scope", *scope_words(asked))
        return HubProblem("role", f"{asked.token} is read-only; {space} needs write", hint)


def checked(values: Mapping[str, object], repo: str) -> Checked:
    """Return the reply to a check, whatever came in place of a value."""
    account, place = _dictionary(values.get("account")), _dictionary(values.get("repo"))
    orgs = account.get("orgs")
    names = [_dictionary(org).get("name") for org in orgs] if isinstance(orgs, list) else []
    return Checked(
        Account(
            _text(account.get("name")) or "?",
            tuple(name for name in names if isinstance(name, str)),
            _text(account.get("token_name")),
            _text(account.get("role")),
        ),
        Place(
            repo,
            place.get("exists") is True,
            _truth(place.get("private")),
            _text(place.get("sha")),
            _truth(place.get("writable")),
            _MISSING.get(place.get("missing")),
        ),
        _text(values.get("client")),
        _text(values.get("xet")),
    )


def _dictionary(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _truth(value: object) -> bool | None:
    return value if isinstance(value, bool) else None
