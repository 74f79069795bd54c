"""A small real SSH server on loopback: one box of the demo.

It lets in one user with one key, runs commands, and offers nothing else: no password, no
terminal, no forwarding.
"""

from __future__ import annotations

import contextlib
import shlex
import socket
import threading
from collections.abc import Mapping
from pathlib import Path

import paramiko
from paramiko.common import (
    AUTH_FAILED,
    AUTH_SUCCESSFUL,
    OPEN_FAILED_ADMINISTRATIVELY_PROHIBITED,
    OPEN_SUCCEEDED,
)

from tui.demo.environment import USER
from tui.demo.execution import Execution

NO_SHELL = (
    "This is one of boxtop's demo boxes: it runs commands, but it has no shell to log in to.\r\n"
)
_REPLY_SECONDS = 1.0


class BoxServer:
    """The SSH server of one box; commands run in ``home`` with ``environment``."""

    def __init__(
        self,
        home: Path,
        environment: Mapping[str, str],
        host_key: paramiko.PKey,
        client_key: paramiko.PKey,
    ) -> None:
        self.home = home
        self.environment = environment
        self.client_key = client_key
        self._host_key = host_key
        self._lock = threading.Lock()
        self._connections: set[_Connection] = set()
        self._executions: set[Execution] = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._open = True

    @property
    def port(self) -> int:
        """The port it listens on; connections wait until ``start``."""
        return int(self._listener.getsockname()[1])

    @property
    def host_key_line(self) -> str:
        """The server's line for known_hosts."""
        key = self._host_key
        return f"[127.0.0.1]:{self.port} {key.get_name()} {key.get_base64()}"

    def start(self) -> None:
        """Begin to answer."""
        threading.Thread(target=self._accept, name=f"accept-{self.port}", daemon=True).start()

    def close(self) -> None:
        """Stop listening, drop every connection, end every command."""
        self._open = False
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes accept()
        self._listener.close()
        with self._lock:
            connections, executions = list(self._connections), list(self._executions)
        for connection in connections:
            connection.close()
        for execution in executions:
            execution.end()

    def _accept(self) -> None:
        while self._open:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = _Connection(peer, self)
            connection.add_server_key(self._host_key)
            with self._lock:
                self._connections = {each for each in self._connections if each.is_active()}
                self._connections.add(connection)
            # An event instead of waiting here: a client that says nothing delays no other.
            connection.start_server(event=threading.Event(), server=_Door(self, connection))

    def run(self, channel: paramiko.Channel, command: bytes, replied: threading.Event) -> None:
        """Run one command to its end, on a thread of its own."""
        replied.wait(_REPLY_SECONDS)
        try:
            execution = Execution(channel, command, self.home, self.environment)
        except OSError:  # the box is being taken down
            channel.close()
            return
        with self._lock:
            self._executions.add(execution)
        if not self._open:
            execution.end()
        execution.run()
        with self._lock:
            self._executions.discard(execution)


class _Connection(paramiko.Transport):
    """A transport that tells when the answer to a request has been sent.

    paramiko asks its server object first and answers the client afterwards; a quick command must
    not send its output and end before that answer.
    """

    def __init__(self, peer: socket.socket, server: BoxServer) -> None:
        super().__init__(peer)
        self.box = server
        self.unanswered: list[threading.Event] = []

    def _send_user_message(self, data: paramiko.Message) -> None:
        super()._send_user_message(data)  # type: ignore[misc]  # private: not in the stubs
        if self.unanswered and threading.current_thread() is self:
            self.unanswered.pop().set()


class _Door(paramiko.ServerInterface):
    """What a client may do."""

    def __init__(self, server: BoxServer, connection: _Connection) -> None:
        self._server = server
        self._connection = connection

    def get_allowed_auths(self, username: str) -> str:
        return "publickey"

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        if username == USER and key == self._server.client_key:
            return AUTH_SUCCESSFUL
        return AUTH_FAILED

    def check_channel_request(self, kind: str, chanid: int) -> int:
        if kind == "session":
            return OPEN_SUCCEEDED
        return OPEN_FAILED_ADMINISTRATIVELY_PROHIBITED

    def check_channel_exec_request(self, channel: paramiko.Channel, command: bytes) -> bool:
        self._on_thread(channel, command)
        return True

    def check_channel_shell_request(self, channel: paramiko.Channel) -> bool:
        self._on_thread(channel, f"printf %s {shlex.quote(NO_SHELL)} >&2; exit 1".encode())
        return True

    def _on_thread(self, channel: paramiko.Channel, command: bytes) -> None:
        self._connection.accept(0)  # paramiko queues each channel for accept(): take it off
        replied = threading.Event()
        self._connection.unanswered.append(replied)
        threading.Thread(
            target=self._server.run, args=(channel, command, replied), daemon=True
        ).start()
