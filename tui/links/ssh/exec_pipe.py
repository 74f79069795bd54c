"""One command on the box as a pipe of bytes: its input, its output, and the end of its errors."""

from __future__ import annotations

import contextlib

from paramiko.channel import Channel
from paramiko.common import cMSG_CHANNEL_REQUEST
from paramiko.message import Message
from paramiko.ssh_exception import SSHException

from tui.links.base import LinkError
from tui.links.ssh.connection import Connection

READ_BYTES = 256 * 1024
KEPT_ERROR_BYTES = 4096
WRITE_SECONDS = 15.0
EARLY_PACKET_BYTES = 4096
"""A packet is handed on when all of it is there: small ones use TCP's short first window well."""

NO_EXEC_HINT = "boxtop needs a login that may run commands, or SFTP"


class ExecPipe:
    """A running command. One thread reads; ``write`` and ``close`` may come from another."""

    read_bytes = READ_BYTES

    def __init__(self, connection: Connection, command: str) -> None:
        self._connection = connection
        self._channel = connection.open_session(may_guess=True)
        self._errors = b""
        self._request(self._channel, command)

    def _request(self, channel: Channel, command: str) -> None:
        """Send the exec request and go on at once: input may follow in the same flight.

        A refusal closes the channel, which the first read sees; waiting for the reply as
        paramiko's own exec_command does costs a round trip.
        """
        request = Message()
        request.add_byte(cMSG_CHANNEL_REQUEST)
        request.add_int(channel.remote_chanid)
        request.add_string("exec")
        request.add_boolean(True)
        request.add_string(command)
        with self._connection.deadline(WRITE_SECONDS):
            try:
                self._connection.transport._send_user_message(request)
            except (SSHException, EOFError, OSError) as error:
                raise self._connection.lost(error) from error

    @property
    def errors(self) -> str:
        """The end of what the command wrote to its standard error."""
        self._drain_errors()
        return self._errors.decode("utf-8", "replace")

    @property
    def exit_status(self) -> int | None:
        """The command's exit status, once the box has told it."""
        return self._channel.exit_status if self._channel.exit_status_ready() else None

    def read(self, timeout: float) -> bytes:
        """Return what has come, b"" when the command has ended.

        Raises TimeoutError after ``timeout`` seconds of silence, LinkError("lost") when the
        connection broke, LinkError("no_exec") when the box refused to run the command, Closed when
        the link was closed.
        """
        self._drain_errors()
        self._channel.settimeout(timeout)
        received: bytes = self._channel.recv(self.read_bytes)
        self._drain_errors()
        if not received and not self._connection.alive:
            raise self._connection.lost(self._connection.transport.get_exception())
        if not received and self._channel.closed and not self._channel.event_ready:
            address = self._connection.plan.box.address
            raise LinkError("no_exec", f"{address} runs no commands", NO_EXEC_HINT)
        return received

    def write(self, data: bytes) -> None:
        """Send input; a command that has ended takes none, which the next read tells.

        Raises LinkError("lost") when it cannot be sent within WRITE_SECONDS.
        """
        step = EARLY_PACKET_BYTES if self._connection.transport.guessing else max(len(data), 1)
        with self._connection.deadline(WRITE_SECONDS):
            try:
                self._channel.settimeout(WRITE_SECONDS)
                for start in range(0, len(data), step):
                    self._channel.sendall(data[start : start + step])
            except (SSHException, EOFError, OSError) as error:
                if not (self._channel.closed and self._connection.alive):
                    raise self._connection.lost(error) from error

    def close(self) -> None:
        """End the command's input and the channel; a connection that is gone needs no farewell."""
        gone = (LinkError, SSHException, EOFError, OSError)
        with contextlib.suppress(*gone), self._connection.deadline(WRITE_SECONDS):
            self._channel.close()

    def _drain_errors(self) -> None:
        """Take what came on standard error: left lying, it would stop the output as well."""
        while self._channel.recv_stderr_ready():
            self._errors += self._channel.recv_stderr(READ_BYTES)
            self._errors = self._errors[-KEPT_ERROR_BYTES:]
