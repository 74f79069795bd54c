"""Whole processes, measured from exec to exit."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Times:
    """Wall and CPU seconds of each run of one command."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


def interleaved(commands: Mapping[str, Sequence[str]], repeats: int) -> dict[str, Times]:
    """Run commands in turn, each round in another order; the first round warms up.

    Raises AssertionError when one fails.
    """
    found = {name: Times() for name in commands}
    names = list(commands)
    for turn in range(repeats + 1):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            wall, cpu = _run(commands[name])
            if turn:
                found[name].wall.append(wall)
                found[name].cpu.append(cpu)
    return found


def _run(command: Sequence[str]) -> tuple[float, float]:
    began, before = time.monotonic(), _children_cpu()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    taken = time.monotonic() - began
    if done.returncode != 0:
        told = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        raise AssertionError(f"{' '.join(command)}: {told}")
    return taken, _children_cpu() - before


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
