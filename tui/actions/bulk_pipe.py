"""A command's pipe for large output: a window that a far box can fill, and large packets."""

from __future__ import annotations

from paramiko.channel import Channel
from paramiko.ssh_exception import ChannelException, SSHException

from tui.links.base import LinkError
from tui.links.ssh.connection import CHANNEL_SECONDS, Connection
from tui.links.ssh.exec_pipe import ExecPipe

WINDOW_BYTES = 32 << 20
"""What a box may send ahead: 200 MB/s over 150 ms."""

PACKET_BYTES = 128 << 10
"""Packets of paramiko's usual 32 kB take three times as long to take apart."""


class BulkPipe(ExecPipe):
    """An ExecPipe whose session is opened at once or not at all."""

    read_bytes = 2 << 20

    def __init__(self, connection: Connection, command: str) -> None:
        """Raises LinkError: "busy" where the box refuses a further session, "lost"."""
        self._connection = connection
        self._errors = b""
        self._channel = _open(connection)
        self._request(self._channel, command)


def _open(connection: Connection) -> Channel:
    with connection.deadline(CHANNEL_SECONDS):
        try:
            return connection.transport.open_session(
                window_size=WINDOW_BYTES, max_packet_size=PACKET_BYTES, timeout=CHANNEL_SECONDS
            )
        except ChannelException as error:
            address = connection.plan.box.address
            raise LinkError("busy", f"{address} opens no further session (MaxSessions)") from error
        except (SSHException, EOFError, OSError) as error:
            raise connection.lost(error) from error
