"""What people see of a rented box: who bills it, how much, and for how long. Pure.

Money is US dollars an hour; unknown is None or ``NO_RATE``, never 0 and never free.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tui.money import NO_RATE, Rate, Runway

RentAction = Literal["stop", "start", "destroy"]

COMMAND = "command"
"""The provider of boxes with commands or prices of their own; an id is the box's name there."""

OFF = frozenset({"stopped", "stopping", "queued", "terminating", "gone"})
"""States in which nothing runs: a box that does not answer then is no trouble."""


@dataclass(frozen=True, slots=True)
class RentView:
    """What a box's provider tells of it.

    ``state`` is one of ``providers.base.State``, ``raw_state`` the vendor's own word; ``id`` is
    text. ``listed_at`` is the steady time of the list it stands in, ``age_s`` how old that is.
    ``contract_end`` and ``created_at`` are seconds since the epoch, ``credit`` US dollars under the
    vendor's name ``credit_field``; ``runway`` counts all boxes of the account, ``at_zero`` says
    what happens when it is over. ``error`` and ``hint`` say why the list is not newer.
    ``gone_maybe``: the newest list lacks it; ``gone``: two lists did. ``ended_here``: it is off,
    and boxtop itself stopped or destroyed it. ``can`` is what can be asked of the provider now,
    ``cannot`` why not.
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
    created_at: float | None = None
    disk_gb: float | None = None
    address: str | None = None
    credit: float | None = None
    credit_field: str | None = None
    runway: Runway | None = None
    at_zero: str | None = None
    listed_at: float | None = None
    age_s: float | None = None
    error: str | None = None
    hint: str | None = None
    gone_maybe: bool = False
    gone: bool = False
    ended_here: bool = False
    can: frozenset[RentAction] = frozenset()
    cannot: Mapping[RentAction, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def is_listed(self) -> bool:
        """Whether its provider told this now, and not in an earlier session."""
        return self.listed_at is not None

    @property
    def is_off(self) -> bool:
        """Whether nothing runs there, as its provider says."""
        return self.is_listed and (self.gone or self.state in OFF)

    @property
    def bills(self) -> bool:
        """Whether it costs anything now; what nobody knows is assumed to."""
        return not self.gone and self.rate_now.usd_per_hour != 0
