"""What people see of a box: snapshots that a watcher publishes and screens, text and JSON read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from tui.facts import Disk, Gpu
from tui.money import NO_RATE, Rate, Runway
from tui.runs.log import LogTail
from tui.runs.metrics import Metrics
from tui.runs.model import Run

LinkState = Literal["live", "stale", "connecting", "offline", "refused"]


@dataclass(frozen=True, slots=True)
class LinkView:
    """How a box is reached: ``age_s`` since its last sign of life, ``error`` what went wrong.

    ``hint`` is the next step for a person; ``attempt`` counts reconnects since the link was live;
    ``retry_in_s`` is the time to the next attempt, None when it waits for a person.
    """

    state: LinkState
    age_s: float | None = None
    error: str | None = None
    hint: str | None = None
    attempt: int = 0
    retry_in_s: float | None = None


@dataclass(frozen=True, slots=True)
class PendingView:
    """A push that was begun ``at`` a time of this machine, and whose end nobody has seen yet."""

    to: str
    names: tuple[str, ...]
    at: float
    age_s: float = 0.0

    def seen_at(self, now: float) -> PendingView:
        """Return it with its age at a moment."""
        return replace(self, age_s=max(0.0, now - self.at))


@dataclass(frozen=True, slots=True)
class RunView:
    """A run with its history; ``metrics`` and the logs are shared, read-only for views.

    ``pending`` are its pushes that have not ended, as far as this machine knows.
    """

    run: Run
    metrics: Metrics
    log: LogTail
    console: LogTail
    console_path: str | None = None
    disk: Disk | None = None
    disk_full_in_s: float | None = None
    pending: tuple[PendingView, ...] = ()


RentAction = Literal["stop", "start", "destroy"]


@dataclass(frozen=True, slots=True)
class RentView:
    """What a box's provider tells of it, as of ``age_s`` seconds ago.

    ``state`` is one of ``providers.base.State``, ``raw_state`` the vendor's own word; ``id`` is
    text. ``contract_end`` is seconds since the epoch, ``credit`` US dollars under the vendor's name
    ``credit_field``; ``runway`` counts all boxes of the account. ``error`` and ``hint`` say why the
    last list is not newer. ``gone_maybe``: the newest list lacks it; ``gone``: two lists did.
    ``can`` is what can be asked of the provider now, ``cannot`` why not.
    """

    provider: str
    id: str
    name: str
    state: str
    raw_state: str = ""
    reason: str | None = None
    gpu_name: str | None = None
    gpu_count: int | None = None
    rate_now: Rate = NO_RATE
    rate_running: Rate = NO_RATE
    rate_stopped: Rate = NO_RATE
    rate_assumed: bool = False
    contract_end: float | None = None
    disk_gb: float | None = None
    credit: float | None = None
    credit_field: str | None = None
    runway: Runway | None = None
    at_zero: str | None = None
    age_s: float | None = None
    error: str | None = None
    hint: str | None = None
    gone_maybe: bool = False
    gone: bool = False
    can: frozenset[RentAction] = frozenset()
    cannot: dict[RentAction, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BoxView:
    """One box at one moment. ``searched`` names the roots where runs were looked for.

    ``unsearched`` are the lines of those that a person asked for and that cannot be searched.
    """

    name: str
    target: str
    link: LinkView
    runs: tuple[RunView, ...] = ()
    gpus: tuple[Gpu, ...] = ()
    gpu_error: str | None = None
    load1: float | None = None
    cpus: int | None = None
    memory_used: int | None = None
    memory_total: int | None = None
    clock_skew_s: float | None = None
    searched: tuple[str, ...] = ()
    notices: tuple[str, ...] = field(default=())
    unsearched: tuple[str, ...] = ()
    price_per_hour: float | None = None
    rent: RentView | None = None
