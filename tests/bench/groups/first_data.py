"""From logged in to the first status row and to all that a first paint needs, a round trip away."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

from tests.bench.bench import Bench
from tests.bench.boxes import ROUND_TRIP, FarBox, far_box, plain_paramiko
from tests.bench.figures import Figure, median, noise
from tests.bench.run_files import RunFiles
from tui.facts import FileBegins, FileBytes, FileWhole
from tui.links.asking import RefusingAsker
from tui.links.base import Asker, FollowRequest
from tui.links.ssh import connection
from tui.links.ssh.hops import Plan
from tui.links.ssh.link import SshLink
from tui.links.ssh.parts import Parts
from tui.runs import files

EPOCHS = 5_000
LOG_BYTES = 199_000


def measure(bench: Bench) -> Iterator[Figure]:
    """One run of 5,000 epochs (860 kB) with a log of 200 kB."""
    lean, wide = (
        RunFiles(bench.directory / "lean" / "run1"),
        RunFiles(bench.directory / "w" / "run1"),
    )
    lean.write(EPOCHS, LOG_BYTES)
    wide.write(EPOCHS, LOG_BYTES, wide=True)
    with far_box(bench) as box, box.reachable(), ThreadPoolExecutor(1) as pool:
        # The plain reads wait for round trips all the time, so they may go on meanwhile.
        reading = [pool.submit(_plain_sftp, bench, box, lean) for _ in range(bench.repeats(2, 1))]
        looks = [_look(box, lean) for _ in range(bench.repeats(9, 4))]
        rows, paints = [look[0] for look in looks], [look[1] for look in looks]
        plain = [done.result() for done in reading]
        yield _figure("first status row", rows, at_most=2.5)
        yield _figure("full first paint, 1.06 MB", paints, plain, at_most=5.5)
        wider = [_look(box, wide)[1] for _ in range(bench.repeats(5, 2))]
        size = (wide.directory / files.METRICS).stat().st_size + LOG_BYTES
        yield _figure(f"  with rows of 600 B, {size / 1e6:.2g} MB", wider)


def _figure(
    what: str, times: list[float], plain: list[float] | None = None, at_most: float | None = None
) -> Figure:
    return Figure(
        what,
        "RTT",
        median(times) / ROUND_TRIP,
        noise(times),
        median(plain) / ROUND_TRIP if plain else None,
        "plain SFTP reads" if plain else "",
        at_most=at_most,
        ratio_at_most=1 / 30 if plain else None,
    )


def _look(box: FarBox, run: RunFiles) -> tuple[float, float]:
    """Seconds from logged in to the status and to the last byte of metrics and log."""
    wanted = {name: (run.directory / name).stat().st_size for name in (files.METRICS, files.LOG)}
    had: dict[str, int] = {}
    status = 0.0
    link = SshLink(box.target, RefusingAsker())
    with _logged_in() as logged_in, closing(link):
        for fact in link.open(FollowRequest(roots=(str(run.directory.parent),))):
            if isinstance(fact, FileWhole) and fact.name == files.STATUS:
                status = time.monotonic() - logged_in[0]
            elif isinstance(fact, FileBegins):
                had[fact.name] = fact.offset
            elif isinstance(fact, FileBytes):
                had[fact.name] = fact.offset + len(fact.data)
                if all(had.get(name) == size for name, size in wanted.items()):
                    return status, time.monotonic() - logged_in[0]
    raise AssertionError(f"only {had} of {wanted} came")


@contextmanager
def _logged_in() -> Iterator[list[float]]:
    """Note when the link has logged in."""
    at: list[float] = []
    original = connection.connect

    def timed(plan: Plan, asker: Asker, parts: Parts) -> connection.Connection:
        made = original(plan, asker, parts)
        at.append(time.monotonic())
        return made

    connection.connect = timed
    try:
        yield at
    finally:
        connection.connect = original


def _plain_sftp(bench: Bench, box: FarBox, run: RunFiles) -> float:
    """Seconds from logged in to the same files by SFTP, as paramiko reads them (8 kB a time)."""
    with (
        box.reachable(),
        closing(plain_paramiko(bench, box.server, box.address, box.port)) as client,
    ):
        began = time.monotonic()
        sftp = client.open_sftp()
        for name in (files.STATUS, files.METRICS, files.LOG):
            with sftp.open(str(run.directory / name)) as source:
                source.read()
        return time.monotonic() - began
