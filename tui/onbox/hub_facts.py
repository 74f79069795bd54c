"""An exception as raw facts: what was asked, what the Hub answered, nothing interpreted.

``error_facts`` returns ``{stage, type, chain, errno, status, body, retry_after, ratelimit,
request_id, url, message}``; what is not known is None. ``type`` is the class name of the exception
that says most, ``chain`` the names of all exceptions that led to it, the outermost first. ``body``
and ``message`` are cut at 2 kB. Tokens are masked in all of it.
"""

from __future__ import annotations

import errno

from tui.onbox.hub_wire import redacted

BODY_BYTES = 2000


class Problem(Exception):
    """A failure that this program itself found: ``kind`` becomes the type of the facts."""

    def __init__(self, kind: str, message: str, **more: object) -> None:
        super().__init__(message)
        self.kind = kind
        self.more = more


def error_facts(
    error: BaseException, stage: str, secrets: tuple[str, ...] = ()
) -> dict[str, object]:
    """Return what is known of an error, fit for one line of JSON."""
    chain = chain_of(error)
    facts: dict[str, object] = {
        "stage": stage,
        "type": type(chain[-1]).__name__,
        "chain": [type(one).__name__ for one in chain],
        "errno": _errno(chain),
        "status": None,
        "body": None,
        "retry_after": None,
        "ratelimit": None,
        "request_id": None,
        "url": None,
        "message": _message(chain),
    }
    for one in chain:
        response = getattr(one, "response", None)
        if response is not None and getattr(response, "status_code", None) is not None:
            facts["type"] = type(one).__name__
            facts.update(_answer(response))
            break
    if isinstance(error, Problem):
        facts["type"] = error.kind
        facts.update(error.more)
    return {name: _masked(value, secrets) for name, value in facts.items()}


def chain_of(error: BaseException) -> list[BaseException]:
    """Return an error and what caused it, the outermost first."""
    found: list[BaseException] = []
    one: BaseException | None = error
    while one is not None and one not in found and len(found) < 10:
        found.append(one)
        one = one.__cause__ or one.__context__  # also one that the HTTP library hides
    return found


def _errno(chain: list[BaseException]) -> str | None:
    """Return the name of the system's error, ``GAI`` for a name that cannot be resolved."""
    import socket

    for one in reversed(chain):
        if isinstance(one, socket.gaierror):
            return "GAI"
        number = getattr(one, "errno", None)
        if isinstance(one, OSError) and isinstance(number, int):
            return errno.errorcode.get(number, str(number))
    return None


def _message(chain: list[BaseException]) -> str:
    """Return what the errors say, each once."""
    said: list[str] = []
    for one in chain:
        text = str(one).strip()
        if text and not any(text in known for known in said):
            said.append(text)
    return " | ".join(said)[:BODY_BYTES]


def _answer(response: object) -> dict[str, object]:
    """Return what an HTTP answer says, whichever client library it is of."""
    headers = getattr(response, "headers", None) or {}
    try:
        body = str(response.text)  # type: ignore[attr-defined]
    except Exception:  # noqa: BLE001 - a body that was never read is no reason to lose the rest
        body = ""
    names = ("x-request-id", "X-Amzn-Trace-Id", "x-amz-cf-id")
    return {
        "status": response.status_code,  # type: ignore[attr-defined]
        "body": body[:BODY_BYTES],
        "retry_after": headers.get("Retry-After"),
        "ratelimit": headers.get("RateLimit"),
        "request_id": next((headers[name] for name in names if headers.get(name)), None),
        "url": str(getattr(response, "url", "")).split("?", 1)[0] or None,
    }


def _masked(value: object, secrets: tuple[str, ...]) -> object:
    if isinstance(value, str):
        return redacted(value, secrets)
    if isinstance(value, list):
        return [_masked(one, secrets) for one in value]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return redacted(str(value), secrets)
