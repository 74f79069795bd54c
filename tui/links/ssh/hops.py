"""The servers on the way to a box, resolved: a Hop each, and how configuration values make one."""

from __future__ import annotations

import getpass
import os
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tui.boxes import SshTarget
from tui.links.base import LinkError
from tui.links.ssh.config_file import split_words
from tui.text import one_line

DEFAULT_KEY_NAMES = ("id_ed25519", "id_rsa", "id_ecdsa", "id_ed25519_sk", "id_ecdsa_sk")
"""The keys tried when nothing names one, in this order."""

_BUILT_IN_MARK = {"id_rsa", "id_ecdsa", "id_ed25519"}
_BUILT_IN_NAME = re.compile(r"id_(rsa|dsa|xmss|ecdsa|ecdsa_sk|ed25519|ed25519_sk|mldsa\w+)")

HostKeyPolicy = Literal["ask", "accept-new", "yes"]

_ONLY_OPENSSH = {
    "bindaddress": "BindAddress",
    "bindinterface": "BindInterface",
    "pkcs11provider": "PKCS11Provider",
    "revokedhostkeys": "RevokedHostKeys",
    "knownhostscommand": "KnownHostsCommand",
}
_ONLY_OPENSSH_WHEN_ON = {
    "proxyusefdpass": "ProxyUseFdpass",
    "hostbasedauthentication": "HostbasedAuthentication",
}


@dataclass(frozen=True, slots=True)
class Hop:
    """One server on the way, resolved.

    ``named_keys`` are the identity files that the target or the configuration name, in order;
    ``default_keys`` the usual files of ~/.ssh, tried only when none is named. ``agent`` is the path
    of the agent's socket. ``only_openssh`` names a setting that this client cannot honour.
    """

    alias: str
    hostname: str
    port: int
    user: str
    named_keys: tuple[Path, ...] = ()
    default_keys: tuple[Path, ...] = ()
    certificates: tuple[Path, ...] = ()
    identities_only: bool = False
    agent: str | None = None
    proxy_command: str | None = None
    host_key_alias: str | None = None
    known_hosts: tuple[Path, ...] = ()
    global_known_hosts: tuple[Path, ...] = ()
    host_key_policy: HostKeyPolicy = "ask"
    connect_timeout: float | None = None
    address_family: Literal["any", "inet", "inet6"] = "any"
    gssapi: bool = False
    control_path: str | None = None
    only_openssh: str | None = None

    @property
    def address(self) -> str:
        """``user@host:port`` for messages."""
        host = f"[{self.hostname}]" if ":" in self.hostname else self.hostname
        return f"{self.user}@{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole way to a box: ``jumps`` from left to right, then ``box`` itself."""

    box: Hop
    jumps: tuple[Hop, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def hops(self) -> tuple[Hop, ...]:
        """Every server in the order in which it is reached."""
        return (*self.jumps, self.box)


class HopReader:
    """Turns configuration values into a Hop: tokens, ``~`` and variables expanded."""

    def __init__(self, target: SshTarget, values: Mapping[str, Sequence[str]], home: Path) -> None:
        self.target = target
        self.values = values
        self.home = home
        self.hostname = (self._first("hostname") or "%h").replace("%h", target.host)
        self.hostname = self.hostname.replace("%%", "%").strip("[]")
        self.user = target.user or self._first("user") or local_user()
        self.port = target.port or _port(self._first("port"), target.host)

    def hop(self) -> Hop:
        """Return the server that these values describe."""
        named, default = self._identities()
        policy = (self._first("stricthostkeychecking") or "ask").lower()
        family = (self._first("addressfamily") or "any").lower()
        return Hop(
            alias=self.target.host,
            hostname=self.hostname,
            port=self.port,
            user=self.user,
            named_keys=named,
            default_keys=default,
            certificates=tuple(self._paths("certificatefile")),
            identities_only=self._on("identitiesonly"),
            agent=self._agent(),
            proxy_command=self._proxy_command(),
            host_key_alias=self._first("hostkeyalias"),
            known_hosts=self._known_hosts("user", self.home / ".ssh"),
            global_known_hosts=self._known_hosts("global", Path("/etc/ssh")),
            host_key_policy=_POLICIES.get(policy, "ask"),
            connect_timeout=_seconds(self._first("connecttimeout")),
            address_family="inet6" if family == "inet6" else "inet" if family == "inet" else "any",
            gssapi=self._on("gssapiauthentication"),
            control_path=self._control_path(),
            only_openssh=self._only_openssh(),
        )

    def _first(self, keyword: str) -> str | None:
        found = self.values.get(keyword)
        return found[0] if found else None

    def _on(self, keyword: str) -> bool:
        return (self._first(keyword) or "").lower() in {"yes", "true"}

    def expand(self, text: str) -> str:
        """Expand ``%`` tokens, ``${VAR}`` and a leading ``~``."""
        local = socket.gethostname()
        tokens = {
            "%": "%", "h": self.hostname, "n": self.target.host, "p": str(self.port),
            "r": self.user, "u": local_user(), "d": str(self.home), "l": local,
            "L": local.split(".")[0], "i": str(os.getuid()) if hasattr(os, "getuid") else "",
            "k": self._first("hostkeyalias") or self.target.host,
        }  # fmt: skip
        text = re.sub(r"%(.)", lambda found: tokens.get(found[1], found[0]), text)
        text = re.sub(r"\$\{(\w+)\}", lambda found: os.environ.get(found[1], ""), text)
        return str(self.home / text[2:]) if text.startswith("~/") else text

    def _paths(self, keyword: str) -> list[Path]:
        found = self.values.get(keyword, ())
        return [Path(self.expand(text)) for text in found if text.lower() != "none"]

    def _identities(self) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
        given = [Path(self.expand(text)) for text in self.target.identity_files]
        configured = self._paths("identityfile")
        ssh = self.home / ".ssh"
        # `ssh -G` prints its built-in list when the configuration names no key.
        names = {path.name for path in configured}
        built_in = names >= _BUILT_IN_MARK and all(
            path.parent == ssh and _BUILT_IN_NAME.fullmatch(path.name) for path in configured
        )
        named = tuple(dict.fromkeys(given + ([] if built_in else configured)))
        none = not built_in and "identityfile" in self.values
        default = () if named or none else tuple(ssh / name for name in DEFAULT_KEY_NAMES)
        return named, default

    def _agent(self) -> str | None:
        text = self._first("identityagent")
        environment = os.environ.get("SSH_AUTH_SOCK") or None
        if text is None or text == "SSH_AUTH_SOCK":
            return environment
        if text.lower() == "none":
            return None
        if text.startswith("$") and not text.startswith("${"):
            return os.environ.get(text[1:]) or None
        return self.expand(text)

    def _proxy_command(self) -> str | None:
        text = self._first("proxycommand")
        if text is None or text.strip().lower() == "none":
            return None
        return self.expand(text)

    def _known_hosts(self, whose: str, directory: Path) -> tuple[Path, ...]:
        found = self.values.get(f"{whose}knownhostsfile")
        if found is None:
            stem = "known_hosts" if whose == "user" else "ssh_known_hosts"
            return directory / stem, directory / f"{stem}2"
        words = [word for text in found for word in split_words(text)]
        return tuple(Path(self.expand(word)) for word in words if word.lower() != "none")

    def _control_path(self) -> str | None:
        text = self._first("controlpath")
        if text is None or text.lower() == "none" or "%C" in text:
            return None
        return self.expand(text)

    def _only_openssh(self) -> str | None:
        for keyword, name in _ONLY_OPENSSH.items():
            if (self._first(keyword) or "none").lower() != "none":
                return name
        for keyword, name in _ONLY_OPENSSH_WHEN_ON.items():
            if self._on(keyword):
                return name
        return None


_POLICIES: dict[str, HostKeyPolicy] = {
    "yes": "yes", "true": "yes", "accept-new": "accept-new", "ask": "ask",
    # boxtop never follows a changed key, whatever the configuration says.
    "no": "accept-new", "off": "accept-new", "false": "accept-new",
}  # fmt: skip


def _port(text: str | None, host: str) -> int:
    if text is None:
        return 22
    if text.isdigit() and 0 < int(text) < 65536:
        return int(text)
    message = f"{one_line(text)!r} is no port for {host}"
    raise LinkError("usage", message, "correct Port in ~/.ssh/config")


def _seconds(text: str | None) -> float | None:
    """Return a ConnectTimeout (`10`, `10s`, `1m`) in seconds, None when there is none."""
    found = re.fullmatch(r"(\d+)([smh]?)", text or "")
    if found is None or int(found[1]) == 0:
        return None
    return float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]]


def local_user() -> str:
    """Return the name of this machine's user, as the password database has it."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return getpass.getuser()
