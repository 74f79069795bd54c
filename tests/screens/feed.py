"""A feed without boxes: canned views of a small fleet in every state that matters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from tests.screens.recorded import DATA, Recorded, log_of, recorded
from tui.boxes import Box
from tui.facts import Disk, Gpu
from tui.view import BoxView, LinkView

LIVE = LinkView("live", age_s=1.0)
GIB = 1 << 30


class CannedFeed:
    """Answers like a Fleet; a test changes ``views`` and publishes."""

    def __init__(self, views: Iterable[BoxView] = ()) -> None:
        self.views = list(views)
        self.reconnected: list[str | None] = []
        self.added: list[Box] = []
        self.reads = 0
        self.closed = False
        self.started = False
        self._subscribers: list[Callable[[str], None]] = []

    def boxes(self) -> tuple[BoxView, ...]:
        """The canned views."""
        self.reads += 1
        return tuple(self.views)

    def start(self) -> None:
        """Remember that the screen is there."""
        self.started = True

    def subscribe(self, callback: Callable[[str], None]) -> None:
        """Remember whom to call."""
        self._subscribers.append(callback)

    def reconnect(self, name: str | None = None) -> None:
        """Remember the wish."""
        self.reconnected.append(name)

    def add(self, box: Box) -> None:
        """Take one more box, still without a word from it."""
        self.added.append(box)
        self.views.append(BoxView(box.name, box.text, LinkView("connecting")))
        self.publish(box.name)

    def close(self) -> None:
        """Remember that it is over."""
        self.closed = True

    def publish(self, name: str) -> None:
        """Say that a box changed."""
        for subscriber in self._subscribers:
            subscriber(name)

    def put(self, view: BoxView) -> None:
        """Replace a box's view and say so."""
        self.views = [view if old.name == view.name else old for old in self.views]
        self.publish(view.name)


def gpu(
    index: int, name: str, util: float, used: float, total: float, celsius: float = 64.0
) -> Gpu:
    """A GPU; memory in GiB."""
    return Gpu(index, name, util, int(used * GIB), int(total * GIB), celsius, 4.1 * util)


def running() -> Recorded:
    """A run in the middle of a hundred epochs."""
    return recorded("yolo9t_long", "coco-9t", until=181.0)


def failed() -> Recorded:
    """A run that ran out of GPU memory, its traceback in the console log."""
    out_of_memory = (DATA / "cases" / "RUN-13" / "root_train.log").read_text().splitlines()
    base = recorded("sig_INT", "coco-9m", ago=760.0, alive=False)
    status = (base.evidence.status or b"").replace(b'"KeyboardInterrupt"', b'"OutOfMemoryError"')
    message = b'"message": "CUDA out of memory. Tried to allocate 1.50 GiB."'
    return base.but(status=status.replace(b'"message": ""', message), console=log_of(out_of_memory))


def dead() -> Recorded:
    """A run whose process was killed by the kernel."""
    base = recorded("yolo9t_killed", "drones-s", ago=2460.0, alive=False)
    return base.but(oom_kills=1)


def stalled() -> Recorded:
    """A run that writes nothing any more while its process lives."""
    return recorded("yolox_done", "pallets-x", until=9.0, ago=2100.0)


def completed() -> Recorded:
    """A run that stopped early, weights on disk."""
    return recorded("yolo9t_early", "helmets", ago=5400.0, alive=False)


def resumed() -> Recorded:
    """A run that was resumed and went to its end."""
    return recorded("yolo9t_resumed", "helmets-2", ago=9000.0, alive=False)


def starting() -> Recorded:
    """A run before its first epoch ends."""
    return recorded("yolo9t_long", "coco-9t-2", until=5.0, ago=95.0)


def small_fleet() -> list[BoxView]:
    """Eight boxes: well, in trouble, unreachable, refusing, and empty."""
    nearly_full = Disk("/workspace", free=19 * GIB, total=250 * GIB)
    return [
        BoxView(
            "vast-4090",
            "root@203.0.113.7:41022",
            LIVE,
            (running().view, completed().view, resumed().view),
            (gpu(0, "RTX 4090", 97, 17.1, 24),),
            load1=5.2,
            cpus=16,
            memory_used=41 * GIB,
            memory_total=126 * GIB,
            price_per_hour=0.44,
        ),
        BoxView(
            "runpod-h100",
            "root@198.51.100.20:22143",
            LIVE,
            (recorded("yolox_done", "visdrone-x", until=26.5, pace=240).view,),
            tuple(gpu(i, "H100 80GB", 88 + 3 * i, 61 + i, 80, 58.0) for i in range(2)),
            load1=22.4,
            cpus=52,
            memory_used=160 * GIB,
            memory_total=503 * GIB,
            price_per_hour=5.98,
        ),
        BoxView(
            "lambda-a10",
            "ubuntu@192.0.2.44",
            LIVE,
            (failed().view,),
            (gpu(0, "A10", 0, 0.4, 24, 31.0),),
            price_per_hour=0.75,
        ),
        BoxView(
            "vast-3090",
            "root@203.0.113.90:40110",
            LIVE,
            (replace(dead().view, disk=nearly_full),),
            (gpu(0, "RTX 3090", 0, 0.2, 24, 29.0),),
            price_per_hour=0.21,
        ),
        BoxView(
            "lab",
            "lab.example.org",
            LinkView("stale", age_s=31.0),
            (recorded("yolo9t_long", "pallets-t", until=96.0).view, starting().view),
            (gpu(0, "RTX A6000", 91, 33, 48),),
        ),
        BoxView(
            "hyperstack",
            "ubuntu@198.51.100.91",
            LinkView(
                "offline",
                age_s=734.0,
                error="198.51.100.91 port 22: no answer within 10 s",
                attempt=9,
                retry_in_s=24.0,
            ),
            (recorded("yolo9t_long", "night-9t", until=140.0).view,),
            price_per_hour=1.10,
        ),
        BoxView(
            "old-box",
            "root@203.0.113.12:41999",
            LinkView(
                "refused",
                error="the host key of [203.0.113.12]:41999 has changed",
                hint="ssh-keygen -R '[203.0.113.12]:41999'",
            ),
        ),
        BoxView(
            "fresh",
            "root@203.0.113.77:40022",
            LIVE,
            gpus=(gpu(0, "RTX 4090", 0, 0.3, 24, 33.0),),
            searched=("/root/runs", "/workspace/runs"),
            price_per_hour=0.39,
        ),
    ]
