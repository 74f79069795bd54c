"""A hundred boxes at once: what their links cost us, and what a follower costs a box."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import closing

from tests.bench.bench import Bench
from tests.bench.boxes import near_box, plain_paramiko
from tests.bench.figures import Figure
from tests.bench.processes import command, cpu_seconds, descendants, parents
from tests.bench.run_files import RunFiles
from tests.bench.updater import updating
from tests.sshd import SshServer
from tests.waiting import wait_until
from tui.facts import Beat, FileBytes
from tui.links.asking import RefusingAsker
from tui.links.base import FollowRequest
from tui.links.ssh.link import SshLink
from tui.runs import files

BOXES = 100
UPDATES_PER_SECOND = 50.0
POLL_SECONDS = 1.0
AT_ONCE = 16


def measure(bench: Bench) -> Iterator[Figure]:
    """First one quiet box, then a hundred busy ones, then the same by polling."""
    with near_box(bench) as server:
        yield _quiet_box(bench, server)
        runs = [RunFiles(bench.directory / f"box{number}" / "run1") for number in range(BOXES)]
        for run in runs:
            run.write(20, 2_000)
        seconds = float(bench.repeats(30, 10))
        streamed, theirs, received = _streaming(server, runs, seconds)
        polled = _polling(bench, server, runs, seconds)
    yield Figure(
        "100 boxes, 50 updates/s: our links",
        "% of a core",
        streamed * 100,
        None,
        polled * 100,
        "an exec of cat a second and box",
        at_most=5.0,
        ratio_at_most=1 / 3,
        note=f"{received:.0f} updates/s came; all 100 followers: {theirs * 100:.3g} % of a core",
    )


def _quiet_box(bench: Bench, server: SshServer) -> Figure:
    """A follower whose run lives but does not change, after it has settled."""
    run = RunFiles(bench.directory / "quiet" / "run1", os.getpid())
    run.write(200, 20_000)
    seconds = float(bench.repeats(60, 20))
    with _Links(server, [run]) as links:
        links.wait()
        (follower,) = followers(server)
        time.sleep(2.0)
        before = cpu_seconds(follower)
        time.sleep(seconds)
        used = (cpu_seconds(follower) - before) / seconds
    return Figure(
        "one quiet box: its follower",
        "% of a core",
        used * 100,
        at_most=0.05,
        note=f"over {seconds:g} s, with {len(parents())} processes in its /proc",
    )


def followers(server: SshServer) -> list[int]:
    """The followers' processes on a server."""
    return [
        pid
        for connection in server.connections()
        for pid in descendants(connection)
        if " -S -E -u -c " in command(pid)
    ]


class _Links:
    """Boxtop's links alone: no mirror, no parsing, no screen."""

    def __init__(self, server: SshServer, runs: list[RunFiles]) -> None:
        self._links = [SshLink(server.target, RefusingAsker()) for _ in runs]
        self._runs = runs
        self._ready = [threading.Event() for _ in runs]
        self._gate = threading.Semaphore(AT_ONCE)
        self.received = 0
        self._threads = [
            threading.Thread(target=self._follow, args=(number,), daemon=True)
            for number in range(len(runs))
        ]

    def __enter__(self) -> _Links:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for link in self._links:
            link.close()
        for thread in self._threads:
            thread.join(10)

    def wait(self) -> None:
        """Wait until every box is followed and has sent its first beat."""
        wait_until(lambda: all(event.is_set() for event in self._ready), 60, "all boxes answer")

    def _follow(self, number: int) -> None:
        request = FollowRequest(roots=(str(self._runs[number].directory.parent),))
        facts = self._links[number].open(request)
        with self._gate:
            next(facts)
        for fact in facts:
            if isinstance(fact, FileBytes) and fact.name == files.METRICS:
                self.received += 1
            elif isinstance(fact, Beat):
                self._ready[number].set()


def _streaming(
    server: SshServer, runs: list[RunFiles], seconds: float
) -> tuple[float, float, float]:
    """Our share of a core, all followers' share, and the updates received a second."""
    with _Links(server, runs) as links, updating(UPDATES_PER_SECOND, runs):
        links.wait()
        theirs = followers(server)
        before, theirs_before = links.received, [cpu_seconds(pid) for pid in theirs]
        ours = _share(seconds)
        used = sum(cpu_seconds(pid) for pid in theirs) - sum(theirs_before)
        return ours, used / seconds, (links.received - before) / seconds


def _polling(bench: Bench, server: SshServer, runs: list[RunFiles], seconds: float) -> float:
    """Our share of a core when every box is asked every second with an exec of its own."""
    over = threading.Event()
    ready = [threading.Event() for _ in runs]
    gate = threading.Semaphore(AT_ONCE)

    def poll(number: int) -> None:
        with gate:
            client = plain_paramiko(bench, server)
        with closing(client):
            ready[number].set()
            over.wait(random.random() * POLL_SECONDS)
            while not over.is_set():
                _, output, _ = client.exec_command(f"cat {runs[number].directory / files.METRICS}")
                output.read()
                over.wait(POLL_SECONDS)

    threads = [threading.Thread(target=poll, args=(number,)) for number in range(len(runs))]
    for thread in threads:
        thread.start()
    try:
        wait_until(lambda: all(event.is_set() for event in ready), 60, "all boxes are polled")
        with updating(UPDATES_PER_SECOND, runs):
            return _share(seconds)
    finally:
        over.set()
        for thread in threads:
            thread.join(10)


def _share(seconds: float) -> float:
    """The share of a core that this process uses for a while, its children's not."""
    before, began = os.times(), time.monotonic()
    time.sleep(seconds)
    after, ended = os.times(), time.monotonic()
    used = after.user + after.system - before.user - before.system
    return used / (ended - began)
