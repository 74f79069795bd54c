"""An account that exists in this process only, so that every key can be tried without harm.

Its boxes, prices and times are made up; the same calls at the same times give the same states.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from tui.clock import Clock
from tui.money import Rate, Terms, rate_now
from tui.providers.base import (
    Account,
    Action,
    Address,
    Capabilities,
    Instance,
    Listing,
    Reply,
    State,
)
from tui.providers.errors import ProviderError

STOP_SECONDS = 4.0
START_SECONDS = 6.0
DESTROY_SECONDS = 5.0
CREDIT = 25.0


@dataclass(frozen=True, slots=True)
class DemoBox:
    """A box of the demo. ``gpu_taken`` refuses its first start, as busy hosts do."""

    name: str
    gpu_name: str
    gpu_count: int
    price: float
    disk_gb: float
    stopped_price: float
    gpu_taken: bool = False
    addresses: tuple[Address, ...] = ()


BOXES = (
    DemoBox("demo-a100", "NVIDIA A100-SXM4-80GB", 1, 1.49, 250, 0.0694),
    DemoBox("demo-4090", "NVIDIA GeForce RTX 4090", 1, 0.44, 100, 0.0274, gpu_taken=True),
    DemoBox("demo-old", "Tesla T4", 1, 0.15, 50, 0.0137),
)

_ALLOWED: dict[State, frozenset[Action]] = {
    State.RUNNING: frozenset({"stop", "destroy"}),
    State.STARTING: frozenset({"stop", "destroy"}),
    State.QUEUED: frozenset({"stop", "destroy"}),
    State.STOPPED: frozenset({"start", "destroy"}),
}


@dataclass(slots=True)
class _Life:
    """Where a box stands: ``state`` until ``ends``, then ``following``."""

    box: DemoBox
    id: str
    state: State = State.RUNNING
    following: State | None = None
    ends: float = 0.0
    refusals: int = 0
    log: list[str] = field(default_factory=list)


class Demo:
    """Three boxes: one does as it is told, one finds its GPU taken once, one is old and cheap."""

    name = "demo"
    capabilities = Capabilities(
        has_logs=True,
        has_credit=True,
        stop_note="a stop releases the GPUs; one of these boxes will not get them back at once",
        destroy_note="nothing real is deleted: these boxes exist in the demo only",
    )

    def __init__(self, boxes: Sequence[DemoBox] = BOXES, clock: Clock | None = None) -> None:
        self._clock = clock or Clock()
        self._lock = threading.Lock()
        self._born = self._clock.wall()
        self._lives = {box.name: _Life(box, box.name, refusals=int(box.gpu_taken)) for box in boxes}

    def list(self) -> Listing:
        """Return the boxes that are not destroyed."""
        with self._lock:
            lives = [life for life in self._lives.values() if self._now(life) is not State.GONE]
            return Listing(tuple(self._instance(life) for life in lives))

    def get(self, id: str) -> Instance | None:
        """Return one box, None when it is destroyed."""
        with self._lock:
            life = self._lives.get(id)
            if life is None or self._now(life) is State.GONE:
                return None
            return self._instance(life)

    def account(self) -> Account:
        """Return a credit that never gets less."""
        return Account(CREDIT, "credit", at_zero="nothing happens: it is a demo")

    def stop(self, id: str) -> Reply:
        """Stop a box, or cancel its queued start."""
        return self._act(id, "stop", State.STOPPING, State.STOPPED, STOP_SECONDS)

    def start(self, id: str) -> Reply:
        """Start a box; the one whose GPU is taken is queued the first time, until it is stopped."""
        with self._lock:
            life = self._lives.get(id)
            if life is not None and self._now(life) is State.STOPPED and life.refusals:
                life.refusals -= 1
                life.state, life.following = State.QUEUED, None
                life.log.append("start: no free GPU, queued")
                return Reply(
                    "refused",
                    "Required resources are currently unavailable, state change queued.",
                    "it stays queued and may start, and bill, at any hour: a stop cancels that",
                    "capacity",
                    queued=True,
                )
        return self._act(id, "start", State.STARTING, State.RUNNING, START_SECONDS)

    def destroy(self, id: str) -> Reply:
        """Destroy a box; one that is gone is accepted."""
        return self._act(id, "destroy", State.TERMINATING, State.GONE, DESTROY_SECONDS)

    def logs(self, id: str, lines: int = 200) -> tuple[str, ...]:
        """Return what was done to a box. Raises ProviderError ``usage`` for none of them."""
        with self._lock:
            life = self._lives.get(id)
            if life is None:
                raise ProviderError("usage", "there is no such box in the demo")
            return tuple(life.log[-lines:])

    def close(self) -> None:
        """Do nothing."""

    def _act(
        self, id: str, action: Action, during: State, following: State, seconds: float
    ) -> Reply:
        with self._lock:
            life = self._lives.get(id)
            if life is None:
                raise ProviderError("usage", "there is no such box in the demo")
            state = self._now(life)
            if state is State.GONE:
                if action == "destroy":
                    return Reply("accepted", "it is not there any more", already=True)
                return Reply("refused", "it is not there any more", None, "other")
            if action not in _ALLOWED.get(state, frozenset()):
                message = f"{action} is not possible while it is {state}"
                return Reply("refused", message, None, "not_now")
            life.state, life.following = during, following
            life.ends = self._clock.steady() + seconds
            life.log.append(f"{action}: accepted")
            return Reply("accepted")

    def _now(self, life: _Life) -> State:
        if life.following is not None and self._clock.steady() >= life.ends:
            life.state, life.following = life.following, None
        return life.state

    def _instance(self, life: _Life) -> Instance:
        state, box = self._now(life), life.box
        running, stopped = Rate(box.price, "reported"), Rate(box.stopped_price, "reported")
        idle = state in (State.STOPPED, State.QUEUED)
        return Instance(
            provider="demo",
            id=life.id,
            name=box.name,
            state=state,
            raw_state=str(state),
            gpu_name=box.gpu_name,
            gpu_count=box.gpu_count,
            addresses=box.addresses if state is State.RUNNING else (),
            rate_running=running,
            rate_stopped=stopped,
            rate_now=rate_now("stopped" if idle else "running", running, stopped),
            contract_end=self._born + 9 * 86400,
            disk_gb=box.disk_gb,
            created_at=self._born - 5 * 3600,
            keeps=Terms(True, ("/",)),
            allowed=_ALLOWED.get(state, frozenset()),
        )
