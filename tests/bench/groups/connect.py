"""Connecting and logging in, against the system's ssh: near by, and a wide-area network away."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import closing

from tests.bench.bench import Bench
from tests.bench.boxes import ROUND_TRIP, far_box, near_box, ssh_command, ssh_config
from tests.bench.figures import Figure, median, noise
from tui.boxes import SshTarget
from tui.links.asking import RefusingAsker
from tui.links.ssh.config import ConfigFiles, resolve
from tui.links.ssh.connection import connect
from tui.links.ssh.parts import Parts


def measure(bench: Bench) -> Iterator[Figure]:
    """Until logged in: no channel is open yet, on neither side of the comparison."""
    yield from _near(bench)
    yield from _far(bench)


def _near(bench: Bench) -> Iterator[Figure]:
    with near_box(bench) as server:
        files = ConfigFiles(bench.home, ssh_config(bench), openssh=True, system=None)
        ours, whole, theirs = [], [], []
        _our_connect(server.target, files)
        for _ in range(bench.repeats(25, 9)):
            ours.append(_our_connect(server.target, files))
            whole.append(_our_connect(server.target, files, resolving=True))
            theirs.append(_their_connect(ssh_command(bench, server.port)))
        baseline = median(theirs) * 1e3
        for what, times in (("connect, loopback", ours), ("  with ssh -G before it", whole)):
            yield Figure(
                what,
                "ms",
                median(times) * 1e3,
                noise(times),
                baseline,
                "ssh -v until Authenticated",
                ratio_at_most=0.65,
            )


def _far(bench: Bench) -> Iterator[Figure]:
    with far_box(bench) as box, box.reachable():
        files = ConfigFiles(bench.home, ssh_config(bench), openssh=True, system=None)
        command = ssh_command(bench, box.port, box.address)
        ours, theirs = [], []
        for _ in range(bench.repeats(7, 3)):
            ours.append((_our_connect(box.target, files) + box.handshake) / ROUND_TRIP)
            theirs.append((_their_connect(command) + box.handshake) / ROUND_TRIP)
        yield Figure(
            "connect, RTT 150 ms",
            "RTT",
            median(ours),
            noise(ours),
            median(theirs),
            "ssh",
            at_most=6.5,
            note="" if box.network else "TCP relay: one round trip added for the TCP handshake",
        )


def _our_connect(target: SshTarget, files: ConfigFiles, resolving: bool = False) -> float:
    """Seconds until boxtop is logged in; ``resolving`` counts reading the configuration too."""
    began = time.monotonic()
    plan = resolve(target, files)
    parts = Parts()
    with closing(parts):
        if not resolving:
            began = time.monotonic()
        connect(plan, RefusingAsker(), parts)
        return time.monotonic() - began


def _their_connect(command: list[str]) -> float:
    """Seconds from starting ssh until it says that it is logged in."""
    began = time.monotonic()
    with subprocess.Popen(
        [command[0], "-v", *command[1:], "true"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith(b"Authenticated to"):
                taken = time.monotonic() - began
                process.kill()
                return taken
    raise AssertionError("ssh did not log in")
