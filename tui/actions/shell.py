"""Running a command on a box, whether or not a live link to it stands.

``run`` returns a pipe of bytes; every error is a LinkError. A large transfer has a connection of
its own: the live one is compressed, which weights never gain from, and its window is small.
"""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from tui.actions.errors import ActionError
from tui.boxes import LocalTarget, SshTarget, Target
from tui.links.base import Asker, LinkError
from tui.links.paramiko_import import import_paramiko
from tui.links.pipe import Pipe
from tui.links.process_pipe import ProcessPipe
from tui.links.ssh.config import ConfigFiles, resolve
from tui.links.ssh.hops import Plan
from tui.links.ssh.link import SshLink
from tui.links.ssh.openssh_needed import NeedsOpenSsh
from tui.links.ssh.parts import Closed, Parts

if TYPE_CHECKING:
    from tui.links.ssh.connection import Connection

OPENSSH_LANES = 4
"""OpenSSH's window for a session is 2 MB: far boxes need several to fill a line."""

FREED_SECONDS = (0.1, 0.2, 0.4)
"""A session that just ended takes a moment to be free again where there may be but one."""

Start = Callable[[str], Pipe]


class Shell(Protocol):
    """A box that commands can be run on, from any thread."""

    @property
    def lanes(self) -> int:
        """How many commands at once carry a large file fastest; right after the first ``run``."""
        ...

    def run(self, command_line: str, bulk: bool = False) -> Pipe:
        """Start a command line of the login shell; ``bulk`` says that much will come back.

        Raises LinkError, or Closed after ``close``.
        """
        ...

    def close(self) -> None:
        """End the connections that it opened, from any thread; blocks for nothing."""
        ...


class LocalShell:
    """This machine."""

    lanes = 1

    def __init__(self) -> None:
        self._parts = Parts()

    def run(self, command_line: str, bulk: bool = False) -> Pipe:
        """Start ``/bin/sh``."""
        self._parts.check()
        pipe = ProcessPipe(["/bin/sh", "-c", command_line])
        self._parts.add(pipe.close)
        return pipe

    def close(self) -> None:
        """End what still runs."""
        self._parts.close()


class HereShell(LocalShell):
    """This machine, where programs run with the python that runs us."""

    pythons = (sys.executable,)
    """Our own has the client of the Hub."""


class SshShell:
    """A box over SSH, with connections of its own: made when needed, and again when lost."""

    def __init__(self, target: SshTarget, asker: Asker, files: ConfigFiles | None = None) -> None:
        self._target = target
        self._asker = asker
        self._files = files or ConfigFiles.of_user()
        self._parts = Parts()
        self._lock = threading.Lock()
        self._connections: list[Connection] = []
        self._openssh: Start | None = None

    @property
    def lanes(self) -> int:
        """One with paramiko, whose window is large."""
        return OPENSSH_LANES if self._openssh is not None else 1

    def run(self, command_line: str, bulk: bool = False) -> Pipe:
        """Start a command; a server that refuses a further session gets a further connection."""
        self._parts.check()
        with self._lock:
            if self._openssh is None:
                pipe = self._run_with_paramiko(command_line)
                if pipe is not None:
                    return pipe
            assert self._openssh is not None
            start = self._openssh
        return start(command_line)

    def close(self) -> None:
        """End all connections."""
        self._parts.close()

    def _run_with_paramiko(self, command_line: str) -> Pipe | None:
        """Start a command; None when it takes the system's ssh, which ``_openssh`` starts then."""
        import_paramiko()
        from tui.actions.bulk_pipe import BulkPipe

        for seconds in FREED_SECONDS:
            self._connections = [each for each in self._connections if each.alive]
            for connection in self._connections:
                try:
                    return BulkPipe(connection, command_line)
                except LinkError as error:
                    if error.kind not in ("busy", "lost"):
                        raise
            if not self._connections or self._parts.wait(seconds):
                break
        try:
            return BulkPipe(self._connect(), command_line)
        except NeedsOpenSsh as need:
            self._use_openssh(resolve(self._target, self._files), str(need))
            return None

    def _connect(self) -> Connection:
        from tui.links.ssh.connection import connect

        parts = Parts()
        self._parts.add(parts.close)
        connection = connect(resolve(self._target, self._files), self._asker, parts, compress=False)
        self._connections.append(connection)
        return connection

    def _use_openssh(self, plan: Plan, reason: str) -> None:
        from tui.links.ssh.openssh import OpenSsh, SshPipe

        if shutil.which("ssh") is None:
            message = f"{plan.box.alias} needs OpenSSH's ssh, which is not installed ({reason})"
            raise LinkError("usage", message, "install the OpenSSH client")
        openssh = OpenSsh(self._target, plan, self._files)
        openssh.check_host(self._asker, self._parts)
        options = ["StrictHostKeyChecking=yes", "Compression=no"]
        self._openssh = lambda command_line: SshPipe(
            plan, openssh.arguments(options, command_line), self._parts
        )


class LinkShell:
    """A box whose live link runs small commands; large transfers get a connection of their own.

    So does everything where the link is down, or its server refuses a second session.
    """

    def __init__(self, link: SshLink, own: Shell) -> None:
        self._link = link
        self._own = own
        self._refused = False

    @property
    def lanes(self) -> int:
        """As the connections of its own have them."""
        return self._own.lanes

    def run(self, command_line: str, bulk: bool = False) -> Pipe:
        """Start a command on the live connection where that is possible."""
        if not bulk and not self._refused:
            try:
                return self._link.run(command_line)
            except Closed:
                pass
            except LinkError as error:
                if error.kind not in ("busy", "lost"):
                    raise
                self._refused = error.kind == "busy"
        return self._own.run(command_line, bulk)

    def close(self) -> None:
        """End the connections of its own; the link stays."""
        self._own.close()


def make_shell(
    target: Target, asker: Asker, link: object = None, files: ConfigFiles | None = None
) -> Shell:
    """Return a shell of a box, not connected yet; ``link`` is the live one where there is one.

    Raises ActionError("usage") for what runs no commands: a recording, a mirror.
    """
    match target:
        case SshTarget():
            own = SshShell(target, asker, files)
            return LinkShell(link, own) if isinstance(link, SshLink) else own
        case LocalTarget(mirror=False):
            return HereShell()
        case _:
            raise ActionError("usage", "a recording or a copy of a box runs no commands")
