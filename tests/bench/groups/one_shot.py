"""The quick verbs as whole processes, against bare Python and a bare paramiko script."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.bench.bench import Bench
from tests.bench.boxes import near_box
from tests.bench.commands import Times, interleaved
from tests.bench.figures import Figure, median, noise
from tests.bench.run_files import RunFiles
from tests.sshd import SshServer
from tui.runs import files

EPOCHS = 100
BARE_SCRIPT = """\
import sys
import paramiko
host, port, user, key, known_hosts, path = sys.argv[1:]
client = paramiko.SSHClient()
client.load_host_keys(known_hosts)
client.connect(host, int(port), user, key_filename=key, allow_agent=False, look_for_keys=False)
_, output, _ = client.exec_command("cat " + path)
sys.stdout.buffer.write(output.read())
client.close()
"""


def measure(bench: Bench) -> Iterator[Figure]:
    """A run of 100 epochs, on this machine and on a box."""
    run = RunFiles(bench.directory / "runs" / "run1")
    run.write(EPOCHS, 20_000, wide=True)
    (boxtop,) = bench.boxtop()
    python = sys.executable
    with near_box(bench) as server:
        times = interleaved(
            {
                "version": [boxtop, "--version"],
                "python": [python, "-c", "pass"],
                "status": [boxtop, "status", str(run.directory.parent), "--json"],
                "ssh": [boxtop, "status", f"ssh://{server.text}{run.directory.parent}", "--json"],
                "bare": _bare(bench, server, run.directory),
            },
            bench.repeats(15, 5),
        )
    yield _figure("boxtop --version", times["version"], times["python"], "python -c pass", 60)
    yield _figure("boxtop status DIR --json", times["status"], times["python"], "python", 150)
    yield _figure("boxtop status over ssh", times["ssh"], times["bare"], "bare paramiko", ratio=1.1)


def _figure(
    what: str,
    ours: Times,
    baseline: Times,
    baseline_is: str,
    at_most: float | None = None,
    ratio: float | None = None,
) -> Figure:
    return Figure(
        what,
        "ms",
        median(ours.wall) * 1e3,
        noise(ours.wall),
        median(baseline.wall) * 1e3,
        baseline_is,
        at_most,
        ratio,
        note=f"CPU {median(ours.cpu) * 1e3:.0f} against {median(baseline.cpu) * 1e3:.0f} ms",
    )


def _bare(bench: Bench, server: SshServer, run: Path) -> list[str]:
    script = bench.directory / "bare.py"
    script.write_text(BARE_SCRIPT)
    known_hosts = bench.home / ".ssh" / "known_hosts"
    return [
        *(sys.executable, str(script), "127.0.0.1", str(server.port), server.user),
        *(str(server.key.path), str(known_hosts), str(run / files.STATUS)),
    ]
