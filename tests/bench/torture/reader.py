"""Our side, to be killed at any moment: a Fleet that mirrors one box and says what it holds.

``python -m tests.bench.torture.reader HOST PORT USER KEY ROOT CONSOLE DATA``; each line on standard
input is answered with one line of JSON, its end ends the process.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path

from tui.boxes import Box, SshTarget
from tui.links.asking import RefusingAsker
from tui.runs.log import LogTail
from tui.runs.metrics import Metrics
from tui.view import BoxView
from tui.watch import Fleet


def held(view: BoxView) -> dict[str, object]:
    """What the screen would show of the only run."""
    found: dict[str, object] = {"link": view.link.state, "error": view.link.error}
    for run in view.runs:
        found |= summary(run.metrics, run.log, run.console)
    return found


def summary(metrics: Metrics, log: LogTail, console: LogTail) -> dict[str, object]:
    """Parsed content in short, to be compared with the same of the box's own files."""
    return {
        "epochs": len(metrics.epochs),
        "metrics": digest(map(str, metrics.epochs)),
        "bad_lines": metrics.bad_lines,
        "log": digest(log.lines),
        "console": digest(console.lines),
    }


def digest(lines: Iterable[str]) -> str:
    """The number of lines and their hash."""
    listed = list(lines)
    return f"{len(listed)} {hashlib.sha256(chr(10).join(listed).encode()).hexdigest()[:16]}"


def main() -> None:
    """Watch until standard input ends."""
    host, port, user, key, root, console, data = sys.argv[1:]
    target = SshTarget(host, user, int(port), (key,))
    box = Box("tortured", f"{host}:{port}", target, roots=(root,), console=console)
    fleet = Fleet([box], RefusingAsker(), Path(data))
    for _ in sys.stdin:
        (view,) = fleet.boxes()
        sys.stdout.write(json.dumps(held(view)) + "\n")
        sys.stdout.flush()
    fleet.close()


if __name__ == "__main__":
    main()
