"""A real OpenSSH server on loopback: own port, keys, configuration, home and log.

It runs as root and as an ordinary user; logins are those of the user who runs the tests, or of
users made by ``system_user`` (root only). ``home`` is what the login shell sees as HOME, so a
``.bashrc`` written there is noise for the box alone.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.ssh_keys import Key, make_key
from tests.waiting import wait_until
from tui.boxes import SshTarget

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/sbin:" + os.environ.get("PATH", ""))


def why_no_sshd() -> str | None:
    """Return why no server can run here, or None when it can."""
    if SSHD is None:
        return "OpenSSH's sshd is not installed (apt-get install openssh-server)"
    if shutil.which("ssh-keygen") is None:
        return "ssh-keygen is not installed (apt-get install openssh-client)"
    return None


class SshServer:
    """One sshd. ``options`` are lines of sshd_config that win over the defaults below."""

    def __init__(
        self,
        directory: Path,
        key: Key,
        *,
        options: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        host_key_type: str = "ed25519",
    ) -> None:
        self.directory = directory
        self.key = key
        self.user = pwd.getpwuid(os.getuid()).pw_name
        self.port = 0
        self.home = directory / "home"
        self.log_path = directory / "sshd.log"
        self.authorized_keys = directory / "authorized_keys"
        self._options = tuple(options)
        self._environment = {"HOME": str(self.home), **(environment or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self.home.mkdir(parents=True)
        directory.chmod(0o755)
        self.authorize(key)
        self.host_key = make_key(directory / "host_key_0", host_key_type)
        self._host_keys = [self.host_key]

    def authorize(self, *keys: Key) -> None:
        """Let exactly these keys in."""
        self.authorized_keys.write_text("".join(key.public + "\n" for key in keys))
        self.authorized_keys.chmod(0o644)

    def use_host_keys(self, *kinds: str) -> None:
        """Make new host keys of these types; to be followed by ``restart``."""
        number = len(list(self.directory.glob("host_key_*.pub")))
        self._host_keys = [
            make_key(self.directory / f"host_key_{number + index}", kind)
            for index, kind in enumerate(kinds)
        ]
        self.host_key = self._host_keys[0]

    def add_options(self, *options: str) -> None:
        """Add lines of sshd_config; they count from the next ``start``."""
        self._options += options

    @property
    def host_name(self) -> str:
        """How known_hosts names this server."""
        return f"[127.0.0.1]:{self.port}"

    @property
    def known_host_lines(self) -> str:
        """The right known_hosts lines of this server, one for each host key."""
        lines = [f"{self.host_name} {' '.join(key.public.split()[:2])}" for key in self._host_keys]
        return "".join(line + "\n" for line in lines)

    @property
    def target(self) -> SshTarget:
        """The server as boxtop's target, with the key that it lets in."""
        return SshTarget("127.0.0.1", self.user, self.port, (str(self.key.path),))

    @property
    def text(self) -> str:
        """The server as a person types it: ``user@127.0.0.1:port``."""
        return f"{self.user}@127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """Everything the server has logged so far (LogLevel DEBUG1)."""
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def start(self, port: int = 0) -> None:
        """Start and wait until it listens, on ``port`` or on a free one."""
        if os.getuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        for _ in range(5):
            self.port = port or _free_port()
            if self._started():
                return
        raise AssertionError(f"sshd does not start: {self.log}")

    def stop(self) -> None:
        """End the listener and every connection."""
        if self._process is None:
            return
        for pid in self.connections():
            _kill(pid)
        self._process.terminate()
        self._process.wait(10)
        self._process = None

    def restart(self) -> None:
        """Start again on the same port (with whatever host keys are set now)."""
        self.stop()
        self.start(self.port)

    def connections(self) -> list[int]:
        """Return the pids of the server's processes, one for each connection."""
        return [] if self._process is None else _children(self._process.pid)

    def kill_connections(self) -> int:
        """SIGKILL every connection's process tree, as a dying box would; returns how many."""
        pids = self.connections()
        for pid in pids:
            for child in _children(pid):
                _kill(child)
            _kill(pid)
        return len(pids)

    def _started(self) -> bool:
        assert SSHD is not None
        config = self.directory / "sshd_config"
        config.write_text(self._config())
        self._process = subprocess.Popen(
            [SSHD, "-D", "-f", str(config), "-E", str(self.log_path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8"},
        )
        process = self._process
        wait_until(lambda: process.poll() is not None or _listens(self.port), what="sshd")
        return process.poll() is None

    def _config(self) -> str:
        setenv = " ".join(f"{name}={value}" for name, value in self._environment.items())
        lines = [
            *self._options,
            f"Port {self.port}",
            "ListenAddress 127.0.0.1",
            *(f"HostKey {key.path}" for key in self._host_keys),
            f"AuthorizedKeysFile {self.authorized_keys}",
            f"SetEnv {setenv}",
            f"PidFile {self.directory / 'pid'}",
            "StrictModes no",
            "UsePAM no",
            "PermitRootLogin yes",
            "PasswordAuthentication no",
            "KbdInteractiveAuthentication no",
            "MaxStartups 200",
            "PrintMotd no",
            "PrintLastLog no",
            "LogLevel DEBUG1",
            "Subsystem sftp internal-sftp",
        ]
        if _sshd_version() >= (9, 8):
            lines.append("PerSourcePenalties no")
        return "".join(line + "\n" for line in lines)


@contextlib.contextmanager
def system_user(shell: str, home: Path) -> Iterator[str]:
    """A user of this machine whose login shell is ``shell`` (root only); gone afterwards."""
    name = f"bt{os.getpid()}{Path(shell).name}"[:31]
    command = ["useradd", "--no-create-home", "--home-dir", str(home), "--shell", shell]
    subprocess.run([*command, "-p", "*", name], check=True, capture_output=True)
    try:
        shutil.chown(home, name)
        yield name
    finally:
        wait_until(lambda: not _runs_a_process(name), what=f"processes of {name} end")
        subprocess.run(["userdel", name], check=True, capture_output=True)


def _runs_a_process(user: str) -> bool:
    uid = pwd.getpwnam(user).pw_uid
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and entry.stat().st_uid == uid:
                return True
    return False


def _sshd_version() -> tuple[int, int]:
    assert SSHD is not None
    told = subprocess.run([SSHD, "-V"], capture_output=True, text=True)
    found = re.search(r"OpenSSH_(\d+)\.(\d+)", told.stderr + told.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _children(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == parent:
                found.append(int(entry.name))
    return found


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
