"""Whole processes, measured from exec to exit."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping, Sequence


def seconds(command: Sequence[str]) -> float:
    """Run a command to its end; its wall time. Raises AssertionError when it fails."""
    began = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    taken = time.monotonic() - began
    if done.returncode != 0:
        told = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        raise AssertionError(f"{' '.join(command)}: {told}")
    return taken


def interleaved(commands: Mapping[str, Sequence[str]], repeats: int) -> dict[str, list[float]]:
    """Wall times of commands run in turn, each round in another order; one round warms up."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    names = list(commands)
    for turn in range(repeats + 1):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            taken = seconds(commands[name])
            if turn:
                times[name].append(taken)
    return times
