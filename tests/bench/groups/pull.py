"""Pulling a checkpoint, proven at both ends, against scp of the same file on the same line."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tests.bench.bench import Bench
from tests.bench.boxes import introduce, near_box, ssh_config
from tests.bench.figures import Figure, median, noise
from tests.bench.large_checkpoints import write_checkpoint
from tests.relay import Relay
from tests.sshd import SshServer
from tui.actions.progress import Progress
from tui.actions.pull import pull_one
from tui.actions.shell import SshShell
from tui.actions.snapshot import Rules
from tui.boxes import SshTarget
from tui.links.base import HostKeyQuestion

RATIO = 1 / 0.8
FAR = ((0.050, 64 << 20), (0.150, 32 << 20))
"""Round trips in seconds, and the size of what is pulled."""


@dataclass(frozen=True, slots=True)
class Line:
    """A way to the box with a checkpoint of ``size`` bytes in ``run``."""

    bench: Bench
    server: SshServer
    port: int
    run: Path
    size: int

    @property
    def target(self) -> SshTarget:
        """The box by this way."""
        return replace(self.server.target, port=self.port)


class Nobody:
    """Answers no question."""

    def accept_host_key(self, question: HostKeyQuestion) -> bool:
        """No."""
        return False

    def passphrase(self, key_path: str, attempt: int) -> str | None:
        """None."""
        return None


def measure(bench: Bench) -> Iterator[Figure]:
    """Loopback, where processors are the limit, and far boxes, where windows are."""
    with near_box(bench) as server:
        near = _line(bench, server, server.port, 256 << 20)
        yield from _figures(near, "on loopback")
        yield from _figures(near, "on loopback", openssh=True)
        for round_trip, size in FAR:
            with Relay(server.port, delay=round_trip / 2) as relay:
                introduce(bench, server, f"[127.0.0.1]:{relay.port}")
                line = _line(bench, server, relay.port, size)
                yield from _figures(line, f"over {round_trip * 1e3:.0f} ms")
                if round_trip < 0.1:
                    yield from _figures(line, f"over {round_trip * 1e3:.0f} ms", openssh=True)


def _line(bench: Bench, server: SshServer, port: int, size: int) -> Line:
    path = server.home / f"run{size}" / "weights" / "best.pt"
    real = path.stat().st_size if path.exists() else write_checkpoint(path, size)
    return Line(bench, server, port, path.parent.parent, real)


def _figures(line: Line, where: str, openssh: bool = False) -> Iterator[Figure]:
    whole, transfer, copies = [], [], []
    config = line.bench.home / ".ssh" / "config"
    for _ in range(line.bench.repeats(5, 2)):
        copies.append(_scp(line))
        settings = ssh_config(line.bench).read_text()
        if openssh:
            config.write_text(settings + "BindAddress 127.0.0.1\n")
        seconds, moving = _pull(line)
        config.write_text(settings)
        whole.append(seconds)
        transfer.append(moving)
    carrier = f"{where}, by ssh" if openssh else where
    rate = line.size / 1e6 / median(transfer)
    note = f"{line.size / 1e6:.0f} MB: {rate:.0f} MB/s, scp {line.size / 1e6 / median(copies):.0f}"
    yield _figure(f"bytes of a pull {carrier}", transfer, copies, RATIO, note)
    note = "with connecting, a copy, CRCs and hashes on the box, and CRCs and hashes here"
    bound = RATIO if line.port != line.server.port and not openssh else None
    yield _figure(f"whole pull {carrier}", whole, copies, bound, note)


def _figure(
    what: str, ours: list[float], scp: list[float], ratio: float | None, note: str
) -> Figure:
    return Figure(
        what, "s", median(ours), noise(ours), median(scp), "scp", ratio_at_most=ratio, note=note
    )


def _pull(line: Line) -> tuple[float, float]:
    """Return the seconds of a whole pull, and those in which its bytes came."""
    moments: list[float] = []

    def tell(progress: Progress) -> None:
        if progress.stage == "pulling":
            moments.append(time.monotonic())

    directory = line.bench.directory / "pulled"
    shell = SshShell(line.target, Nobody())
    began = time.monotonic()
    found = pull_one(shell, str(line.run), "best.pt", directory, tell=tell, rules=Rules(spare=0))
    taken = time.monotonic() - began
    shell.close()
    found.path.unlink()
    return taken, moments[-1] - moments[0]


def _scp(line: Line) -> float:
    copy = line.bench.directory / "copied"
    config = str(ssh_config(line.bench))
    source = f"127.0.0.1:{line.run}/weights/best.pt"
    command = ["scp", "-q", "-F", config, "-P", str(line.port), source, str(copy)]
    began = time.monotonic()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    taken = time.monotonic() - began
    copy.unlink()
    return taken
