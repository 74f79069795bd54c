"""HTTP to one vendor: reads that are repeated with care, changes that are sent once.

Every request has a connection of its own: one that stood idle may be dead, and a change that dies
with it could not be told from one that was done.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

import httpx2

from tui.clock import Clock
from tui.providers.answer import Answer, answer_of, error_of, reply_of, unconfirmed
from tui.providers.base import Reply
from tui.providers.errors import ProviderError
from tui.providers.keys import Key
from tui.providers.pace import Pace
from tui.providers.urls import checked_url, is_loopback
from tui.text import said

TRIES = 3
FIRST_WAIT = 0.5
LONGEST_WAIT = 5.0
"""A read waits no longer than this for its next try; a longer wait is the caller's."""
PATIENCE = 8.0
"""A read that failed this long after its first try is not repeated: who asks waits already."""
RATE_SECONDS = 30.0
"""The least time a lane rests after a 429, where the vendor names none or a shorter one."""
TIMEOUT = httpx2.Timeout(15.0, connect=10.0)
WHOLE_SECONDS = 45.0
"""One answer's time from the first byte asked to the last: a drip of bytes holds nobody."""
MAX_BYTES = 8 << 20
STREAM_SILENCE = 2.0
STREAM_SECONDS = 8.0

NO_PARAMETERS: Mapping[str, str] = MappingProxyType({})
Judge = Callable[[Answer], Reply | None]
"""A vendor's own rule for the answer to a change; None leaves it to the rules of all."""

_NOT_SENT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
    httpx2.LocalProtocolError,
    httpx2.InvalidURL,
)
"""Errors from before a byte of the request went out."""


class Api:
    """One vendor's API with one key. Safe in many threads; in its ``repr`` there is no key."""

    def __init__(
        self,
        who: str,
        base: str,
        key: Key,
        pace: Pace,
        clock: Clock | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.who = who
        self._base = base
        self._key = key
        self._pace = pace
        self._clock = clock or Clock()
        self._jitter = jitter
        self._lock = threading.Lock()
        self._client: httpx2.Client | None = None

    def read(self, lane: str, path: str, parameters: Mapping[str, str] = NO_PARAMETERS) -> object:
        """GET and return the JSON. Raises ProviderError; a 404 is one of kind ``refused``."""
        answer = self.look(lane, path, parameters)
        if not answer.well:
            raise error_of(answer, self.who)
        return answer.body

    def look(self, lane: str, path: str, parameters: Mapping[str, str] = NO_PARAMETERS) -> Answer:
        """GET and return the answer, also a 404. Raises ProviderError for every other failure."""
        return self._repeat(lane, "GET", path, None, parameters)

    def ask(self, lane: str, path: str, question: object) -> object:
        """POST a question that changes nothing (GraphQL) and return the JSON, as ``read``."""
        answer = self._repeat(lane, "POST", path, question, NO_PARAMETERS)
        if not answer.well:
            raise error_of(answer, self.who)
        return answer.body

    def change(self, lane: str, method: str, path: str, body: object, judge: Judge) -> Reply:
        """Send a change once. Raises ProviderError only when certainly nothing was sent."""
        self._pace.take(lane, self.who)
        try:
            answer = self._send(method, path, body, NO_PARAMETERS)
        except _NOT_SENT as error:
            raise self._unreachable(error, "; nothing was sent") from None
        except ProviderError as error:
            if error.kind == "closed":
                raise
            return unconfirmed(str(error))
        except Exception as error:  # noqa: BLE001 - it may have arrived, whatever went wrong then
            return unconfirmed(f"{self.who}: the answer got lost ({self._named(error)})")
        if answer.status == 429 and answer.retry_after_s is not None:
            self._pace.hold(lane, answer.retry_after_s)
        return judge(answer) or reply_of(answer, self.who)

    def order(self, lane: str, method: str, path: str, body: object) -> object:
        """Send once something that changes no instance (prepare a log) and return the JSON."""
        self._pace.take(lane, self.who)
        try:
            answer = self._send(method, path, body, NO_PARAMETERS)
        except httpx2.HTTPError as error:
            raise self._unreachable(error) from None
        if not answer.well or not answer.is_json:
            raise error_of(answer, self.who)
        return answer.body

    def fetch(self, url: str) -> str | None:
        """Return the text behind a URL the vendor named, None while there is none.

        The key does not go there: it is another host.
        """
        checked_url(url, "the address of the log")
        try:
            with httpx2.Client(timeout=TIMEOUT, trust_env=_outside(url)) as client:
                status, content, _ = self._take(client, httpx2.Request("GET", url))
        except httpx2.HTTPError as error:
            raise self._unreachable(error) from None
        return content.decode("utf-8", "replace") if status == 200 else None

    def events(self, lane: str, path: str, parameters: Mapping[str, str], most: int) -> list[str]:
        """Return the data lines of a stream that need not end: what comes before it is silent."""
        self._pace.take(lane, self.who)
        found = bytearray()
        deadline = self._clock.steady() + STREAM_SECONDS
        timeout = httpx2.Timeout(STREAM_SILENCE, connect=10.0)
        url = self._base + path
        try:
            with self._open().stream("GET", url, params=dict(parameters), timeout=timeout) as got:
                if got.status_code != 200:
                    content = self._content(got)
                    raise error_of(self._answer(got.status_code, content, got.headers), self.who)
                for piece in got.iter_bytes():
                    found += piece
                    late = self._clock.steady() > deadline or len(found) > MAX_BYTES
                    if late or found.count(b"\ndata:") >= most:
                        break
        except httpx2.ReadTimeout:
            pass
        except httpx2.HTTPError as error:
            if not found:
                raise self._unreachable(error) from None
        lines = found.decode("utf-8", "replace").splitlines()
        data = [line[5:].removeprefix(" ") for line in lines if line.startswith("data:")]
        return data[-most:]

    def wait(self, seconds: float) -> None:
        """Wait, unless closed. Raises ProviderError ``closed``."""
        self._pace.sleep(seconds, self.who)

    def close(self) -> None:
        """End every wait and connection."""
        self._pace.close()
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def __repr__(self) -> str:
        return f"Api({self.who!r}, {self._base!r}, key from {self._key.source})"

    def _repeat(
        self, lane: str, method: str, path: str, body: object, parameters: Mapping[str, str]
    ) -> Answer:
        begun = self._clock.steady()
        for left in reversed(range(TRIES)):
            self._pace.take(lane, self.who)
            error, answer = self._try(method, path, body, parameters)
            if answer is not None:
                if answer.status == 404 or (answer.well and answer.is_json):
                    return answer
                error = self._failure(lane, answer)
            assert error is not None
            wait = FIRST_WAIT * 2 ** (TRIES - 1 - left) * (0.5 + self._jitter())
            is_late = self._clock.steady() - begun > PATIENCE
            if left == 0 or is_late or error.kind == "rate" or not error.heals:
                raise error
            if error.retry_after_s is not None:
                if error.retry_after_s > LONGEST_WAIT:
                    self._pace.hold(lane, error.retry_after_s)
                    raise error
                wait = max(wait, error.retry_after_s)
            self._pace.sleep(wait, self.who)
        raise AssertionError("unreachable")

    def _try(
        self, method: str, path: str, body: object, parameters: Mapping[str, str]
    ) -> tuple[ProviderError | None, Answer | None]:
        try:
            return None, self._send(method, path, body, parameters)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            return self._unreachable(error), None

    def _failure(self, lane: str, answer: Answer) -> ProviderError:
        """Return a read's failure; a 429 closes its lane for a while."""
        if answer.status != 429:
            return error_of(answer, self.who)
        wait = self._pace.hold(lane, max(RATE_SECONDS, answer.retry_after_s or 0.0))
        return error_of(answer, self.who, wait)

    def _send(self, method: str, path: str, body: object, parameters: Mapping[str, str]) -> Answer:
        client = self._open()
        request = client.build_request(
            method,
            self._base + path,
            params=dict(parameters) or None,
            json=body if body is not None else None,
        )
        return self._answer(*self._take(client, request))

    def _take(
        self, client: httpx2.Client, request: httpx2.Request
    ) -> tuple[int, bytes, httpx2.Headers]:
        """Return status, content and headers. Raises httpx2.HTTPError or ProviderError."""
        response = client.send(request, stream=True)
        try:
            return response.status_code, self._content(response), response.headers
        finally:
            response.close()

    def _content(self, response: httpx2.Response) -> bytes:
        deadline = self._clock.steady() + WHOLE_SECONDS
        content = bytearray()
        for piece in response.iter_bytes():
            content += piece
            if len(content) > MAX_BYTES:
                raise ProviderError("protocol", f"{self.who}: the answer is too large")
            if self._clock.steady() > deadline:
                raise ProviderError("timeout", f"{self.who}: the answer takes too long")
        return bytes(content)

    def _answer(self, status: int, content: bytes, headers: httpx2.Headers) -> Answer:
        return answer_of(status, content, headers, self._key.secret)

    def _open(self) -> httpx2.Client:
        with self._lock:
            if self._client is None:
                for name in ("httpx2", "httpcore2"):
                    logging.getLogger(name).setLevel(logging.WARNING)
                self._client = httpx2.Client(
                    headers={
                        "Authorization": f"Bearer {self._key.secret}",
                        "Accept": "application/json",
                        "User-Agent": "boxtop",
                    },
                    timeout=TIMEOUT,
                    limits=httpx2.Limits(max_keepalive_connections=0),
                    trust_env=_outside(self._base),
                )
            return self._client

    def _unreachable(self, error: Exception, more: str = "") -> ProviderError:
        late = isinstance(error, httpx2.TimeoutException) and not more
        host = urlsplit(self._base).netloc
        message = f"{self.who}: {host} does not answer ({self._named(error)}){more}"
        hint = "is this machine online? If it is, look at the provider's page, and ask again"
        return ProviderError("timeout" if late else "unreachable", message, hint)

    def _named(self, error: Exception) -> str:
        words = str(error)
        if self._key.secret:
            words = words.replace(self._key.secret, "***")
        return said(words, 160) or type(error).__name__


def _outside(url: str) -> bool:
    """Whether the environment's proxies are for this address: they never are for this machine."""
    return not is_loopback(urlsplit(url).hostname or "")
