"""All groups of figures, in the order in which they are measured and shown."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from tests.bench.bench import Measure


@dataclass(frozen=True, slots=True)
class Group:
    """A file of ``tests.bench.groups``; a run of it ends after so many seconds, done or not."""

    name: str
    seconds: float
    quick_seconds: float
    about: str

    def load(self) -> Measure:
        """Import the group and return what measures it."""
        module = import_module(f"tests.bench.groups.{self.name}")
        return cast(_Module, module).measure


class _Module(Protocol):
    measure: Measure


GROUPS = (
    Group("connect", 60, 25, "connecting, against the system's ssh"),
    Group("first_data", 75, 40, "first status and first paint over 150 ms, against SFTP reads"),
    Group("latency", 60, 30, "a change on the box until it is received"),
    Group("fleet", 180, 80, "100 boxes: our CPU and the boxes', against polling"),
    Group("vanished", 40, 40, "a peer that vanishes: noticed, and the badge before"),
    Group("torture", 240, 60, "kills of either side: lines lost and repeated"),
    Group("charts", 75, 40, "drawing charts, and the screen that shows them"),
    Group("log_pane", 90, 40, "a log of 1,000 lines a second on the screen"),
    Group("idle", 60, 30, "the screen of three quiet boxes"),
    Group("one_shot", 75, 35, "boxtop status and --version, whole processes"),
    Group("first_paint", 60, 25, "from exec to the first screen"),
    Group("pull", 180, 75, "pulling a checkpoint, proven, against scp on the same line"),
    Group("hash", 60, 25, "hashing and checking a checkpoint in one reading"),
    Group("rewriter", 240, 75, "pulls while the checkpoint is rewritten in place"),
)


def chosen(names: list[str]) -> tuple[Group, ...]:
    """Return the named groups, or all. Raises ValueError for a name that is none."""
    known = {group.name: group for group in GROUPS}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no such group: {', '.join(unknown)} (there are {', '.join(known)})")
    return tuple(known[name] for name in names) if names else GROUPS
