"""What came back from an API, and what its status means for a read and for a change."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time

from tui.providers.base import Reply
from tui.providers.errors import ProviderError, ProviderKind
from tui.text import said

WEB_PAGE = "a web page instead of an answer"
TORN = "it breaks off, or is no JSON"
_MARKUP = re.compile(r"\s*<(!doctype|html|head|body|\?xml)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete reply. ``body`` is its JSON, None when it is none; ``said`` its own words."""

    status: int
    body: object
    is_json: bool
    said: str
    retry_after_s: float | None = None

    @property
    def well(self) -> bool:
        """Whether the status is a success."""
        return 200 <= self.status < 300

    @property
    def absent(self) -> bool:
        """Whether the API says that there is no such thing; a web page's 404 is not the API's."""
        return self.status in (404, 410) and self.said != WEB_PAGE


def answer_of(status: int, content: bytes, headers: Mapping[str, str], secret: str) -> Answer:
    """Return what a reply says; ``secret`` is masked in every word of it."""
    body: object = None
    is_json = False
    text = content.decode("utf-8", "replace")
    try:
        body = json.loads(text)
        is_json = True
    except (ValueError, RecursionError):
        pass
    words = _words(body) if is_json else text
    if secret:
        words = words.replace(secret, "***")
    if not is_json:
        words = _plain(words)
    return Answer(status, body, is_json, said(words, 240), retry_after(headers))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a Retry-After, given as a number or as a date (RFC 9110)."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except (ValueError, TypeError, OverflowError):
        return None


def error_of(answer: Answer, who: str, wait_s: float | None = None) -> ProviderError:
    """Return what an unsuccessful answer to a read means."""
    kind, hint = _meaning(answer.status, who)
    wait = wait_s or answer.retry_after_s
    if kind == "rate" and wait:
        hint = f"it may be asked again in {wait:.0f} s"
    message = f"{who}: API error {answer.status}" + (f": {answer.said}" if answer.said else "")
    if answer.well:
        message = f"{who}: the answer is not the API's" + (
            f" ({answer.said})" if answer.said else ""
        )
    return ProviderError(kind, message, hint, wait)


def reply_of(answer: Answer, who: str) -> Reply:
    """Return what an unsuccessful answer to a change means where the vendor has no own rule."""
    message = f"{who}: API error {answer.status}" + (f": {answer.said}" if answer.said else "")
    match answer.status:
        case 401 | 403:
            _, hint = _meaning(answer.status, who)
            return Reply("refused", message, hint, "auth")
        case 402:
            return Reply("refused", message, "add credit to the account", "credit")
        case 409:
            return Reply("refused", message, None, "not_now")
        case 429:
            hint = "ask again in a moment"
            wait = answer.retry_after_s
            return Reply("refused", message, hint, "rate", retry_after_s=wait)
        case status if 400 <= status < 500 and status != 408:
            return Reply("refused", message, None, "other")
    if answer.well:
        message = f"{who}: the answer is not the API's: {answer.said or 'empty'}"
    return unconfirmed(message)


def unconfirmed(message: str) -> Reply:
    """Return the reply for a change of which nobody can tell yet whether it was done."""
    return Reply("unconfirmed", message, "look at the list before asking again")


def _meaning(status: int, who: str) -> tuple[ProviderKind, str | None]:
    match status:
        case 401:
            return "auth", f"the key for {who} is not accepted: make a new one on its page"
        case 403:
            return "forbidden", f"the key for {who} is not allowed to do this: check its scopes"
        case 408:
            return "timeout", None
        case 429:
            return "rate", None
        case _ if status >= 500:
            return "server", None
        case _ if status < 400:
            return "protocol", None
    return "refused", None


def _words(body: object, depth: int = 4) -> str:
    """Return the vendor's message in a JSON body: the names of all vendors, the best first."""
    if depth == 0:
        return ""
    if isinstance(body, list):
        return _words(body[0], depth - 1) if body else ""
    if isinstance(body, str):
        return body
    if not isinstance(body, dict):
        return ""
    for name in ("msg", "detail", "message", "error_description", "title"):
        if isinstance(body.get(name), str) and body[name].strip():
            return str(body[name])
    for name in ("error", "errors"):
        words = _words(body.get(name), depth - 1)
        if words:
            return words
    return ""


def _plain(text: str) -> str:
    if _MARKUP.match(text):
        return WEB_PAGE
    if text.lstrip()[:1] in ("{", "["):
        return TORN  # never its words: the rows of a list hold secrets of the boxes
    return " ".join(text[:1000].split())
