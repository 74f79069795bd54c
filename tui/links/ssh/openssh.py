"""The system's ssh as a pipe to a command on the box, for what paramiko cannot do.

FIDO tokens, host certificates, Kerberos, bound source addresses, an open master connection. Nothing
is ever asked on the terminal (BatchMode), and no host key is ever followed blindly.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from pathlib import Path

from tui.boxes import SshTarget
from tui.links.base import Asker, LinkError
from tui.links.process_pipe import ProcessPipe
from tui.links.ssh.config import ConfigFiles
from tui.links.ssh.hops import Plan
from tui.links.ssh.host_check import HostCheck
from tui.links.ssh.known_hosts import look_up
from tui.links.ssh.openssh_errors import explain
from tui.links.ssh.parts import Closed, Parts

CONNECT_SECONDS = 15
LEARN_SECONDS = 40.0
EXIT_SECONDS = 2.0
FAILED = 255
"""ssh's own exit code when it, not the command, failed."""


class OpenSsh:
    """How to start ssh for one box."""

    def __init__(self, target: SshTarget, plan: Plan, files: ConfigFiles) -> None:
        self.target = target
        self.plan = plan
        self.files = files

    def check_host(self, asker: Asker, parts: Parts) -> str | None:
        """Ask about a host key that nobody has seen; ssh itself judges all others.

        Returns a notice for the person, or None. Raises LinkError("hostkey_unknown"), or what ssh
        says when it does not even get that far.
        """
        check = HostCheck.of(self.plan.box)
        if check.known.keys or check.known.has_authority:
            return None
        with tempfile.TemporaryDirectory(prefix="boxtop") as directory:
            learned = Path(directory) / "known_hosts"
            options = ["StrictHostKeyChecking=accept-new", f"UserKnownHostsFile={learned}"]
            pipe = SshPipe(
                self.plan,
                self.arguments([*options, "PreferredAuthentications=none"], "true"),
                parts,
            )
            pipe.wait(LEARN_SECONDS)
            keys = look_up(check.known.host, [learned]).keys
            if not keys:
                error = explain(self.plan.box, pipe.errors)
                if error.kind == "auth":  # it came that far: the key is known some other way
                    return None
                raise error
        return check.judge(keys[0].key, asker)

    def run(self, command: str, parts: Parts) -> SshPipe:
        """Start ssh with a command for the box."""
        return SshPipe(self.plan, self.arguments(["StrictHostKeyChecking=yes"], command), parts)

    def arguments(self, options: list[str], command: str) -> list[str]:
        """Return ssh's whole command line; the target's own settings stand before any file's."""
        box = self.plan.box
        arguments = ["ssh", "-T", "-x", "-a", *self._config(), "-l", box.user, "-p", str(box.port)]
        if self.target.host_key_alias is not None:
            options = [*options, f"HostKeyAlias={self.target.host_key_alias}"]
        for option in [*options, *_OPTIONS, *self._home_options(options)]:
            arguments += ["-o", option]
        for path in self._keys():
            arguments += ["-i", str(path)]
        if self.target.jump is not None:
            arguments += ["-J", self.target.jump]
        elif not self.files.openssh and self.plan.jumps:
            arguments += [
                "-J",
                ",".join(_jump(hop.user, hop.hostname, hop.port) for hop in self.plan.jumps),
            ]
        return [*arguments, "--", self.target.host, command]

    def _config(self) -> list[str]:
        if self.files.path:
            return ["-F", str(self.files.path)]
        if self.files.openssh:
            return []
        own = self.files.home / ".ssh" / "config"
        return ["-F", str(own) if own.exists() else "none"]

    def _home_options(self, options: list[str]) -> list[str]:
        """Return what ssh would look for in another home than ours."""
        if self.files.openssh or any(option.startswith("UserKnownHosts") for option in options):
            return []
        paths = " ".join(f'"{path}"' for path in self.plan.box.known_hosts)
        return [f"HostName={self.plan.box.hostname}", f"UserKnownHostsFile={paths or 'none'}"]

    def _keys(self) -> list[Path]:
        box = self.plan.box
        if box.named_keys or self.files.openssh:
            return list(box.named_keys)
        return [path for path in box.default_keys if path.exists()]


_OPTIONS = (
    "BatchMode=yes",
    f"ConnectTimeout={CONNECT_SECONDS}",
    "ServerAliveInterval=5",
    "ServerAliveCountMax=3",
    "Compression=yes",
    "LogLevel=ERROR",
    "ControlMaster=no",
    "ClearAllForwardings=yes",
    "PermitLocalCommand=no",
    "RemoteCommand=none",
    "EscapeChar=none",
)


def _jump(user: str, hostname: str, port: int) -> str:
    host = f"[{hostname}]" if ":" in hostname else hostname
    return f"{user}@{host}:{port}"


class SshPipe:
    """A running ssh: the same pipe of bytes as paramiko's channel is to everybody else."""

    def __init__(self, plan: Plan, arguments: list[str], parts: Parts) -> None:
        self._plan = plan
        self._parts = parts
        self._process = ProcessPipe(arguments)
        parts.add(self._process.close)

    @property
    def errors(self) -> str:
        """The end of what ssh and the command wrote to standard error."""
        return self._process.errors

    @property
    def exit_status(self) -> int | None:
        """The command's exit status once it has ended; FAILED may be ssh's own."""
        return self._process.exit_status

    def read(self, timeout: float) -> bytes:
        """Return what has come, b"" when the command has ended.

        Raises TimeoutError after ``timeout`` seconds of silence, LinkError when ssh failed, Closed
        when the link was closed.
        """
        data = self._process.read(timeout)
        self._parts.check()
        if not data and self._exit_code() == FAILED:
            raise explain(self._plan.box, self.errors)
        return data

    def write(self, data: bytes) -> None:
        """Send input. Raises LinkError when ssh takes none."""
        try:
            self._process.write(data)
        except TimeoutError as error:
            raise LinkError("lost", f"{self._plan.box.address} takes no input any more") from error
        self._parts.check()

    def close(self) -> None:
        """End ssh."""
        self._process.close()

    def wait(self, seconds: float) -> None:
        """Read until ssh has ended, at most so long."""
        deadline = time.monotonic() + seconds
        with contextlib.suppress(TimeoutError, LinkError):
            while self.read(max(0.0, deadline - time.monotonic())):
                continue
        self.close()

    def _exit_code(self) -> int | None:
        """Wait for the process that has closed its output to say how it ended."""
        deadline = time.monotonic() + EXIT_SECONDS
        while self._process.exit_status is None and time.monotonic() < deadline:
            if self._parts.wait(0.01):
                raise Closed
        return self._process.exit_status
