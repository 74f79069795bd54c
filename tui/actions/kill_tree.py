"""What the box tells of a training's processes, taken apart and believed in nothing unchecked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tui.actions.errors import ActionError

MOST = 1000


@dataclass(frozen=True, slots=True)
class Member:
    """One process of a training; ``start`` (clock ticks since boot) tells it from a later one.

    ``state`` is the letter of the process table, ``ignores`` whether SIGINT does nothing to it,
    None where that cannot be read. ``command`` is as the box has it, not yet clean.
    """

    pid: int
    start: int
    parent: int = 0
    session: int = 0
    state: str = "S"
    command: str = ""
    ignores: bool | None = None

    @property
    def key(self) -> tuple[int, int]:
        """What names it to the box."""
        return (self.pid, self.start)

    @property
    def stuck(self) -> bool:
        """Whether it waits in the kernel, where no signal reaches it: for a disk or a driver."""
        return self.state == "D"


@dataclass(frozen=True, slots=True)
class GpuMemory:
    """How much of one GPU's memory is in use, in bytes."""

    index: int
    used: int
    total: int


@dataclass(frozen=True, slots=True)
class Tree:
    """A training's processes: ``top`` is told to end first, ``training`` writes the status.

    ``kernel`` says that it runs inside a notebook, which is more than the training; ``orphans``
    that the training has ended and ``members`` are what it left. ``state`` is what the status says,
    ``at`` the box's time.
    """

    top: Member
    training: Member
    members: tuple[Member, ...]
    kernel: bool = False
    orphans: bool = False
    state: str | None = None
    gpus: tuple[GpuMemory, ...] = ()
    gpu_error: str | None = None
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What is there after signals: ``left`` lives, ``zombies`` have ended and are not reaped.

    ``members`` are the keys of all that ever belonged to it; ``status`` and ``error`` what the
    run's status says now; ``over`` that a notebook's training ended while the notebook lives.
    """

    left: tuple[Member, ...]
    zombies: tuple[int, ...] = ()
    members: tuple[tuple[int, int], ...] = ()
    state: str | None = None
    error: str | None = None
    over: bool = False
    gpus: tuple[GpuMemory, ...] = ()
    gpu_error: str | None = None


def tree_of(values: Mapping[str, Any]) -> Tree:
    """Take apart what ``look`` told. Raises ActionError("protocol")."""
    members = _members(values.get("members"))
    by_pid = {member.pid: member for member in members}
    top, training = by_pid.get(whole(values.get("top"))), by_pid.get(whole(values.get("training")))
    if top is None or training is None:
        raise ActionError("changed", "the training ended or changed while it was looked at")
    return Tree(
        top,
        training,
        members,
        kernel=values.get("kernel") is True,
        orphans=values.get("orphans") is True,
        state=_word(_status(values).get("state")),
        gpus=_gpus(values.get("gpus")),
        gpu_error=_word(values.get("error")),
        at=number_of(values.get("time")),
    )


def seen_of(values: Mapping[str, Any]) -> Seen:
    """Take apart what ``wait`` and ``left`` told. Raises ActionError("protocol")."""
    status = _status(values)
    zombies = values.get("zombies")
    keys = values.get("members")
    return Seen(
        _members(values.get("left")),
        tuple(one for one in zombies if type(one) is int) if isinstance(zombies, list) else (),
        tuple(_key(one) for one in keys[:MOST]) if isinstance(keys, list) else (),
        state=_word(status.get("state")),
        error=_word(status.get("error")),
        over=values.get("ended") is True,
        gpus=_gpus(values.get("gpus")),
        gpu_error=_word(values.get("error")),
    )


def outcomes_of(values: Mapping[str, Any]) -> dict[int, str]:
    """Take apart what ``signal`` told: ``sent``, ``gone`` or ``denied`` by pid."""
    rows = values.get("signals")
    found = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return {whole(row.get("pid")): str(row.get("outcome")) for row in found}


def _members(values: object) -> tuple[Member, ...]:
    if not isinstance(values, list):
        raise _nonsense()
    return tuple(_member(one) for one in values[:MOST])


def _member(values: object) -> Member:
    if not isinstance(values, dict):
        raise _nonsense()
    ignores = values.get("ignores")
    pid, start = _key([values.get("pid"), values.get("start")])
    return Member(
        *(pid, start, whole(values.get("parent")), whole(values.get("session"))),
        state=str(values.get("state"))[:1],
        command=str(values.get("command") or ""),
        ignores=ignores if isinstance(ignores, bool) else None,
    )


def _key(values: object) -> tuple[int, int]:
    match values:
        case [int(pid), int(start)] if 1 < pid < 1 << 31 and 0 <= start < 1 << 62:
            return (pid, start)
    raise _nonsense()


def _gpus(values: object) -> tuple[GpuMemory, ...]:
    found = []
    for one in values if isinstance(values, list) else ():
        if isinstance(one, dict):
            found.append(GpuMemory(*(whole(one.get(key)) for key in ("index", "used", "total"))))
    return tuple(found)


def _status(values: Mapping[str, Any]) -> Mapping[str, Any]:
    status = values.get("status")
    return status if isinstance(status, dict) else {}


def _word(value: object) -> str | None:
    return value if isinstance(value, str) else None


def whole(value: object) -> int:
    """Return a number that counts something; 0 for what is none."""
    return value if type(value) is int and 0 <= value < 1 << 62 else 0


def number_of(value: object) -> float:
    """Return a finite number; 0 for what is none."""
    if isinstance(value, int | float) and abs(value) < 1e12 and math.isfinite(value):
        return float(value)
    return 0.0


def _nonsense() -> ActionError:
    return ActionError("protocol", "the box told processes that cannot be read")
