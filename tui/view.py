"""What people see of a box: snapshots that a watcher publishes and screens, text and JSON read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from tui.facts import Disk, Gpu
from tui.rent import RentView
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

    @property
    def usd_per_hour(self) -> float | None:
        """What it bills now in US dollars an hour: its provider's word, else the person's own."""
        rent = self.rent
        if rent is not None and rent.is_listed and rent.rate_now.usd_per_hour is not None:
            return rent.rate_now.usd_per_hour
        return self.price_per_hour

    @property
    def is_off(self) -> bool:
        """Whether its provider says that nothing runs there, so that no answer is no trouble."""
        return self.rent is not None and self.rent.is_off
