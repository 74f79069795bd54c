"""A command of this machine as a pipe of bytes: the local follower, or the system's ssh."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence

READ_BYTES = 256 * 1024
KEPT_ERROR_BYTES = 4096
WRITE_SECONDS = 15.0
END_SECONDS = 2.0


class ProcessPipe:
    """A running process. One thread reads and writes; ``close`` may come from any thread."""

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> None:
        self._process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._input = self._process.stdin
        self._output = self._process.stdout
        self._error_output = self._process.stderr
        self._errors = b""
        self._errors_ended = False
        self._closed = threading.Event()
        for stream in (self._input, self._output, self._error_output):
            os.set_blocking(stream.fileno(), False)

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    @property
    def errors(self) -> str:
        """The end of what it wrote to its standard error."""
        self._drain_errors()
        return self._errors.decode("utf-8", "replace")

    @property
    def exit_status(self) -> int | None:
        """Its exit status, once it has ended."""
        return self._process.poll()

    def read(self, timeout: float) -> bytes:
        """Return what has come, b"" at the end or after ``close``; raises TimeoutError."""
        deadline = time.monotonic() + timeout
        while not self._closed.is_set():
            ready = self._wait(deadline, self._output.fileno(), select.POLLIN)
            if self._error_output.fileno() in ready:
                self._drain_errors()
            if self._output.fileno() in ready:
                with contextlib.suppress(BlockingIOError):
                    return os.read(self._output.fileno(), READ_BYTES)
            if time.monotonic() >= deadline and not self._closed.is_set():
                raise TimeoutError
        return b""

    def write(self, data: bytes) -> None:
        """Send input; a process that has ended takes none, which the next read tells.

        Raises TimeoutError when the process does not take it in time.
        """
        deadline = time.monotonic() + WRITE_SECONDS
        view = memoryview(data)
        while view and not self._closed.is_set():
            try:
                view = view[os.write(self._input.fileno(), view) :]
            except BlockingIOError:
                self._wait(deadline, self._input.fileno(), select.POLLOUT)
                if time.monotonic() >= deadline:
                    raise TimeoutError("the process takes no input") from None
            except OSError:
                return

    def kill(self) -> None:
        """End it and what it started at once, wherever they stand."""
        self._signal(signal.SIGKILL)

    def close(self) -> None:
        """End it by a signal, by a harder one where that is not enough; waits for nothing."""
        if self._closed.is_set():
            return
        self._closed.set()
        self._signal(signal.SIGTERM)
        threading.Thread(target=self._reap, daemon=True).start()

    def _signal(self, number: signal.Signals) -> None:
        """Signal the process and all of its own session, unless it has ended."""
        if self._process.poll() is None:
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, number)

    def _reap(self) -> None:
        """Wait for the end, and kill what does not end: the reader sees its output close."""
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(END_SECONDS)

    def _wait(self, deadline: float, descriptor: int, what: int) -> set[int]:
        """Wait for a descriptor or an error message; return what is ready."""
        poller = select.poll()
        poller.register(descriptor, what)
        if not self._errors_ended:
            poller.register(self._error_output.fileno(), select.POLLIN)
        pause = max(0.0, deadline - time.monotonic())
        return {ready for ready, _ in poller.poll(int(pause * 1000 + 0.999))}

    def _drain_errors(self) -> None:
        """Take what came on standard error: left lying, it would stop the process."""
        while not self._errors_ended:
            try:
                data = os.read(self._error_output.fileno(), READ_BYTES)
            except BlockingIOError:
                return
            except (OSError, ValueError):
                data = b""
            self._errors_ended = not data
            self._errors = (self._errors + data)[-KEPT_ERROR_BYTES:]
