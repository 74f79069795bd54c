"""A peer that vanishes: packets are dropped, or a relay listens on and passes nothing."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, nullcontext

from tests.bench.bench import Bench
from tests.bench.boxes import far_box, introduce, near_box, ssh_command
from tests.bench.figures import Figure
from tests.bench.run_files import RunFiles
from tests.relay import Relay
from tests.waiting import wait_until
from tui.boxes import Box, SshTarget
from tui.links.asking import RefusingAsker
from tui.links.base import HEARTBEAT_SECONDS
from tui.watch import Fleet

NOTICED_SECONDS = 16.0
STALE_SECONDS = 2 * HEARTBEAT_SECONDS + 1.5
"""Two missed heartbeats, a second for the line, and the time between two looks."""


def measure(bench: Bench) -> Iterator[Figure]:
    """Both kinds at once, watched as the screen watches."""
    run = RunFiles(bench.directory / "runs" / "run1")
    run.write(10)
    with ExitStack() as stack:
        near = stack.enter_context(near_box(bench))
        relay = stack.enter_context(Relay(near.port))
        introduce(bench, near, f"[127.0.0.1]:{relay.port}")
        stalled = SshTarget("127.0.0.1", near.user, relay.port, (str(near.key.path),))
        cases: list[tuple[str, SshTarget, AbstractContextManager[None], Callable[[], None]]] = [
            ("relay silent", stalled, nullcontext(), relay.stall)
        ]
        far = stack.enter_context(far_box(bench))
        if far.network is not None:
            cases.append(("packets dropped", far.target, far.reachable(), far.network.vanish))
        ssh = _system_ssh(bench, relay.port)
        with ThreadPoolExecutor(len(cases) + 1) as pool:
            theirs = pool.submit(_end_of, ssh)
            found = list(
                pool.map(lambda case: _noticed(bench, run, case[1], case[2], case[3]), cases)
            )
            ended = theirs.result()
    for (name, *_), (stale, lost, _) in zip(cases, found, strict=True):
        yield Figure(f"badge stale, {name}", "s", stale, at_most=STALE_SECONDS)
        yield Figure(
            f"vanished peer noticed, {name}",
            "s",
            lost,
            None,
            ended - found[0][2],
            "ssh, ServerAliveInterval 5",
            at_most=NOTICED_SECONDS,
        )


def _noticed(
    bench: Bench,
    run: RunFiles,
    target: SshTarget,
    place: AbstractContextManager[None],
    vanish: Callable[[], None],
) -> tuple[float, float, float]:
    """Seconds until the badge says stale and until the link is given up, and when it vanished."""
    box = Box("gone", target.host, target, roots=(str(run.directory.parent),))
    data = bench.directory / f"data{threading.get_ident()}"
    with place:
        fleet = Fleet([box], RefusingAsker(), data)
    try:
        wait_until(lambda: _state(fleet) == "live" and fleet.boxes()[0].runs, what="the box lives")
        wait_until(lambda: (fleet.boxes()[0].link.age_s or 9) < 0.1, what="a sign of life")
        vanish()
        began = time.monotonic()
        wait_until(lambda: _state(fleet) == "stale", 30, "the badge turns stale")
        stale = time.monotonic() - began
        wait_until(lambda: fleet.boxes()[0].link.error is not None, 60, "the loss is noticed")
        return stale, time.monotonic() - began, began
    finally:
        fleet.close()


def _system_ssh(bench: Bench, port: int) -> subprocess.Popen[bytes]:
    """The system's ssh through the same relay, set to notice as soon as it may."""
    options = ["-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"]
    command, *rest = ssh_command(bench, port)
    process = subprocess.Popen(
        [command, *options, *rest, "echo ready; exec sleep 600"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def _end_of(process: subprocess.Popen[bytes]) -> float:
    process.wait(60)
    return time.monotonic()


def _state(fleet: Fleet) -> str:
    return fleet.boxes()[0].link.state
