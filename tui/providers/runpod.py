"""RunPod over its REST API v2, and one GraphQL query for the balance, which v2 does not have."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from types import MappingProxyType

from tui.money import Rate, amount
from tui.providers import fields
from tui.providers.answer import Answer, error_of
from tui.providers.base import NO_RATE, Account, Capabilities, Instance, Listing, Reply, State
from tui.providers.errors import ProviderError
from tui.providers.http import Api
from tui.providers.listing import Pile, usable_id
from tui.providers.runpod_rows import StoragePrices, instance_of
from tui.text import clean, redact

SPACING: Mapping[str, float] = MappingProxyType({"*": 1.0})
"""60 requests a minute by its documentation."""

BALANCE = "query{myself{clientBalance currentSpendPerHr spendLimit}}"

CAPABILITIES = Capabilities(
    has_logs=True,
    has_credit=True,
    stop_note="a stop releases the GPUs and wipes everything but the volume (/workspace), which "
    "costs twice as much then; with no free GPU on its host it cannot start again",
    destroy_note="its volume is deleted; a network volume stays and goes on billing",
)
_NO_GPU = re.compile(r"\bgpus?\b|\bcapacity\b", re.IGNORECASE)
_NO_ROOM = re.compile(r"\bgpus?\b|\bcapacity\b|available|resources", re.IGNORECASE)


class RunPod:
    """One RunPod account."""

    name = "runpod"
    capabilities = CAPABILITIES

    def __init__(self, api: Api, prices: StoragePrices | None = None) -> None:
        self._api = api
        self._prices = prices or StoragePrices()
        self._lock = threading.Lock()
        self._last_rates: dict[str, float] = {}

    def list(self) -> Listing:
        """Return all pods; v2 has no pages. Raises ProviderError."""
        found = fields.row(self._api.read("list", "/v2/pods")).get("pods")
        if not isinstance(found, list):
            raise ProviderError("protocol", "runpod: the answer holds no list of pods")
        pile = Pile("runpod", self._instance)
        pile.add(found)
        return pile.listing()

    def get(self, id: str) -> Instance | None:
        """Return one pod, None when RunPod says that there is none."""
        answer = self._api.look("get", f"/v2/pods/{usable_id(id)}")
        if answer.absent and answer.is_json:
            return None
        if not answer.well:
            raise error_of(answer, "runpod")
        found = self._instance(fields.row(answer.body))
        if found is None or found.id != id:
            raise ProviderError("protocol", f"runpod: the answer is not about pod {id}")
        return found

    def account(self) -> Account:
        """Return the balance. Raises ProviderError; the query is deprecated and may go away."""
        body = fields.row(self._api.ask("account", "/graphql", {"query": BALANCE}))
        myself = fields.row(fields.row(body.get("data")).get("myself"))
        if not myself:
            errors = fields.rows(body.get("errors"))
            said = fields.text(fields.row(errors[0]).get("message")) if errors else None
            raise ProviderError("refused", f"runpod: the balance cannot be read: {said or '?'}")
        spend = amount(myself.get("currentSpendPerHr"))
        return Account(
            credit=fields.number(myself.get("clientBalance")),
            credit_field="clientBalance",
            reported_rate=NO_RATE if spend is None else Rate(spend, "reported"),
            at_zero="all pods are stopped, and those without a network volume are deleted",
        )

    def stop(self, id: str) -> Reply:
        """Ask for a stop."""
        return self._act(id, "stop")

    def start(self, id: str) -> Reply:
        """Ask for a start on the same host."""
        return self._act(id, "start")

    def destroy(self, id: str) -> Reply:
        """Delete a pod and its volume; one that is not there any more is accepted."""
        path = f"/v2/pods/{usable_id(id)}"
        return self._api.change("change", "DELETE", path, None, _judge_destroy)

    def logs(self, id: str, lines: int = 200) -> tuple[str, ...]:
        """Return the newest lines of the container's log."""
        parameters = {"tail": str(lines), "source": "container"}
        path = f"/v2/pods/{usable_id(id)}/logs"
        found = self._api.events("logs", path, parameters, lines)
        return tuple(redact(clean(_line(data))) for data in found)

    def close(self) -> None:
        """End what waits."""
        self._api.close()

    def _act(self, id: str, action: str) -> Reply:
        path = f"/v2/pods/{usable_id(id)}/action"
        judge = _judge_start if action == "start" else _judge
        return self._api.change("change", "POST", path, {"action": action}, judge)

    def _instance(self, row: fields.Row) -> Instance | None:
        """Read a pod and remember its price: a stopped one does not tell it."""
        id = fields.ident(row.get("id"))
        with self._lock:
            last = self._last_rates.get(id or "")
            found = instance_of(row, last, self._prices)
            running = found.rate_running.usd_per_hour if found is not None else None
            if found is not None and found.state is State.RUNNING and running:
                self._last_rates[found.id] = running
        return found


def _judge(answer: Answer) -> Reply | None:
    """Read the answer to an action: the pod as it is now."""
    if answer.status == 409 and answer.is_json:
        return Reply("refused", f"runpod: {answer.said}", None, "not_now")
    if not answer.well:
        return None
    known = answer.status == 204 or fields.ident(fields.row(answer.body).get("id")) is not None
    return Reply("accepted") if known else None


def _judge_start(answer: Answer) -> Reply | None:
    """Read the answer to a start; the one for "no free GPU" is in no documentation.

    A 5xx counts only when it names the GPUs: any other may hide a start that goes on.
    """
    refusals = (400, 409, 422) if answer.is_json else ()
    words = _NO_GPU if answer.status >= 500 else _NO_ROOM
    if (answer.status in refusals or answer.status >= 500) and words.search(answer.said):
        return Reply("refused", f"runpod: {answer.said}", None, "capacity")
    return _judge(answer)


def _judge_destroy(answer: Answer) -> Reply | None:
    if answer.absent:
        return Reply("accepted", "it is not there any more", already=True)
    return Reply("accepted") if answer.status in (200, 202, 204) else None


def _line(data: str) -> str:
    """Return a log line of an event: bare text, or JSON that holds it."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        return data
    for name in ("message", "line", "log"):
        if isinstance(fields.row(body).get(name), str):
            return str(body[name])
    return data
