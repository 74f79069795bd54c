"""An SFTP session on a connection that stands."""

from __future__ import annotations

from paramiko.sftp import SFTPError
from paramiko.sftp_client import SFTPClient
from paramiko.ssh_exception import SSHException

from tui.links.base import LinkError
from tui.links.ssh.connection import Connection

START_SECONDS = 5.0


def open_sftp(connection: Connection) -> SFTPClient:
    """Start SFTP in a session of its own; every later reply has a time limit of its channel's.

    Raises LinkError("no_exec") where there is none, "lost", or Closed.
    """
    channel = connection.open_session()
    address = connection.plan.box.address
    with connection.deadline(START_SECONDS):
        try:
            channel.settimeout(START_SECONDS)
            channel.invoke_subsystem("sftp")
            return SFTPClient(channel)
        except (SSHException, SFTPError, EOFError, OSError) as error:
            if not connection.alive:
                raise connection.lost(error) from error
            raise LinkError("no_exec", f"{address} offers no SFTP") from error
