"""A link that does what a test says: the trouble of networks without a network."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from tui.boxes import Box, SshTarget
from tui.clock import Clock
from tui.facts import Fact, Hello, RunFound, Settled
from tui.links.base import FollowRequest, LinkError

BOX = Box("lab", "root@203.0.113.7", SshTarget("203.0.113.7"), roots=("/root/runs",))
GREETING: tuple[Fact, ...] = (Hello("python", 1000.0, searched=("/root/runs",)), Settled(1000.0))
ONE_RUN: tuple[Fact, ...] = (
    GREETING[0],
    RunFound("/root/runs/run1", "run1", "/root/runs"),
    Settled(1000.0),
)
Step = LinkError | Exception | tuple[Fact, ...]


class ScriptedLink:
    """Plays one step: an error is raised, facts are yielded and the link then stays open."""

    def __init__(self, step: Step, opened: Callable[[FollowRequest], None]) -> None:
        self._step = step
        self._opened = opened
        self._closed = threading.Event()

    def open(self, request: FollowRequest) -> Iterator[Fact]:
        self._opened(request)
        if isinstance(self._step, Exception):
            raise self._step
        yield from self._step
        if not request.once:
            self._closed.wait()

    def close(self) -> None:
        self._closed.set()


class Script:
    """Makes one link a step; ``requests`` holds what each was asked. The last step repeats."""

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.requests: list[FollowRequest] = []
        self.links: list[ScriptedLink] = []

    def link(self, *_: object) -> ScriptedLink:
        step = self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]
        self.links.append(ScriptedLink(step, self.requests.append))
        return self.links[-1]


class HeldClock(Clock):
    """Clocks that move only when a test says so."""

    def __init__(self) -> None:
        self.now = 5000.0
        self.slept = 0.0

    def wall(self) -> float:
        return self.now

    def steady(self) -> float:
        return self.now

    def asleep(self) -> float:
        return self.slept
