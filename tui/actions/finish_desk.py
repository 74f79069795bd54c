"""What finish lines work with: watched boxes, transfers, and what ends an instance."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tui.actions.finish_line import Timing
from tui.actions.instance import InstanceActions
from tui.actions.instance_gate import Sight
from tui.actions.journal import Journal
from tui.actions.transfers import Transfers
from tui.config.settings import HubSettings
from tui.view import BoxView
from tui.watch.fleet import Fleet

TIMING = Timing()


class Boxes(Protocol):
    """What is watched."""

    def box(self, name: str) -> BoxView | None:
        """One box at this moment, None when no box has that name."""
        ...

    def has_told(self, name: str) -> bool:
        """Whether the first search of a box is complete."""
        ...


@dataclass(frozen=True)
class FinishDesk:
    """What finish lines need. Without ``actions`` none can end an instance.

    ``sight`` returns how the gate looks at a box, by its name. Pulls go below ``folder``.
    """

    boxes: Boxes
    transfers: Transfers
    hub: HubSettings
    actions: InstanceActions | None = None
    sight: Callable[[str], Sight] | None = None
    journal: Journal | None = None
    folder: Path = field(default_factory=Path.cwd)
    timing: Timing = field(default_factory=lambda: TIMING)
    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time


class FleetBoxes:
    """The boxes of a fleet."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    def box(self, name: str) -> BoxView | None:
        """One box at this moment, None when no box has that name."""
        return self._fleet.box(name)

    def has_told(self, name: str) -> bool:
        """Whether the first search of a box is complete."""
        watched = self._fleet.watched(name)
        return watched is not None and watched[0].settled
