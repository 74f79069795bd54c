"""SkyPilot's clusters through its program ``sky``, which is never imported.

``sky status -o json`` is asked to refresh: what it knows by itself is a cache. ``ssh CLUSTER``
works by the files that SkyPilot writes, so the address is an alias. It tells no prices.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tui.money import Terms
from tui.providers import fields
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
from tui.providers.command import reply_of
from tui.providers.errors import ProviderError
from tui.providers.listing import Pile, usable_id
from tui.providers.programs import Ran, run_program

STATUS_SECONDS = 90.0
ACTION_SECONDS = 600.0

STATES: Mapping[str, State] = MappingProxyType(
    {
        "init": State.STARTING,
        "pending": State.QUEUED,
        "up": State.RUNNING,
        "stopped": State.STOPPED,
        "autostopping": State.STOPPING,
    }
)
NO_STOP_ON = ("runpod", "lambda", "kubernetes")
"""Clouds that SkyPilot cannot stop a cluster on (``sky/clouds``)."""

_GPUS = re.compile(r"['\"]?([A-Za-z][A-Za-z0-9_.-]*)['\"]?\s*:\s*([0-9]{1,3})")


class SkyPilot:
    """The clusters that this machine's ``sky`` launched; it knows no others."""

    name = "skypilot"
    capabilities = Capabilities(
        stop_note="SkyPilot stops clusters on some clouds only; on RunPod and Lambda it cannot",
        destroy_note="sky down deletes the cluster and its disk",
        list_seconds=120.0,
    )

    def __init__(self, program: str = "sky") -> None:
        self._program = program

    def list(self) -> Listing:
        """Return all clusters. Raises ProviderError; the first call may start its server."""
        ran = self._run(["status", "--refresh", "-o", "json"], STATUS_SECONDS)
        if ran.status != 0:
            raise ProviderError("program", f"sky status failed: {ran.said or 'no answer in time'}")
        pile = Pile("skypilot", instance_of)
        pile.add(_clusters(ran.output))
        return pile.listing()

    def get(self, id: str) -> Instance | None:
        """Return one cluster, None when it is not in the list."""
        listing = self.list()
        found = next((one for one in listing.instances if one.id == id), None)
        if found is None and not listing.complete:
            raise ProviderError("protocol", f"sky status: {listing.warnings[0]}")
        return found

    def account(self) -> None:
        """Return nothing: the clouds bill, not SkyPilot."""
        return

    def stop(self, id: str) -> Reply:
        """Run ``sky stop``."""
        return self._act("stop", id)

    def start(self, id: str) -> Reply:
        """Run ``sky start``."""
        return self._act("start", id)

    def destroy(self, id: str) -> Reply:
        """Run ``sky down``, never with ``--purge``, which leaves machines behind that bill."""
        return self._act("down", id)

    def logs(self, id: str, lines: int = 200) -> tuple[str, ...]:
        """Raise ProviderError ``unsupported``."""
        message = "boxtop reads no logs of SkyPilot: its own program does"
        raise ProviderError("unsupported", message, f"sky logs {usable_id(id)}")

    def close(self) -> None:
        """Do nothing: the program ends by its time limit."""

    def _act(self, verb: str, id: str) -> Reply:
        return reply_of(self._run([verb, "-y", usable_id(id)], ACTION_SECONDS), f"sky {verb}:")

    def _run(self, arguments: Sequence[str], seconds: float) -> Ran:
        program = shutil.which(self._program)
        if program is None:
            hint = "pip install skypilot, or enabled = false in [providers.skypilot]"
            raise ProviderError("program", "there is no program sky here", hint)
        quiet = {"NO_COLOR": "1", "SKYPILOT_DISABLE_USAGE_COLLECTION": "1"}
        return run_program([program, *arguments], seconds, quiet)


def instance_of(row: fields.Row) -> Instance | None:
    """Return the instance of a cluster's record, None for one without a usable name."""
    name = fields.ident(row.get("name"))
    if name is None:
        return None
    raw = fields.raw_word(row.get("status"))
    state = STATES.get(raw.lower().removeprefix("clusterstatus."), State.UNKNOWN)
    gpu, count = _gpus(row)
    stops = not any(cloud in _cloud(row) for cloud in NO_STOP_ON)
    unknown = f'SkyPilot says "{raw}", which boxtop does not know: assumed to bill'
    return Instance(
        provider="skypilot",
        id=name,
        name=name,
        state=state,
        raw_state=raw,
        reason=fields.text(row.get("last_event")),
        gpu_name=gpu,
        gpu_count=count,
        addresses=(Address(name, None, None, "alias"),),
        rate_now=NO_RATE,
        rate_assumed=state in (State.UNKNOWN, State.STARTING),
        created_at=fields.moment(row.get("launched_at")),
        keeps=Terms(can_stop=stops, outlives=()),
        allowed=_allowed(state, stops),
        warnings=(unknown,) if state is State.UNKNOWN else (),
    )


def _allowed(state: State, stops: bool) -> frozenset[Action]:
    found: set[Action] = {"destroy"}
    if state is not State.RUNNING:
        found.add("start")
    if stops and state is not State.STOPPED:
        found.add("stop")
    return frozenset(found)


def _cloud(row: fields.Row) -> str:
    return f"{row.get('cloud') or ''} {row.get('resources_str') or ''}".lower()


def _gpus(row: fields.Row) -> tuple[str | None, int | None]:
    """Return GPU and count of ``accelerators``, an object or its text ``{'A100': 8}``."""
    told = row.get("accelerators")
    text = json.dumps(told) if isinstance(told, dict) else str(told or row.get("resources_str"))
    found = _GPUS.search(text)
    return (fields.text(found[1], 60), int(found[2])) if found else (None, None)


def _clusters(output: str) -> list[object]:
    """Return the records in what ``sky`` printed; it may print notices around the JSON."""
    starts = [found.start() for found in re.finditer(r"^\s*[\[{]", output, re.MULTILINE)]
    for start in starts:
        try:
            body, _ = json.JSONDecoder().raw_decode(output[start:].lstrip())
        except (ValueError, RecursionError):
            continue
        if isinstance(body, dict):
            body = body.get("clusters")
        if isinstance(body, list):
            return body
    raise ProviderError("protocol", "sky status: the answer holds no list of clusters")
