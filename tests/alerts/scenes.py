"""Boxes as they are seen one look after another, and what is told of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from tests.report.views import COMPLETED, DEAD, FAILED, NOW, RUNNING, run_view
from tui.actions.transfer import TransferView
from tui.alerts.event import Event
from tui.alerts.judge import Judge, Moment
from tui.alerts.memory import Memory
from tui.facts import Disk
from tui.money import Rate, Runway
from tui.rent import RentView
from tui.runs.mirror import decode, encode
from tui.runs.model import Run
from tui.view import BoxView, LinkView

LOOK = 5.0
LIVE = LinkView("live", 0.3)
OFFLINE = LinkView("offline", 400.0, "203.0.113.7 port 22: no answer within 10 s")
RUNS = {"running": RUNNING, "dead": DEAD, "failed": FAILED, "completed": COMPLETED}

__all__ = ["COMPLETED", "DEAD", "FAILED", "NOW", "RUNNING", "Disk", "Rate", "Runway"]


def run(verdict: str = "running", **changes: object) -> Run:
    """run12 of pid 4242, in a state."""
    base = msgspec.structs.replace(RUNNING, verdict=verdict, **changes)
    if verdict in ("completed", "failed") and "reported_state" not in changes:
        base = msgspec.structs.replace(base, reported_state=verdict)
    if verdict == "stalled" and "reason" not in changes:
        base = msgspec.structs.replace(base, reason="nothing new for 25:00")
    return base


def box(*runs: Run, link: LinkView = LIVE, disk: Disk | None = None, **changes: object) -> BoxView:
    """A box without a price, so that only runs are told of."""
    views = tuple(run_view(one, disk) for one in runs)
    view = BoxView(name="lab", target="root@203.0.113.7", link=link, runs=views)
    return replace(view, **changes)


def rent(**changes: object) -> RentView:
    """A running instance of Vast at $3.48 an hour."""
    base = RentView("vast", "1234", "lab", "running", "running", rate_now=Rate(3.48, "reported"))
    base = replace(base, listed_at=5.0, age_s=2.0)
    return replace(base, **changes)


class Scene:
    """Looks every five seconds, as the watcher does; a restart keeps what the file keeps."""

    def __init__(self, memory: Memory | None = None) -> None:
        self.wall, self.awake = NOW, 1000.0
        self.judge = Judge(memory or Memory(), "first")

    def see(
        self, *boxes: BoxView, seconds: float = 20.0, transfers: Sequence[TransferView] = ()
    ) -> list[Event]:
        """Look at the same for a time, and return what was told."""
        told: list[Event] = []
        for _ in range(max(1, round(seconds / LOOK))):
            self.wall += LOOK
            self.awake += LOOK
            moment = Moment(self.wall, self.awake)
            told += self.judge.look(boxes, transfers, moment)
        return told

    def sleep(self, seconds: float) -> None:
        """Close the laptop for a time."""
        self.wall += seconds

    def restart(self, after: float = 60.0) -> None:
        """Leave boxtop and start it again."""
        kept = decode(encode(self.judge.memory), Memory)
        self.wall += after
        self.awake = 7.0
        self.judge = Judge(kept, f"at {self.wall}")


def kinds(events: Sequence[Event]) -> list[str]:
    """What kinds were told, in order."""
    return [event.kind for event in events]
