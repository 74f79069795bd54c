"""One POST to an address of the user's own: no redirect is followed, no answer read for ever."""

from __future__ import annotations

import base64
import logging
import time
from urllib.parse import urlsplit

import httpx2

from tui.alerts.channel import Answer
from tui.alerts.urls import Address
from tui.providers.answer import answer_of, retry_after
from tui.providers.urls import is_loopback
from tui.text import said

TIMEOUT = httpx2.Timeout(10.0, connect=8.0)
WHOLE_SECONDS = 20.0
ANSWER_BYTES = 64 << 10
_HEALING = frozenset({408, 425, 429})


class _Endless(Exception):
    """An answer that is too long, or takes too long."""


def post(address: Address, document: object) -> Answer:
    """Send JSON once, within half a minute, and return what the other side said; never raises."""
    try:
        url = httpx2.URL(address.url)
        trust = not is_loopback(urlsplit(address.url).hostname or "")
        with httpx2.Client(timeout=TIMEOUT, trust_env=trust, follow_redirects=False) as client:
            for name in ("httpx2", "httpcore2"):
                logging.getLogger(name).setLevel(logging.WARNING)
            request = client.build_request("POST", url, json=document, headers=_headers(address))
            response = client.send(request, stream=True, auth=None)
            try:
                content = _content(response)
            finally:
                response.close()
        return _answer(address, response, content)
    except _Endless:
        return Answer(False, "its answer does not end", heals=True)
    except (httpx2.InvalidURL, httpx2.UnsupportedProtocol, httpx2.LocalProtocolError) as error:
        return Answer(False, f"it cannot be sent there ({type(error).__name__})")
    except httpx2.HTTPError as error:
        return Answer(False, f"it does not answer ({_named(address, error)})", heals=True)
    except Exception as error:  # noqa: BLE001 - an address of any kind must not end the watch
        return Answer(False, f"it cannot be sent there ({type(error).__name__})")


def _headers(address: Address) -> dict[str, str]:
    headers = {"User-Agent": "boxtop", "Accept-Encoding": "identity"}
    if address.user is None:
        return headers
    if address.password is None:
        headers["Authorization"] = f"Bearer {address.user}"
        return headers
    pair = base64.b64encode(f"{address.user}:{address.password}".encode()).decode("ascii")
    headers["Authorization"] = f"Basic {pair}"
    return headers


def _content(response: httpx2.Response) -> bytes:
    deadline = time.monotonic() + WHOLE_SECONDS
    content = bytearray()
    for piece in response.iter_raw():
        content += piece
        if len(content) > ANSWER_BYTES or time.monotonic() > deadline:
            raise _Endless
    return bytes(content)


def _answer(address: Address, response: httpx2.Response, content: bytes) -> Answer:
    status = response.status_code
    if 200 <= status < 300:
        return Answer(True, f"taken ({status})")
    if 300 <= status < 400:
        where = urlsplit(response.headers.get("location", "")).hostname
        hint = f" to {said(where, 80)}" if where else ""
        return Answer(False, f"{status}: it moved{hint}; write its new address")
    words = _masked(address, answer_of(status, content, response.headers, "").said)
    text = f"{status}: {words}" if words else f"answered {status}"
    heals = status >= 500 or status in _HEALING
    return Answer(False, text, heals, retry_after(response.headers) if heals else None)


def _named(address: Address, error: Exception) -> str:
    return _masked(address, said(str(error), 160)) or type(error).__name__


def _masked(address: Address, words: str) -> str:
    """Return words without what of the address may be a secret, wherever they repeat it."""
    parts = urlsplit(address.url)
    pieces = [address.url, parts.query, parts.path.strip("/"), *parts.path.split("/")]
    for secret in (*pieces, address.topic, address.user or "", address.password or ""):
        if len(secret) > 3:
            words = words.replace(secret, "***")
    return words
