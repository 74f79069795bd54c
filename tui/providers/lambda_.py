"""Lambda's cloud over its API v1. It has no stop: nothing here ever stands in for one.

Facts are from its OpenAPI file 1.10. It is paid afterwards: there is no credit to read. A month is
720 hours.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec.structs import replace

from tui.money import DOCUMENTED, Rate, amount, hours_per_month
from tui.providers import fields
from tui.providers.answer import Answer, error_of
from tui.providers.base import (
    NO_RATE,
    Action,
    Address,
    Capabilities,
    Instance,
    Listing,
    Reply,
    State,
)
from tui.providers.errors import ProviderError
from tui.providers.http import Api
from tui.providers.listing import Pile, usable_id

SPACING: Mapping[str, float] = MappingProxyType({"*": 1.0})
"""One request a second over all."""
HOURS_PER_MONTH = hours_per_month("lambda")
USER = "ubuntu"

NO_STOP = "Lambda has no stop: an instance bills until it is destroyed, even when it is shut down"
CAPABILITIES = Capabilities(
    can_stop=False,
    can_start=False,
    stop_note=NO_STOP,
    destroy_note="its disk is deleted; file systems stay and go on billing",
)

STATES: Mapping[str, tuple[State, bool]] = MappingProxyType(
    {
        "booting": (State.STARTING, True),  # billed from healthy on, which the list does not tell
        "active": (State.RUNNING, False),
        "unhealthy": (State.UNREACHABLE, False),
        "terminating": (State.TERMINATING, False),
        "terminated": (State.GONE, False),
        "preempted": (State.FAILED, True),
    }
)
"""``status`` to the state, and whether it is only assumed that it bills."""


class Lambda:
    """One Lambda account."""

    name = "lambda"
    capabilities = CAPABILITIES

    def __init__(self, api: Api) -> None:
        self._api = api

    def list(self) -> Listing:
        """Return all instances; there are no pages. Raises ProviderError."""
        found = fields.row(self._api.read("list", "/api/v1/instances")).get("data")
        if not isinstance(found, list):
            raise ProviderError("protocol", "lambda: the answer holds no list of instances")
        pile = Pile("lambda", instance_of)
        pile.add(found)
        return pile.listing()

    def get(self, id: str) -> Instance | None:
        """Return one instance, None when Lambda says that there is none."""
        answer = self._api.look("get", f"/api/v1/instances/{usable_id(id)}")
        if answer.absent and _code(answer) == "global/object-does-not-exist":
            return None
        if not answer.well:
            raise error_of(answer, "lambda")
        found = instance_of(fields.row(fields.row(answer.body).get("data")))
        if found is None or found.id != id:
            raise ProviderError("protocol", f"lambda: the answer is not about instance {id}")
        return found

    def account(self) -> None:
        """Return nothing: invoices come afterwards."""
        return

    def stop(self, id: str) -> Reply:
        """Raise ProviderError ``unsupported``: never a termination in its place."""
        raise ProviderError("unsupported", NO_STOP)

    def start(self, id: str) -> Reply:
        """Raise ProviderError ``unsupported``."""
        raise ProviderError("unsupported", "Lambda has no start: what is gone is launched anew")

    def destroy(self, id: str) -> Reply:
        """Terminate an instance; one that is not there any more is accepted."""
        known = usable_id(id)

        def judge(answer: Answer) -> Reply | None:
            return _judge(answer, known)

        body = {"instance_ids": [known]}
        path = "/api/v1/instance-operations/terminate"
        return self._api.change("change", "POST", path, body, judge)

    def logs(self, id: str, lines: int = 200) -> tuple[str, ...]:
        """Raise ProviderError ``unsupported``."""
        raise ProviderError("unsupported", "Lambda keeps no logs of an instance")

    def close(self) -> None:
        """End what waits."""
        self._api.close()


def instance_of(row: fields.Row) -> Instance | None:
    """Return the instance of a row, None for a row without an id that can be used."""
    id = fields.ident(row.get("id"))
    if id is None:
        return None
    raw = fields.raw_word(row.get("status"))
    state, assumed = STATES.get(fields.word(row.get("status")), (State.UNKNOWN, True))
    kind = fields.row(row.get("instance_type"))
    specs = fields.row(kind.get("specs"))
    cents = amount(kind.get("price_cents_per_hour"))
    price = Rate(cents / 100, "reported") if cents else NO_RATE
    host = fields.host(row.get("ip"))
    return Instance(
        provider="lambda",
        id=id,
        name=fields.text(row.get("name")) or fields.text(row.get("hostname")) or id,
        state=state,
        raw_state=raw,
        gpu_name=fields.text(kind.get("gpu_description"), 60),
        gpu_count=fields.whole(specs.get("gpus")),
        addresses=(Address(host, 22, USER),) if host is not None else (),
        rate_running=price,
        rate_now=Rate(0.0, "computed") if state is State.GONE else price,
        rate_assumed=assumed,
        disk_gb=amount(specs.get("storage_gib")),
        keeps=replace(DOCUMENTED["lambda"], outlives=_file_systems(row)),
        allowed=_allowed(row, state),
        hours_per_month=HOURS_PER_MONTH,
        usd_per_gb_in=0.0,
        usd_per_gb_out=0.0,
        warnings=_warnings(state, raw),
    )


def _file_systems(row: fields.Row) -> tuple[str, ...]:
    names = (fields.text(name, 80) for name in fields.rows(row.get("file_system_names")))
    return tuple(f"file system {name}" for name in names if name is not None)


def _allowed(row: fields.Row, state: State) -> frozenset[Action] | None:
    if state is State.GONE:
        return frozenset()
    told = fields.row(fields.row(row.get("actions")).get("terminate")).get("available")
    if not isinstance(told, bool):
        return None
    return frozenset({"destroy"}) if told else frozenset()


def _warnings(state: State, raw: str) -> tuple[str, ...]:
    match state:
        case State.UNKNOWN:
            return (f'Lambda says "{raw}", which boxtop does not know: assumed to bill',)
        case State.UNREACHABLE:
            return ("Lambda calls it unhealthy; it bills on",)
        case State.FAILED:
            return ("Lambda took it back (preempted)",)
    return ()


def _judge(answer: Answer, id: str) -> Reply | None:
    """Read the answer to a termination: it names what is terminated."""
    if _code(answer) == "global/object-does-not-exist":
        return Reply("accepted", "it is not there any more", already=True)
    if not answer.well:
        return None
    ended = fields.rows(fields.row(fields.row(answer.body).get("data")).get("terminated_instances"))
    if any(fields.ident(fields.row(entry).get("id")) == id for entry in ended):
        return Reply("accepted")
    return None


def _code(answer: Answer) -> object:
    return fields.row(fields.row(answer.body).get("error")).get("code")
