"""From a change on the box until its bytes are here, with inotify and without, near and far."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext

from tests.bench.bench import Bench
from tests.bench.boxes import ROUND_TRIP, FarBox, far_box, near_box, plain_paramiko
from tests.bench.figures import Figure, median, percentile
from tests.bench.no_inotify import path_without_inotify
from tests.bench.run_files import RunFiles, stamp
from tests.sshd import SshServer
from tests.waiting import wait_until
from tui.boxes import SshTarget
from tui.facts import FileBytes, Settled
from tui.links.asking import RefusingAsker
from tui.links.base import FollowRequest
from tui.links.ssh.link import SshLink
from tui.runs import files

CHANGES_PER_SECOND = 8.0
TOLD = 0.010
UNTOLD = 0.300
Watch = Callable[[RunFiles, "Received"], AbstractContextManager[None]]


def measure(bench: Bench) -> Iterator[Figure]:
    """All at the same time: they are idle for the most part."""
    blind = path_without_inotify(bench.directory / "shim")
    with ExitStack() as stack:
        near = stack.enter_context(near_box(bench, "near"))
        far = stack.enter_context(far_box(bench))
        cases: list[tuple[str, float, AbstractContextManager[None], Watch]] = [
            ("loopback", TOLD, nullcontext(), lambda run, got: _following(near.target, run, got)),
            ("RTT 150 ms", ROUND_TRIP / 2 + TOLD, far.reachable(), _far(far)),
            ("SFTP", 0.0, nullcontext(), lambda run, got: _polling(bench, near, run, got)),
        ]
        if blind:
            slow = stack.enter_context(near_box(bench, "slow", {"PATH": blind}))
            target = slow.target
            cases.append(
                ("no inotify", UNTOLD, nullcontext(), lambda run, got: _following(target, run, got))
            )
        count = bench.repeats(160, 60)
        with ThreadPoolExecutor(len(cases)) as pool:
            runs = [RunFiles(bench.directory / f"box{i}" / "run1") for i in range(len(cases))]
            found = list(
                pool.map(
                    lambda pair: _latencies(pair[1], pair[0][2], pair[0][3], count),
                    zip(cases, runs, strict=True),
                )
            )
    polled = next(times for case, times in zip(cases, found, strict=True) if case[0] == "SFTP")
    for (name, limit, _, _), times in zip(cases, found, strict=True):
        if name != "SFTP":
            yield _figure(f"change → received p95, {name}", times, limit, polled)
    if not blind:
        yield Figure(
            "change → received p95, no inotify", failure="user namespaces are not permitted here"
        )


def _figure(what: str, times: list[float], limit: float, polled: list[float]) -> Figure:
    return Figure(
        what,
        "ms",
        percentile(times, 0.95) * 1e3,
        None,
        percentile(polled, 0.95) * 1e3,
        "SFTP stat a second",
        at_most=limit * 1e3,
        note=f"p50 {median(times) * 1e3:.3g} ms, longest {max(times) * 1e3:.3g} ms",
    )


class Received:
    """When each numbered change came, in seconds after it was made."""

    def __init__(self) -> None:
        self.ready = threading.Event()
        self.times: dict[int, float] = {}
        self._torn = b""

    def take(self, data: bytes) -> None:
        """Take the next bytes of metrics.jsonl."""
        now = stamp()
        *lines, self._torn = (self._torn + data).split(b"\n")
        for line in lines:
            row = json.loads(line)
            self.times[row["epoch"]] = now - row["at"]


def _latencies(
    run: RunFiles, place: AbstractContextManager[None], watch: Watch, count: int
) -> list[float]:
    chance = random.Random(count)
    run.write(0)
    received = Received()
    with place, watch(run, received):
        wait_until(lambda: received.ready.is_set(), what="the box is followed")
        for number in range(1, count + 1):
            time.sleep(chance.uniform(0.2, 1.8) / CHANGES_PER_SECOND)
            run.append_metrics(json.dumps({"epoch": number, "at": stamp()}) + "\n")
        wait_until(lambda: len(received.times) == count, what="every change came")
    return list(received.times.values())


def _far(box: FarBox) -> Watch:
    return lambda run, received: _following(box.target, run, received)


@contextmanager
def _following(target: SshTarget, run: RunFiles, received: Received) -> Iterator[None]:
    """Follow a run with boxtop's link on a thread of its own."""
    link = SshLink(target, RefusingAsker())

    def follow() -> None:
        for fact in link.open(FollowRequest(roots=(str(run.directory.parent),))):
            if isinstance(fact, FileBytes) and fact.name == files.METRICS:
                received.take(fact.data)
            elif isinstance(fact, Settled):
                received.ready.set()

    thread = threading.Thread(target=follow)
    thread.start()
    try:
        yield
    finally:
        link.close()
        thread.join(10)


@contextmanager
def _polling(bench: Bench, server: SshServer, run: RunFiles, received: Received) -> Iterator[None]:
    """Ask SFTP every second whether the file grew."""
    over = threading.Event()
    path = str(run.directory / files.METRICS)

    def poll() -> None:
        with closing(plain_paramiko(bench, server)) as client:
            sftp = client.open_sftp()
            offset = 0
            received.ready.set()
            while not over.wait(1.0):
                size = sftp.stat(path).st_size or 0
                if size > offset:
                    with sftp.open(path) as source:
                        source.seek(offset)
                        data = source.read(size - offset)
                    offset += len(data)
                    received.take(data)

    thread = threading.Thread(target=poll)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(10)
