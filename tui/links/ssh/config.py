"""From an address as a person typed it to a plan: every hop with its keys, files and limits.

`ssh -G` resolves a host where OpenSSH is installed (it is the reference, Match exec and all);
otherwise ``ssh_config_file`` does. What stands in the target itself wins over any configuration.
"""

from __future__ import annotations

import ipaddress
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tui.boxes import SshTarget
from tui.links.base import LinkError
from tui.links.ssh.config_file import read_files
from tui.links.ssh.hops import Hop, HopReader, Plan, local_user
from tui.text import one_line

SYSTEM_CONFIG = Path("/etc/ssh/ssh_config")
ASK_SECONDS = 10.0
MOST_HOPS = 8


@dataclass(frozen=True, slots=True)
class ConfigFiles:
    """Where the configuration is read: ``path`` as `ssh -F`, ``openssh`` whether ssh is asked."""

    home: Path
    path: Path | None = None
    openssh: bool = False
    system: Path | None = SYSTEM_CONFIG

    @staticmethod
    def of_user(path: Path | None = None) -> ConfigFiles:
        """Return this user's files.

        OpenSSH looks into the home directory of the password database whatever HOME says, so it is
        asked only when both are the same.
        """
        home = Path.home()
        openssh = shutil.which("ssh") is not None and home.resolve() == _database_home()
        return ConfigFiles(home, path, openssh, None if path else SYSTEM_CONFIG)

    @property
    def list(self) -> tuple[Path, ...]:
        """The files in the order in which they are read."""
        own = self.path or self.home / ".ssh" / "config"
        return (own, self.system) if self.system else (own,)


def resolve(target: SshTarget, files: ConfigFiles | None = None) -> Plan:
    """Resolve a target to the hops that reach it.

    Raises LinkError("usage") for an address or a configuration that cannot be used.
    """
    files = files or ConfigFiles.of_user()
    notices: list[str] = []
    box, jump = _resolve_host(target, files, notices)
    jump = target.jump if target.jump is not None else jump
    jumps = _jump_chain(jump, box, files, notices, (_identity(box),))
    if target.jump is not None and _spoken(target.jump):
        box = replace(box, proxy_command=None)
    return Plan(box, jumps, tuple(dict.fromkeys(notices)))


def _jump_chain(
    jump: str | None,
    target: Hop,
    files: ConfigFiles,
    notices: list[str],
    seen: tuple[tuple[str, int], ...],
) -> tuple[Hop, ...]:
    """Return the hops before ``target``: the first may have jumps of its own, the others not."""
    hops: list[Hop] = []
    for text in _spoken(jump):
        hop, own_jump = _resolve_host(parse_address(text), files, notices)
        if not hops:
            if _identity(hop) == _identity(target):
                return ()  # `Host *` with `ProxyJump gw` does not send gw through itself
            if _identity(hop) in seen or len(seen) > MOST_HOPS:
                raise LinkError(
                    "usage",
                    f"the ProxyJump of {target.alias} leads back to {hop.alias}",
                    "correct ProxyJump in ~/.ssh/config, or end the chain with `ProxyJump none`",
                )
            hops.extend(_jump_chain(own_jump, hop, files, notices, (*seen, _identity(hop))))
        else:
            hop = replace(hop, proxy_command=None)
        hops.append(hop)
    return tuple(hops)


def _spoken(jump: str | None) -> list[str]:
    """Split a ProxyJump value; ``none`` and nothing mean a direct connection."""
    if jump is None or jump.strip().lower() in {"", "none"}:
        return []
    return [part.strip() for part in jump.split(",") if part.strip()]


def _identity(hop: Hop) -> tuple[str, int]:
    return hop.hostname.lower(), hop.port


def parse_address(text: str) -> SshTarget:
    """Parse ``[user@]host[:port]`` or ``ssh://…`` as in a ProxyJump; IPv6 stands in brackets."""
    found = re.fullmatch(
        r"(?:ssh://)?(?:(?P<user>[^@\s]+)@)?"
        r"(?:\[(?P<six>[^\]\s]+)\]|(?P<host>[^:\s/]+))(?::(?P<port>\d+))?/?",
        text.strip(),
    )
    if found is None and _is_address(text.strip()):
        return SshTarget(text.strip())
    if found is None:
        raise LinkError(
            "usage",
            f"{one_line(text)!r} is no address of a jump host",
            "write it as user@host:port, hops separated by commas",
        )
    port = int(found["port"]) if found["port"] else None
    return SshTarget(found["six"] or found["host"], found["user"], port)


def _is_address(text: str) -> bool:
    try:
        return bool(ipaddress.ip_address(text))
    except ValueError:
        return False


def _resolve_host(
    target: SshTarget, files: ConfigFiles, notices: list[str]
) -> tuple[Hop, str | None]:
    """Resolve one host; returns the hop and its ProxyJump value."""
    if not target.host or target.host.startswith("-") or re.search(r"[\s\0]", target.host):
        raise LinkError(
            "usage",
            f"{one_line(target.host)!r} is no host name",
            "write the box as user@host:port or as a host of ~/.ssh/config",
        )
    if target.port is not None and not 0 < target.port < 65536:
        raise LinkError(
            "usage",
            f"{one_line(target.host)} has no SSH port yet ({target.port})",
            "wait until the provider shows the mapped port of 22",
        )
    values = _values(target, files, notices)
    hop = HopReader(target, values, files.home).hop()
    if target.host_key_alias is not None:
        hop = replace(hop, host_key_alias=target.host_key_alias)
    jump = values.get("proxyjump")
    return hop, jump[0] if jump else None


def _values(
    target: SshTarget, files: ConfigFiles, notices: list[str]
) -> Mapping[str, Sequence[str]]:
    complaint = None
    if files.openssh:
        values, complaint = _ask_openssh(target, files)
        if values is not None:
            return values
    lookup = read_files(target.host, target.user, local_user(), files.list, files.home)
    notices.extend(lookup.notices)
    if complaint and not lookup.notices:
        notices.append(f"ssh cannot read your configuration ({complaint}); boxtop read it itself")
    return lookup.values


def _ask_openssh(
    target: SshTarget, files: ConfigFiles
) -> tuple[dict[str, list[str]] | None, str | None]:
    """Return what `ssh -G` says, or None and ssh's complaint."""
    command = ["ssh", "-G", "-T"]
    if files.path:
        command += ["-F", str(files.path)]
    if target.user:
        command += ["-l", target.user]
    if target.port:
        command += ["-p", str(target.port)]
    try:
        told = subprocess.run(
            [*command, "--", target.host],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=ASK_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, one_line(str(error))
    if told.returncode != 0:
        lines = told.stderr.decode("utf-8", "replace").strip().splitlines()
        return None, one_line(lines[0]) if lines else f"exit code {told.returncode}"
    values: dict[str, list[str]] = {}
    for line in told.stdout.decode("utf-8", "surrogateescape").splitlines():
        keyword, _, value = line.partition(" ")
        if keyword.endswith("knownhostsfile"):
            values[keyword] = value.split()
        elif value:
            values.setdefault(keyword, []).append(value)
    return values, None


def _database_home() -> Path | None:
    try:
        import pwd

        return Path(pwd.getpwuid(os.getuid()).pw_dir).resolve()
    except (ImportError, KeyError):
        return None
