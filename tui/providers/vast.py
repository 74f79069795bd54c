"""Vast.ai over its own API: ``/api/v1`` for the list, ``/api/v0`` for the rest.

Limits are the seconds between two calls that its OpenAPI files name.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tui.providers import fields
from tui.providers.answer import Answer, error_of
from tui.providers.base import Account, Capabilities, Instance, Listing, RefusedFor, Reply
from tui.providers.errors import ProviderError
from tui.providers.http import Api
from tui.providers.listing import Pile, usable_id
from tui.providers.vast_rows import instance_of
from tui.text import clean, redact

SPACING: Mapping[str, float] = MappingProxyType(
    {"list": 1.0, "get": 2.0, "account": 2.0, "change": 1.0, "destroy": 3.0, "logs": 2.0}
)
PAGE = 25
MOST_PAGES = 40
LOG_TRIES = 10
LOG_WAIT = 1.0

CAPABILITIES = Capabilities(
    has_logs=True,
    has_credit=True,
    stop_note="a stop releases the GPUs, which others may rent: it may not start again; "
    "the disk is kept and billed",
    destroy_note="its disk is deleted; volumes stay and go on billing",
)
_REASONS: Mapping[str, RefusedFor] = MappingProxyType(
    {
        "resources_unavailable": "capacity",
        "insufficient_credit": "credit",
        "missing_billing": "credit",
        "auth_error": "auth",
        "rate_limit_exceeded": "rate",
    }
)


class Vast:
    """One Vast.ai account."""

    name = "vast"
    capabilities = CAPABILITIES

    def __init__(self, api: Api) -> None:
        self._api = api

    def list(self) -> Listing:
        """Return the rows of all pages. Raises ProviderError, also when one page fails."""
        pile = Pile("vast", instance_of)
        token: str | None = None
        seen: set[str] = set()
        while True:
            parameters = {
                "limit": str(PAGE),
                "select_filters": "{}",
                "order_by": '[{"col":"id","dir":"asc"}]',
            }
            if token is not None:
                parameters["after_token"] = token
            body = fields.row(self._api.read("list", "/api/v1/instances/", parameters))
            pile.add(_rows(body))
            pile.expect(fields.whole(body.get("total_instances")))
            following = body.get("next_token")
            if following in (None, ""):
                return pile.listing()
            token = str(following)
            if token in seen or len(seen) >= MOST_PAGES:
                raise ProviderError("protocol", "vast: its list of instances does not end")
            seen.add(token)

    def get(self, id: str) -> Instance | None:
        """Return one instance; null and ``no_such_instance`` are None."""
        path = f"/api/v0/instances/{usable_id(id)}/"
        answer = self._api.look("get", path, {"owner": "me"})
        body = fields.row(answer.body)
        if answer.status == 404:
            if answer.absent and answer.is_json:
                return None
            raise error_of(answer, "vast")
        if "instances" not in body:
            raise ProviderError("protocol", "vast: the answer names no instance")
        if body["instances"] is None:
            return None
        found = instance_of(fields.row(body["instances"]))
        if found is None or found.id != id:
            raise ProviderError("protocol", f"vast: the answer is not about instance {id}")
        return found

    def account(self) -> Account:
        """Return the credit. ``credit`` is what is spent from; ``balance`` is another figure."""
        body = fields.row(self._api.read("account", "/api/v0/users/current/"))
        return Account(
            credit=fields.number(body.get("credit")),
            credit_field="credit",
            at_zero="all instances are stopped and their disks go on billing; without a card on "
            "file they are deleted",
        )

    def stop(self, id: str) -> Reply:
        """Ask for a stop; cancels a queued start too."""
        return self._put(id, "stopped")

    def start(self, id: str) -> Reply:
        """Ask for a start. Vast may refuse with HTTP 200 and keep it queued."""
        return self._put(id, "running")

    def destroy(self, id: str) -> Reply:
        """Delete an instance; one that is not there any more is accepted."""
        path = f"/api/v0/instances/{usable_id(id)}/"
        return self._api.change("destroy", "DELETE", path, {}, _judge_destroy)

    def logs(self, id: str, lines: int = 200) -> tuple[str, ...]:
        """Have the container's log written to where Vast names, and fetch it from there."""
        path = f"/api/v0/instances/request_logs/{usable_id(id)}/"
        body = fields.row(self._api.order("logs", "PUT", path, {"tail": str(lines)}))
        url = body.get("result_url")
        if not isinstance(url, str):
            raise ProviderError("protocol", "vast: the answer names no log")
        for _ in range(LOG_TRIES):
            text = self._api.fetch(url)
            if text is not None:
                return tuple(redact(clean(line)) for line in text.splitlines()[-lines:])
            self._api.wait(LOG_WAIT)
        raise ProviderError("timeout", "vast: the log does not come")

    def close(self) -> None:
        """End what waits."""
        self._api.close()

    def _put(self, id: str, state: str) -> Reply:
        path = f"/api/v0/instances/{usable_id(id)}/"
        return self._api.change("change", "PUT", path, {"state": state}, _judge)


def _rows(body: fields.Row) -> list[object]:
    """Return the rows of a page. Raises ProviderError: null and nothing are no empty list."""
    found = body.get("instances")
    if not isinstance(found, list) or body.get("success") is False:
        raise ProviderError("protocol", "vast: the answer holds no list of instances")
    return found


def _judge(answer: Answer) -> Reply | None:
    """Read ``success``: a refusal may come with HTTP 200 (the vendor's own client misses it)."""
    body = fields.row(answer.body)
    success, error = body.get("success"), body.get("error")
    if answer.well and success is True:
        return Reply("accepted", answer.said)
    if answer.status >= 500 or not isinstance(error, str):
        if answer.well and success is False:
            return Reply("refused", f"vast: {answer.said or 'refused'}", None, "other")
        return None
    if not answer.well and error not in _REASONS:
        return None
    why = _REASONS.get(error, "other")
    queued = why == "capacity" and "queued" in answer.said.lower()
    hint = "it stays queued and may start, and bill, at any hour: a stop cancels that"
    message = f"vast: {answer.said or fields.raw_word(error)}"
    wait = answer.retry_after_s
    return Reply("refused", message, hint if queued else None, why, queued, retry_after_s=wait)


def _judge_destroy(answer: Answer) -> Reply | None:
    body = fields.row(answer.body)
    if body.get("error") == "no_such_instance" or answer.absent:
        return Reply("accepted", "it is not there any more", already=True)
    return _judge(answer)
