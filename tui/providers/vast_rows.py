"""Vast.ai's instances: what a row of its list says.

Facts are from its OpenAPI files and its client (``vastai/data/instance.py``, ``cli``). A month is
720 hours there: its own ``storage_total_cost`` is ``gb * storage_cost / 720``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec.structs import replace

from tui.money import DOCUMENTED, Bills, Rate, amount, hours_per_month, rate_now, stopped_rate
from tui.providers import fields
from tui.providers.base import NO_RATE, Action, Address, Instance, State
from tui.providers.fields import Row

HOURS_PER_MONTH = hours_per_month("vast")

STATES: Mapping[str, tuple[State, Bills]] = MappingProxyType(
    {
        "": (State.STARTING, "stopped"),  # provisioning: null in the API
        "created": (State.STARTING, "unknown"),
        "loading": (State.STARTING, "stopped"),  # the image is pulled; GPUs are not charged
        "running": (State.RUNNING, "running"),
        "frozen": (State.RUNNING, "running"),  # paused in memory; GPUs are charged
        "stopped": (State.STOPPED, "stopped"),
        "exited": (State.STOPPED, "stopped"),
        "rebooting": (State.STARTING, "running"),
        "unknown": (State.UNREACHABLE, "unknown"),
        "offline": (State.UNREACHABLE, "unknown"),
    }
)
"""``actual_status`` to the state and to what it bills.

``_state`` corrects it by what is intended and by ``cur_state``.
"""

_LIVE = ("running", "frozen", "rebooting")
_IDLE = ("", "created", "stopped", "exited")


def instance_of(row: Row) -> Instance | None:
    """Return the instance of a row, None for a row without an id that can be used."""
    id = fields.ident(row.get("id"))
    if id is None:
        return None
    state, bills = _state(row)
    running = _running_rate(row)
    stopped = _stopped_rate(row)
    billed = _billed(row, state)
    return Instance(
        provider="vast",
        id=id,
        name=fields.text(row.get("label")) or id,
        state=state,
        raw_state=fields.raw_word(row.get("actual_status")),
        reason=fields.text(row.get("status_msg")),
        gpu_name=fields.text(row.get("gpu_name"), 60),
        gpu_count=fields.whole(row.get("num_gpus")),
        addresses=addresses(row),
        rate_running=running,
        rate_stopped=stopped,
        rate_now=rate_now(bills, running, stopped, billed),
        rate_assumed=bills == "unknown" and billed is None,
        contract_end=fields.moment(row.get("end_date")),
        disk_gb=amount(row.get("disk_space")),
        created_at=fields.moment(row.get("start_date")),
        keeps=replace(DOCUMENTED["vast"], outlives=_volumes(row)),
        allowed=_allowed(state),
        interruptible=row["is_bid"] if isinstance(row.get("is_bid"), bool) else None,
        hours_per_month=HOURS_PER_MONTH,
        usd_per_gb_in=amount(row.get("inet_down_cost")),
        usd_per_gb_out=amount(row.get("inet_up_cost")),
        warnings=_warnings(row, state, bills),
    )


def addresses(row: Row) -> tuple[Address, ...]:
    """Return the ways in: the direct port, then the proxy.

    With Jupyter the proxy's port is one higher by the vendor's client and is not by reports: both
    are tried.
    """
    found: list[Address] = []
    host = fields.host(row.get("public_ipaddr"))
    for mapping in fields.rows(fields.row(row.get("ports")).get("22/tcp")):
        port = fields.port(fields.row(mapping).get("HostPort"))
        if host is not None and port is not None:
            found.append(Address(host, port))
    proxy, port = fields.host(row.get("ssh_host")), fields.port(row.get("ssh_port"))
    if proxy is not None and port is not None:
        found.append(Address(proxy, port, kind="proxy"))
        kind = row.get("image_runtype")
        if isinstance(kind, str) and "jupyter" in kind and port < 65535:
            found.append(Address(proxy, port + 1, kind="proxy"))
    return tuple(dict.fromkeys(found))


def _state(row: Row) -> tuple[State, Bills]:
    actual = fields.word(row.get("actual_status"))
    current = fields.word(row.get("cur_state"))
    intended = fields.word(row.get("intended_status")) or fields.word(row.get("next_state"))
    if current == "unloaded":
        return State.GONE, "stopped"
    if actual not in STATES or not isinstance(row.get("actual_status"), str | None):
        return State.UNKNOWN, "unknown"
    state, bills = STATES[actual]
    if state is State.UNREACHABLE:
        return state, bills
    if intended == "stopped":
        if actual in _LIVE or current == "running":
            return State.STOPPING, "running"
        return State.STOPPED, "stopped"
    if intended == "running" and current == "stopped" and actual in _IDLE:
        return State.QUEUED, "stopped"
    if actual == "exited" and current == "running":
        return State.FAILED, "running"
    if actual == "created" and "failed" in fields.word(row.get("status_msg")):
        return State.FAILED, "unknown"
    return state, bills


def _allowed(state: State) -> frozenset[Action]:
    match state:
        case State.GONE:
            return frozenset()
        case State.STOPPED:
            return frozenset({"start", "destroy"})
        case State.RUNNING | State.STARTING | State.QUEUED:
            return frozenset({"stop", "destroy"})
    return frozenset({"stop", "start", "destroy"})


def _running_rate(row: Row) -> Rate:
    """Return the price when running, disk included, as the vendor tells it; 0 is none."""
    price = _told(fields.row(row.get("search")).get("totalHour"), row.get("dph_total"))
    return Rate(price, "reported") if price else NO_RATE


def _stopped_rate(row: Row) -> Rate:
    """Return the price of the disk alone; a 0 is believed where no other figure says more."""
    reported = _told(row.get("storage_total_cost"), fields.row(row.get("search")).get("diskHour"))
    size, price = row.get("disk_space"), row.get("storage_cost")
    computed = stopped_rate(None, size, price, HOURS_PER_MONTH)
    return computed if computed.usd_per_hour and not reported else stopped_rate(reported)


def _billed(row: Row, state: State) -> float | None:
    """Return what the row says is billed now.

    A 0 is believed of a host that is offline, which is not charged, and of a row that is gone: any
    other 0 is a gap in the vendor's figures.
    """
    found = amount(fields.row(row.get("instance")).get("totalHour"))
    offline = fields.word(row.get("actual_status")) == "offline"
    if found is None or (found == 0 and not offline and state is not State.GONE):
        return None
    return found


def _volumes(row: Row) -> tuple[str, ...]:
    found = []
    for volume in fields.rows(row.get("volume_info")):
        name = fields.row(volume).get("label") or fields.row(volume).get("id")
        found.append(f"volume {fields.raw_word(name) or '(no name)'}")
    return tuple(found)


def _warnings(row: Row, state: State, bills: Bills) -> tuple[str, ...]:
    found = []
    raw = fields.raw_word(row.get("actual_status"))
    match state:
        case State.UNKNOWN:
            found.append(f'Vast says "{raw}", which boxtop does not know: assumed to bill')
        case State.UNREACHABLE if raw.lower() == "offline":
            found.append("its host is offline; Vast says it is not charged meanwhile")
        case State.UNREACHABLE:
            found.append("its host sends no sign of life: assumed to bill")
        case State.FAILED if bills == "running":
            found.append("its container has ended, and its GPUs go on billing")
        case State.QUEUED:
            found.append("waits for a free GPU: it may start, and bill, at any hour")
        case State.STOPPED if row.get("is_bid") is True:
            found.append("it is interruptible: a higher bid may have stopped it")
    if raw.lower() == "frozen":
        found.append("it is paused, and its GPUs go on billing")
    return tuple(found)


def _told(*values: object) -> float | None:
    """Return the first amount that is not 0, 0 where no other is told, None for no amount."""
    found = [one for one in map(amount, values) if one is not None]
    return next((one for one in found if one), 0.0 if found else None)
