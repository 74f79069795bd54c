"""The SSH link: a follower on a box, reached with paramiko or, where that cannot, with ssh."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tui.boxes import SshTarget
from tui.facts import Fact, Notice
from tui.links.base import Asker, FollowRequest, LinkError
from tui.links.noise import RUNPOD_HINT
from tui.links.paramiko_import import import_paramiko
from tui.links.pipe import FollowerPipe, Pipe
from tui.links.request import command, new_marker, prepare
from tui.links.ssh.config import ConfigFiles, resolve
from tui.links.ssh.hops import Plan
from tui.links.ssh.openssh_needed import NeedsOpenSsh
from tui.links.ssh.parts import Closed, Parts

if TYPE_CHECKING:
    from tui.links.ssh.connection import Connection

RUNPOD_GATEWAY = "ssh.runpod.io"
WITHOUT_EXEC = ("no_exec", "protocol", "unreachable")
"""What ends a follower before its first word where a login runs something else, or nothing."""


class SshLink:
    """One box over SSH: one connection, one channel, one follower."""

    def __init__(self, target: SshTarget, asker: Asker, files: ConfigFiles | None = None) -> None:
        self._target = target
        self._asker = asker
        self._files = files or ConfigFiles.of_user()
        self._parts: Parts | None = None
        self._closed_early = False
        self._connection: Connection | None = None
        self._start: Callable[[str], Pipe] | None = None

    def open(self, request: FollowRequest) -> Iterator[Fact]:
        """Connect and yield facts until closed.

        Raises LinkError for everything that goes wrong, before or after the first fact.
        """
        parts = self._parts = Parts()
        if self._closed_early:
            parts.close()
        # Importing paramiko takes longer than ssh -G, which leaves the processor free meanwhile.
        threading.Thread(target=_prepare, name="prepare a connection", daemon=True).start()
        return self._facts(request, parts)

    def close(self) -> None:
        """End the stream from any thread; blocks for nothing."""
        parts = self._parts
        if parts is None:
            self._closed_early = True
        else:
            parts.close()

    @property
    def files(self) -> ConfigFiles:
        """The OpenSSH files that it goes by."""
        return self._files

    def run(self, command_line: str) -> Pipe:
        """Start a further command on the live connection. Raises LinkError where there is none."""
        start = self._start
        if start is None:
            raise LinkError("lost", f"{self._target.host} is not connected")
        return start(command_line)

    def _facts(self, request: FollowRequest, parts: Parts) -> Iterator[Fact]:
        try:
            parts.check()
            plan = resolve(self._target, self._files)
            _refuse_gateways(plan)
            try:
                yield from self._attempt(plan, request, parts)
            except LinkError as error:
                if not _guessed_wrong(error):
                    raise
                yield from self._attempt(plan, request, parts)
        except Closed:
            return
        except LinkError:
            if not parts.closed:
                raise
        finally:
            self._start = None
            self._connection = None
            parts.close()

    def _attempt(self, plan: Plan, request: FollowRequest, parts: Parts) -> Iterator[Fact]:
        notices = [Notice(text) for text in (*plan.notices, *self._connect(plan, parts))]
        said_hello = False
        for fact in self._follow(request):
            if not said_hello and isinstance(fact, Notice):
                notices.append(fact)  # the first fact of a connection is its Hello
                continue
            yield fact
            if not said_hello:
                said_hello = True
                yield from notices

    def _connect(self, plan: Plan, parts: Parts) -> list[str]:
        """Make ``run`` and ``sftp`` possible; returns notices for the person."""
        import_paramiko()
        from tui.links.ssh.connection import connect
        from tui.links.ssh.exec_pipe import ExecPipe

        try:
            connection = connect(plan, self._asker, parts)
        except NeedsOpenSsh as need:
            return self._use_openssh(plan, parts, str(need))
        self._connection = connection
        self._start = lambda command_line: ExecPipe(connection, command_line)
        return connection.notices

    def _use_openssh(self, plan: Plan, parts: Parts, reason: str) -> list[str]:
        from tui.links.ssh.openssh import OpenSsh

        if shutil.which("ssh") is None:
            message = f"{plan.box.alias} needs OpenSSH's ssh, which is not installed ({reason})"
            raise LinkError("usage", message, "install the OpenSSH client")
        openssh = OpenSsh(self._target, plan, self._files)
        notice = openssh.check_host(self._asker, parts)
        self._start = lambda command_line: openssh.run(command_line, parts)
        notices = [f"connected with the system's ssh: {reason}"]
        return [*notices, notice] if notice else notices

    def _follow(self, request: FollowRequest) -> Iterator[Fact]:
        """Run the follower; where no command runs, follow with SFTP."""
        started = False
        try:
            for fact in self._follow_with_exec(request):
                started = True
                yield fact
        except LinkError as error:
            if started or error.kind not in WITHOUT_EXEC or self._connection is None:
                raise
            yield from self._follow_with_sftp(request, self._connection, error)

    def _follow_with_sftp(
        self, request: FollowRequest, connection: Connection, why: LinkError
    ) -> Iterator[Fact]:
        """Follow with SFTP; raises ``why`` exec did not work when that does not work either."""
        from tui.links.sftp import SftpLink
        from tui.links.ssh.sftp_session import open_sftp

        try:
            client = open_sftp(connection)
        except LinkError:
            raise why from None
        yield Notice(f"{why}; {why.hint}" if why.hint else str(why))
        yield from SftpLink(client).open(request)

    def _follow_with_exec(self, request: FollowRequest) -> Iterator[Fact]:
        marker = new_marker()
        pipe = self.run(command(marker))
        try:
            follower = FollowerPipe(pipe, request, marker)
            follower.start()
            yield from follower.facts()
        finally:
            pipe.close()


def _guessed_wrong(error: LinkError) -> bool:
    from tui.links.ssh.connection import GuessedWrong

    return isinstance(error, GuessedWrong)


def _refuse_gateways(plan: Plan) -> None:
    """Stop before a gateway that is known to run no commands."""
    if any(hop.hostname.lower().rstrip(".") == RUNPOD_GATEWAY for hop in plan.hops):
        raise LinkError("no_exec", f"{RUNPOD_GATEWAY} runs no commands", RUNPOD_HINT)


def _prepare() -> None:
    """Do what every connection needs, while the first one waits for others."""
    import_paramiko()
    prepare()
