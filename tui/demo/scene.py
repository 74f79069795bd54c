"""What the demo shows: three boxes, one run that goes well, one that dies, some that are over."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tui.demo.gpus import GpuModel, Gpus
from tui.demo.player import Playback, Stage
from tui.demo.recorded import load

EPOCHS_DONE = 40
"""How many epochs the long run has behind it when the demo starts."""

PAUSE_SECONDS = 20.0
"""How long a completed run stays alone before its box starts the next one."""

KEPT_RUNS = 4
"""How many runs the busy box keeps; older ones are removed so that the demo stays small."""


@dataclass(frozen=True, slots=True)
class BoxPlan:
    """A box of the scene; GPU and price are made up."""

    name: str
    gpu: GpuModel
    gpu_count: int
    memory_used: int
    price_per_hour: float


A100 = BoxPlan("demo-a100", GpuModel("NVIDIA A100-SXM4-80GB", 81_920, 62, 400), 1, 18_310, 1.49)
RTX = BoxPlan("demo-4090", GpuModel("NVIDIA GeForce RTX 4090", 24_564, 22, 450), 1, 9_874, 0.44)
T4 = BoxPlan("demo-old", GpuModel("Tesla T4", 15_360, 9, 70), 1, 0, 0.15)
BOXES = (A100, RTX, T4)


class Scene:
    """Runs played on the boxes whose homes are given, until it is closed."""

    def __init__(
        self,
        homes: Mapping[str, Path],
        environments: Mapping[str, Mapping[str, str]],
        speed: float = 1.0,
    ) -> None:
        self._speed = speed
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._stages = {
            plan.name: Stage(
                homes[plan.name],
                environments[plan.name],
                Gpus(homes[plan.name], plan.gpu, plan.gpu_count, plan.memory_used),
            )
            for plan in BOXES
        }

    def start(self) -> None:
        """Write what is there from the first moment on, then go on in the background."""
        now = time.time()
        busy, dying, old = (self._stages[plan.name] for plan in BOXES)
        Playback(load("yolo9t_early"), old, "yolo9t-early").write_ended(now - 3 * 3600)
        Playback(load("yolox_done"), dying, "yolox-nano", console="yolox").write_ended(now - 1500)
        long = load("yolo9t_long")
        well = Playback(long, busy, "yolo9t", done=EPOCHS_DONE, speed=self._speed)
        ill = Playback(load("yolo9t_killed"), dying, "yolo9t-lr", speed=self._speed)
        for playback, follow in ((well, self._play_on), (ill, self._play_once)):
            playback.prepare(now)
            thread = threading.Thread(target=follow, args=(playback,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def close(self) -> None:
        """End every stand-in and the writing."""
        self._stop.set()
        for thread in self._threads:
            thread.join(5)

    def _play_once(self, playback: Playback) -> None:
        try:
            playback.play(self._stop)
        finally:
            playback.end()

    def _play_on(self, playback: Playback) -> None:
        """Play the long run again and again, each time from the start in a new directory."""
        stage = self._stages[A100.name]
        number = 1
        while True:
            self._play_once(playback)
            if self._stop.wait(PAUSE_SECONDS / self._speed):
                return
            number += 1  # LibreYOLO glues the number to the name: yolo9t, yolo9t2, yolo9t3
            playback = Playback(load("yolo9t_long"), stage, f"yolo9t{number}", speed=self._speed)
            playback.prepare(time.time())
            for path in _oldest(stage.home / "runs"):
                shutil.rmtree(path)


def _oldest(runs: Path) -> list[Path]:
    by_age = sorted(runs.iterdir(), key=lambda path: path.stat().st_ctime)
    return by_age[:-KEPT_RUNS]
