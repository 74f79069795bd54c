"""RunPod's pods: what a row of its REST v2 list says, and what the list does not tell.

Facts are from its OpenAPI file of v2 and its pages on prices. ``cost`` is what a pod bills now: 0.0
when it is stopped, although its volume goes on billing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from msgspec.structs import replace

from tui.money import DOCUMENTED, Rate, amount, hours_per_month, stopped_rate, usd_text
from tui.providers import fields
from tui.providers.base import NO_RATE, NO_TERMS, Action, Address, Instance, State, Terms
from tui.providers.fields import Row
from tui.text import said

HOURS_PER_MONTH = hours_per_month("runpod")


@dataclass(frozen=True, slots=True)
class StoragePrices:
    """Documented prices in dollars per GB and month; they promise nothing. ``as_of`` dates them."""

    stopped_volume: float = 0.20
    network_volume: float = 0.07
    as_of: str = "2026-11"


STATES: Mapping[str, State] = MappingProxyType(
    {
        "provisioning": State.STARTING,
        "starting": State.STARTING,
        "running": State.RUNNING,
        "exited": State.STOPPED,
        "error": State.FAILED,
        "terminated": State.GONE,
    }
)

_ACTIONS: Mapping[str, Action] = MappingProxyType(
    {"stop": "stop", "start": "start", "terminate": "destroy"}
)
NO_COMMANDS = (
    "RunPod's proxy is an interactive shell and runs no commands: expose TCP port 22 of the pod "
    "and use its public address"
)


def instance_of(
    row: Row, last_rate: float | None = None, prices: StoragePrices | None = None
) -> Instance | None:
    """Return the instance of a pod, None for one without an id that can be used.

    ``last_rate`` is what it billed when it was last seen running.
    """
    id = fields.ident(row.get("id"))
    if id is None:
        return None
    raw = fields.raw_word(row.get("status"))
    state = STATES.get(fields.word(row.get("status")), State.UNKNOWN)
    gpu = fields.row(row.get("gpu"))
    running = _running_rate(row, state, last_rate)
    stopped = _stopped_rate(row, prices or StoragePrices())
    now, assumed = _now(row, state, running, stopped)
    return Instance(
        provider="runpod",
        id=id,
        name=fields.text(row.get("name")) or id,
        state=state,
        raw_state=raw,
        gpu_name=fields.text(gpu.get("id"), 60),
        gpu_count=fields.whole(gpu.get("count")),
        addresses=addresses(row),
        rate_running=running,
        rate_stopped=stopped,
        rate_now=now,
        rate_assumed=assumed,
        disk_gb=_disk(row),
        created_at=fields.moment(row.get("createdAt")),
        keeps=_keeps(row, prices or StoragePrices()),
        allowed=_allowed(row),
        hours_per_month=HOURS_PER_MONTH,
        usd_per_gb_in=0.0,
        usd_per_gb_out=0.0,
        warnings=_warnings(row, state, raw),
    )


def addresses(row: Row) -> tuple[Address, ...]:
    """Return the ways in: the public port, then the proxy, which runs no commands."""
    ssh = fields.row(row.get("ssh"))
    found = []
    direct = _address(fields.row(ssh.get("direct")), "direct")
    if direct is None:
        direct = _mapped(row)
    if direct is not None:
        found.append(direct)
    proxy = _address(fields.row(ssh.get("proxy")), "proxy")
    if proxy is not None:
        found.append(proxy)
    return tuple(found)


def _address(ssh: Row, kind: str) -> Address | None:
    host, port = fields.host(ssh.get("host")), fields.port(ssh.get("port"))
    user = fields.ident(ssh.get("username"))
    if host is None:
        return None
    if kind == "proxy":
        return Address(host, port, user, "proxy", False, NO_COMMANDS)
    return Address(host, port, user or "root") if port is not None else None


def _mapped(row: Row) -> Address | None:
    """Return the public side of port 22 from the runtime's ports."""
    for entry in fields.rows(fields.row(row.get("runtime")).get("ports")):
        port = fields.row(entry)
        public, host = fields.port(port.get("public")), fields.host(port.get("ip"))
        if fields.whole(port.get("private")) == 22 and public is not None and host is not None:
            return Address(host, public)
    return None


def _running_rate(row: Row, state: State, last_rate: float | None) -> Rate:
    cost = amount(row.get("cost"))
    if cost and state is not State.STOPPED:
        return Rate(cost, "reported")
    return NO_RATE if last_rate is None else Rate(last_rate, "reported")


def _stopped_rate(row: Row, prices: StoragePrices) -> Rate:
    """Return what stays billed: the volume; the container's disk is wiped and free.

    A network volume bills by its size, which the pod does not tell: then nothing is known, as of a
    pod that does not tell its mounts, or of a kind of mount that is none of these.
    """
    if "mounts" not in row or not isinstance(row["mounts"], dict | None):
        return NO_RATE
    mounts = fields.row(row["mounts"])
    if any(mount for kind, mount in mounts.items() if kind != "persistent"):
        return NO_RATE
    persistent = mounts.get("persistent")
    if persistent is None:
        return Rate(0.0, "computed")
    size = fields.row(persistent).get("size")
    return stopped_rate(None, size, prices.stopped_volume, HOURS_PER_MONTH)


def _now(row: Row, state: State, running: Rate, stopped: Rate) -> tuple[Rate, bool]:
    """Return what is billed now, and whether that is an assumption."""
    cost = amount(row.get("cost"))
    match state:
        case State.STOPPED:
            return stopped, False
        case State.GONE:
            return (Rate(cost, "reported"), False) if cost is not None else (NO_RATE, False)
    if cost:
        return Rate(cost, "reported"), False
    return running, True


def _disk(row: Row) -> float | None:
    container = amount(row.get("disk"))
    volume = amount(fields.row(fields.row(row.get("mounts")).get("persistent")).get("size"))
    if container is None:
        return volume
    return container + (volume or 0.0)


def _keeps(row: Row, prices: StoragePrices) -> Terms:
    """Return what survives: a stop wipes all but the mounts."""
    if not isinstance(row.get("mounts"), dict | None) or "mounts" not in row:
        return NO_TERMS
    mounts = fields.row(row["mounts"])
    told = mounts.get("network")
    networks = [
        fields.row(one) for one in ([told] if isinstance(told, dict) else fields.rows(told))
    ]
    persistent = fields.row(mounts.get("persistent"))
    places = [mount.get("path") for mount in (persistent, *networks)]
    kept = tuple(path for path in places if isinstance(path, str) and path.startswith("/"))
    price = f"{usd_text(prices.network_volume)} a GB-month by the prices of {prices.as_of}"
    volumes = [f"network volume {fields.raw_word(one.get('volumeId')) or '?'}" for one in networks]
    return replace(
        DOCUMENTED["runpod"],
        kept=kept,
        outlives=tuple(f"{volume}, {price}" for volume in volumes),
        stop_note=_stop_note(kept, bool(persistent), prices),
    )


def _stop_note(kept: Sequence[str], has_volume: bool, prices: StoragePrices) -> str:
    """Say what a stop clears and what the volume costs then: a price that is documented alone."""
    if not kept:
        return "everything on it is cleared: no volume of it has a place that is known"
    cleared = f"all but {' and '.join(said(path, 80) for path in kept)} is cleared"
    if not has_volume:
        return cleared
    price = f"{usd_text(prices.stopped_volume)} a GB-month by the prices of {prices.as_of}"
    return f"{cleared}; its volume costs twice as much while stopped, {price}"


def _allowed(row: Row) -> frozenset[Action] | None:
    """Return what the pod's ``actions`` allow: the vendor tells which are legal now."""
    told = row.get("actions")
    if not isinstance(told, list):
        return None
    found = {_ACTIONS[name] for name in map(fields.word, told) if name in _ACTIONS}
    return frozenset(found - {"stop"} if row.get("locked") is True else found)


def _warnings(row: Row, state: State, raw: str) -> tuple[str, ...]:
    found = []
    if state is State.UNKNOWN:
        found.append(f'RunPod says "{raw}", which boxtop does not know: assumed to bill')
    if state is State.RUNNING and fields.whole(fields.row(row.get("gpu")).get("count")) == 0:
        found.append("it runs without a GPU")
    if row.get("locked") is True:
        found.append("it is locked: RunPod refuses to stop it")
    if state is State.RUNNING and not any(way.runs_commands for way in addresses(row)):
        found.append(NO_COMMANDS)
    if "mounts" in row and not fields.row(row["mounts"]):
        found.append("it has no volume: a stop deletes everything on it")
    return tuple(found)
