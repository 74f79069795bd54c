"""A ProxyCommand as a byte stream: a real socket to its standard input and output."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import tempfile

from tui.links.base import LinkError
from tui.text import one_line


class ProxyProcess:
    """A running ProxyCommand and the socket to it."""

    def __init__(self, command: str) -> None:
        self.socket, theirs = socket.socketpair()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        shell = os.environ.get("SHELL") or "/bin/sh"
        try:
            self._process = subprocess.Popen(
                [shell, "-c", f"exec {command}"],
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=self._errors,
                start_new_session=True,
            )
        except OSError as error:
            self.socket.close()
            raise LinkError(
                "usage", f"ProxyCommand does not start: {error}", "correct it in ~/.ssh/config"
            ) from error
        finally:
            theirs.close()

    @property
    def complaint(self) -> str | None:
        """The last line of the command's own error output, None when it said nothing."""
        try:
            self._errors.seek(0, os.SEEK_END)
            self._errors.seek(max(0, self._errors.tell() - 2000))
            lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        except ValueError:  # closed in the meantime
            return None
        return one_line(lines[-1], 200) if lines else None

    def close(self) -> None:
        """End the command and wait for it."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()
