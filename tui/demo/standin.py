"""The process that stands in for a training: it looks like one, and does nothing.

Its command line, pid, start time and open console log are real, so a watcher finds it in the
process table as it would find LibreYOLO.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

INTERRUPTED = 130
"""Exit code after SIGINT."""

_PROGRAM = """\
# Stands in for a training in boxtop's demo: waits until the demo lets go of it.
import sys
try:
    sys.stdin.read()
except KeyboardInterrupt:
    sys.exit(130)
"""


class StandIn:
    """A waiting ``libreyolo train …`` whose stdout and stderr are the console log."""

    def __init__(
        self, home: Path, arguments: Sequence[str], console: Path, environment: Mapping[str, str]
    ) -> None:
        program = home / ".demo" / "bin" / "libreyolo"
        if not program.exists():
            program.parent.mkdir(parents=True, exist_ok=True)
            program.write_text(_PROGRAM)
        with console.open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(program), "train", *arguments],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                cwd=home,
                env=dict(environment),
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """Its number in the process table."""
        return self._process.pid

    def ended(self) -> int | None:
        """The exit code, or None while it runs; a signal is a negative number."""
        return self._process.poll()

    def end(self, code: int = 0) -> None:
        """Let it exit by itself, or kill it when the recorded training died of a signal."""
        if code < 0:
            self._process.send_signal(signal.Signals(-code))
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()
