"""The shape of a provider: its instances, what they cost, what can be done to them.

Money is US dollars, times are seconds since the epoch, sizes GB as the vendor counts them. Unknown
is None or ``NO_RATE``: never 0, never free.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol

from tui.boxes import SshTarget
from tui.money import NO_RATE, Rate, Source, Terms
from tui.providers.errors import ProviderError, ProviderKind

__all__ = [
    "NO_RATE",
    "NO_TERMS",
    "Account",
    "Action",
    "Address",
    "Capabilities",
    "Instance",
    "Listing",
    "Provider",
    "ProviderError",
    "ProviderKind",
    "Rate",
    "Reply",
    "Source",
    "State",
    "Terms",
]

Action = Literal["stop", "start", "destroy"]

NO_TERMS = Terms()
"""Nobody knows what a stop leaves."""


class State(StrEnum):
    """What an instance is doing; ``Instance.raw_state`` has the vendor's own word."""

    STARTING = "starting"
    QUEUED = "queued"
    """Asked to start and waiting for a GPU: it may begin to bill at any hour; a stop cancels it."""
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"
    UNREACHABLE = "unreachable"
    """The vendor itself does not reach it."""
    TERMINATING = "terminating"
    GONE = "gone"
    UNKNOWN = "unknown"
    """A word that is in no table of ours: assumed to bill."""


@dataclass(frozen=True, slots=True)
class Address:
    """One way in. ``alias`` is a host of the OpenSSH configuration.

    ``runs_commands`` is False for a gateway that has an interactive shell only: it cannot be
    watched through; ``note`` says what helps.
    """

    host: str
    port: int | None = None
    user: str | None = "root"
    kind: Literal["direct", "proxy", "alias"] = "direct"
    runs_commands: bool = True
    note: str | None = None

    @property
    def target(self) -> SshTarget:
        """The address as links take it."""
        return SshTarget(self.host, user=self.user, port=self.port)


@dataclass(frozen=True, slots=True)
class Instance:
    """One rented machine as its vendor tells it. ``id`` is always text, whatever the API sends.

    ``addresses`` are in the order to try. ``rate_now`` is what it bills at this moment;
    ``rate_assumed`` says that the state does not tell and the dearer case is taken. ``allowed`` is
    what the vendor says can be done now, None when it does not say. ``reason`` is the vendor's own
    text about the state. ``keeps`` says what outlives a stop and what bills on after a destroy.
    ``warnings`` are lines for people.
    """

    provider: str
    id: str
    name: str
    state: State
    raw_state: str = ""
    reason: str | None = None
    gpu_name: str | None = None
    gpu_count: int | None = None
    addresses: tuple[Address, ...] = ()
    rate_running: Rate = NO_RATE
    rate_stopped: Rate = NO_RATE
    rate_now: Rate = NO_RATE
    rate_assumed: bool = False
    contract_end: float | None = None
    disk_gb: float | None = None
    created_at: float | None = None
    keeps: Terms = NO_TERMS
    allowed: frozenset[Action] | None = None
    interruptible: bool | None = None
    hours_per_month: float | None = None
    usd_per_gb_in: float | None = None
    usd_per_gb_out: float | None = None
    warnings: tuple[str, ...] = ()

    @property
    def host_key_name(self) -> str:
        """The name its host key is kept under: addresses are given out again, ids are not."""
        return f"boxtop-{self.provider}-{self.id}"

    @property
    def watched_by(self) -> Address | None:
        """The first address that runs commands, None while there is none."""
        return next((address for address in self.addresses if address.runs_commands), None)


@dataclass(frozen=True, slots=True)
class Listing:
    """All instances of an account.

    ``complete`` is False when rows could not be read: what is not in such a list may still be
    there. ``warnings`` say which.
    """

    instances: tuple[Instance, ...]
    complete: bool = True
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Account:
    """``credit`` in dollars, None when the vendor does not tell; ``credit_field`` is the
    API's own name of it.

    ``reported_rate`` is what the vendor says the whole account bills per hour.
    """

    credit: float | None = None
    credit_field: str | None = None
    reported_rate: Rate = NO_RATE
    at_zero: str | None = None
    """What happens when the credit is used up, in words."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a provider can do at all. ``stop_note`` says what a stop means there, or why not.

    ``list_seconds`` is the least time between two lists that nobody asked for.
    """

    can_stop: bool = True
    can_start: bool = True
    can_destroy: bool = True
    has_logs: bool = False
    has_credit: bool = False
    stop_note: str | None = None
    destroy_note: str | None = None
    list_seconds: float = 20.0

    def can(self, action: Action) -> bool:
        """Whether the provider has this action."""
        return {"stop": self.can_stop, "start": self.can_start, "destroy": self.can_destroy}[action]


RefusedFor = Literal["capacity", "credit", "not_now", "auth", "rate", "other"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What the vendor said to a change. Only a later list says that it happened.

    ``unconfirmed``: the answer got lost or makes no sense; look again, never repeat by itself.
    ``queued``: refused for now, but kept by the vendor: it may still happen, and bill.
    """

    result: Literal["accepted", "refused", "unconfirmed"]
    message: str = ""
    hint: str | None = None
    why: RefusedFor | None = None
    queued: bool = False
    already: bool = False
    """Nothing was left to do: the instance was gone, or in that state, before."""
    retry_after_s: float | None = field(default=None, kw_only=True)


class Provider(Protocol):
    """One account. Every method may block for seconds, from any thread, and is safe in many.

    Reads raise ProviderError. Changes are sent once and never repeated: they return what the
    vendor said, and raise ProviderError only when certainly nothing was sent.
    """

    @property
    def name(self) -> str:
        """``vast``, ``runpod``, …: unique among the providers in use."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What can be done here at all; an instance's ``allowed`` may be less."""
        ...

    def list(self) -> Listing:
        """Return every instance of the account; an error is raised, never an empty list."""
        ...

    def get(self, id: str) -> Instance | None:
        """Return one instance, None when the vendor says that there is none."""
        ...

    def account(self) -> Account | None:
        """Return the credit, None where the vendor has no such thing."""
        ...

    def stop(self, id: str) -> Reply:
        """Release the GPUs; the disk goes on billing."""
        ...

    def start(self, id: str) -> Reply:
        """Ask for the GPUs again."""
        ...

    def destroy(self, id: str) -> Reply:
        """End the instance and its disk for good."""
        ...

    def logs(self, id: str, lines: int = 200) -> tuple[str, ...]:
        """Return the newest lines of the instance's log, cleaned."""
        ...

    def close(self) -> None:
        """End what waits, from any thread."""
        ...
