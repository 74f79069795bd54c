"""The addresses of ``[alerts] urls``: what each is, and what is wrong with it. Pure.

Apart from its scheme and host an address may be a secret as a whole: it is in no message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from tui.providers.urls import is_loopback
from tui.text import said

NTFY_HOST = "ntfy.sh"
TOKEN = "tk_"
"""How ntfy's access tokens begin."""
_TOPIC = re.compile(r"[A-Za-z0-9_-]{1,64}")
_HINT = '"ntfy://TOPIC", "ntfys://HOST/TOPIC"'


class AddressError(ValueError):
    """An address that cannot be used; ``str(error)`` says why, without a word of it."""


@dataclass(frozen=True)
class Address:
    """An address, understood: ``url`` is where to POST, or apprise's own address.

    ``user`` and ``password`` go into the request's Authorization; a user alone is a token.
    ``name`` is for people; in a ``repr`` there is no secret.
    """

    kind: Literal["webhook", "ntfy", "apprise"]
    name: str
    url: str
    topic: str = ""
    user: str | None = None
    password: str | None = None
    warning: str | None = None

    def __repr__(self) -> str:
        return f"Address({self.name!r})"


def address_of(text: str) -> Address:
    """Return what an address is. Raises AddressError."""
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise AddressError("is no address") from None
    match parts.scheme.lower():
        case "http" | "https" as scheme:
            if not host:
                raise AddressError("names no host")
            return _webhook(parts, scheme, host)
        case "ntfy" | "ntfys" as scheme:
            return _ntfy(parts, scheme)
        case scheme:
            return Address("apprise", f"{said(scheme, 30)} (apprise)", text)


def _webhook(parts: SplitResult, scheme: str, host: str) -> Address:
    user, password = _credentials(parts)
    place = _place(parts)
    url = urlunsplit((scheme, place, parts.path or "/", parts.query, ""))
    warning = _in_the_clear(scheme, host, user)
    return Address("webhook", f"webhook at {said(place, 80)}", url, "", user, password, warning)


def _ntfy(parts: SplitResult, scheme: str) -> Address:
    """``ntfy://TOPIC`` is at ntfy.sh; of an own server ntfys is https, and ntfy is http."""
    user, password = _credentials(parts)
    place, topic = _place(parts), parts.path.strip("/")
    if not topic:
        place, topic = NTFY_HOST, place
    if parts.query or parts.fragment or not _TOPIC.fullmatch(topic):
        raise AddressError(f"names no topic of ntfy: write {_HINT}")
    own = scheme == "ntfy" and place.lower() != NTFY_HOST
    web = "http" if own else "https"
    host = urlsplit(f"//{place}").hostname or ""
    warning = _in_the_clear(web, host, user)
    name = f"ntfy at {said(place, 80)}"
    return Address("ntfy", name, f"{web}://{place}/", topic, user, password, warning)


def _credentials(parts: SplitResult) -> tuple[str | None, str | None]:
    """Return user and password; ``:TOKEN@`` and ``TOKEN@`` are a token alone."""
    user, password = parts.username, parts.password
    if not user and password:
        return unquote(password), None
    return (unquote(user) if user else None), (unquote(password) if password else None)


def _place(parts: SplitResult) -> str:
    """Return host and port as they are written: a topic's capitals count."""
    return parts.netloc.rpartition("@")[2]


def _in_the_clear(scheme: str, host: str, user: str | None) -> str | None:
    if scheme != "http" or user is None or is_loopback(host):
        return None
    return f"the password for {said(host, 80)} is sent in the clear: use https, or ntfys"
