"""Whether a server is the one it should be, decided before anything is told to it.

A known key passes, an unknown one is asked for, a changed or revoked one ends the attempt.
"""

from __future__ import annotations

from dataclasses import dataclass

from tui.links.base import Asker, ChangedKeyQuestion, HostKeyQuestion, LinkError
from tui.links.ssh.hops import Hop
from tui.links.ssh.known_hosts import (
    HostKey,
    Known,
    Standing,
    accept,
    holds,
    host_name,
    look_up,
    removal_hint,
    replace,
)


class HostKeyChanged(LinkError):
    """The key differs from the known one: both are here, for an explicit replacement."""

    def __init__(self, known: Known, offered: HostKey) -> None:
        first = known.keys[0]
        stored = ", ".join(f"{entry.key.fingerprint}" for entry in known.keys)
        super().__init__(
            "hostkey_changed",
            f"host key of {known.host} CHANGED: known {stored} ({first.path} line {first.line}), "
            f"offered {offered.fingerprint} ({offered.type}); nothing was sent",
            "a new box at a recycled address, or somebody in between: ask the provider, then "
            + removal_hint(known.host, first.path),
        )
        self.known = known
        self.offered = offered


@dataclass(frozen=True, slots=True)
class HostCheck:
    """What is known of one hop before it answers."""

    hop: Hop
    known: Known

    @staticmethod
    def of(hop: Hop) -> HostCheck:
        """Look the hop up under its HostKeyAlias, or as ``[host]:port``."""
        paths = (*hop.known_hosts, *hop.global_known_hosts)
        if hop.host_key_alias:
            return HostCheck(hop, look_up(hop.host_key_alias.lower(), paths))
        return HostCheck(hop, look_up(host_name(hop.hostname, hop.port), paths))

    @property
    def needs_certificate(self) -> bool:
        """Whether only a host certificate can tell: no plain key is known, but an authority is."""
        return self.known.has_authority and not self.known.keys

    def judge(self, offered: HostKey, asker: Asker) -> str | None:
        """Return None or a notice when the server may be talked to; raises LinkError otherwise."""
        standing = self.known.standing(offered)
        if standing in ("unknown", "changed"):
            portless = self._without_port(offered)
            standing = portless if standing == "unknown" or portless == "revoked" else standing
        if standing == "known":
            return None
        if standing == "changed":
            return self._replaced(offered, asker)
        if standing == "revoked":
            raise LinkError(
                "hostkey_changed",
                f"host key of {self.known.host} is revoked: {offered.fingerprint} "
                f"({offered.type}); nothing was sent",
                "known_hosts marks this key @revoked: ask whoever runs the box for its new one",
            )
        return self._first_time(offered, asker)

    def _without_port(self, offered: HostKey) -> Standing:
        """OpenSSH also takes a key that is known for the host without the port."""
        if self.hop.host_key_alias or self.hop.port == 22:
            return "unknown"
        paths = (*self.hop.known_hosts, *self.hop.global_known_hosts)
        standing = look_up(self.hop.hostname.lower(), paths).standing(offered)
        return standing if standing in ("known", "revoked") else "unknown"

    def _replaced(self, offered: HostKey, asker: Asker) -> str:
        """Put the offered key in the place of the known one, where a person wants exactly that."""
        host = self.known.host
        paths = [path for path in self.hop.known_hosts if holds(path, host)]
        known = tuple(dict.fromkeys(entry.key.fingerprint for entry in self.known.keys))
        question = ChangedKeyQuestion(host, offered.type, known, offered.fingerprint)
        may_ask = bool(paths) and self.hop.host_key_policy != "yes"
        if not may_ask or not asker.replace_host_key(question):
            raise HostKeyChanged(self.known, offered)
        for path in paths:
            try:
                replace(path, host, offered)
            except OSError as error:
                message = f"the host key of {host} is not replaced: {path}: {error.strerror}"
                raise LinkError("hostkey_changed", message, removal_hint(host, path)) from None
        return f"the host key of {host} is replaced: {offered.fingerprint} ({offered.type})"

    def _first_time(self, offered: HostKey, asker: Asker) -> str | None:
        policy = self.hop.host_key_policy
        question = HostKeyQuestion(self.known.host, offered.type, offered.fingerprint)
        accepted = policy == "accept-new" or (policy == "ask" and asker.accept_host_key(question))
        if not accepted:
            raise LinkError(
                "hostkey_unknown",
                f"host key of {self.known.host} is not known: {offered.type} "
                f"{offered.fingerprint}; nothing was sent",
                "compare the fingerprint with the box's own, then accept it: "
                "press r on the screen, or add --accept-new-host-key in a script",
            )
        if not self.hop.known_hosts:
            return None
        try:
            accept(self.hop.known_hosts[0], self.known.host, offered)
        except OSError as error:
            path = self.hop.known_hosts[0]
            return f"the host key of {self.known.host} is not kept: {path}: {error.strerror}"
        return None
