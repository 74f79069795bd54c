"""One command on a demo box: a real process wired to one SSH channel."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from paramiko import Channel

_CHUNK = 32_768
_GRACE_SECONDS = 2.0
_LOOK_SECONDS = 0.25


class Execution:
    """Runs ``/bin/sh -c command`` in a process group of its own until it or the channel ends."""

    def __init__(
        self, channel: Channel, command: bytes, home: Path, environment: Mapping[str, str]
    ) -> None:
        self._channel = channel
        self._over = threading.Event()
        self.process = subprocess.Popen(
            [b"/bin/sh", b"-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=home,
            env=dict(environment),
            start_new_session=True,
        )

    def run(self) -> None:
        """Move bytes both ways, then report the exit status; returns when all is over."""
        process, channel = self.process, self._channel
        assert process.stdin and process.stdout and process.stderr
        _start(self._feed, process.stdin)
        errors = _start(self._drain, process.stderr, channel.sendall_stderr)
        self._drain(process.stdout, channel.sendall)
        errors.join()
        code = process.wait()
        self._over.set()
        with contextlib.suppress(OSError, EOFError):
            channel.send_exit_status(code if code >= 0 else 128 - code)
        channel.close()

    def end(self) -> None:
        """End the process group: SIGTERM, and SIGKILL to what is left after a moment."""
        if self.process.returncode is not None:  # waited for: its number may be another's now
            return
        self._signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_GRACE_SECONDS)
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    def _feed(self, stdin: IO[bytes]) -> None:
        with contextlib.suppress(OSError):
            while data := self._channel.recv(_CHUNK):
                stdin.write(data)
                stdin.flush()
        with contextlib.suppress(OSError):
            stdin.close()
        # After the client's end of file only a look now and then tells that it went away.
        while not self._channel.closed:
            if self._over.wait(_LOOK_SECONDS):
                return
        self.end()

    def _drain(self, pipe: IO[bytes], send: Callable[[bytes], None]) -> None:
        descriptor = pipe.fileno()
        try:
            while data := os.read(descriptor, _CHUNK):
                send(data)
        except (OSError, EOFError):
            self.end()
        finally:
            pipe.close()


def _start(work: Callable[..., None], *arguments: object) -> threading.Thread:
    thread = threading.Thread(target=work, args=arguments, daemon=True)
    thread.start()
    return thread
