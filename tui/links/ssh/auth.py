"""The login itself: key after key until one is taken, and what went wrong when none was."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tui.links.base import Asker, LinkError
from tui.links.ssh.agent import AgentClient
from tui.links.ssh.hops import Hop
from tui.links.ssh.key_order import Candidate, list_keys
from tui.links.ssh.keyring import KeyRing, keyring
from tui.links.ssh.keys import FileSigner, KeyProblem, PublicKey
from tui.links.ssh.openssh_needed import NeedsOpenSsh
from tui.text import one_line

if TYPE_CHECKING:
    from tui.links.ssh.userauth import Answer, UserAuth

NEW_KEYS_HINT = (
    "keys of the account reach only instances created later: add the key to the box's "
    "~/.ssh/authorized_keys, or name the right one with -i"
)
BUSY_HINT = "the box may be busy or just starting; boxtop tries again"


@dataclass(slots=True)
class Login:
    """One authentication: walks the keys, remembers what was offered."""

    hop: Hop
    auth: UserAuth
    asker: Asker
    ring: KeyRing = field(default_factory=lambda: keyring)
    offered: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    methods: tuple[str, ...] = ()

    def run(self) -> None:
        """Log in. Raises LinkError("auth"), or NeedsOpenSsh where only ssh itself can."""
        agent = self._agent()
        try:
            keys = list_keys(self.hop, agent.keys if agent else ())
            self.problems += keys.problems
            for candidate in keys.candidates:
                answer = self._try(candidate)
                if answer is not None and self._finished(answer):
                    return
            if not self.offered and self._finished(self.auth.log_in_without_key()):
                return
        finally:
            if agent:
                agent.close()
        raise self._refused()

    def _agent(self) -> AgentClient | None:
        if self.hop.agent is None:
            return None
        try:
            return AgentClient(self.hop.agent)
        except KeyProblem as problem:
            self.problems.append(str(problem))
            return None

    def _try(self, candidate: Candidate) -> Answer | None:
        """Offer one key; None when it could not even be offered."""
        try:
            if candidate.asked_first and candidate.offered is not None:
                answer = self.auth.offer(candidate.offered)
                if answer.outcome != "acceptable":
                    self._note(candidate, candidate.offered)
                    return answer
                if candidate.only_openssh:
                    raise NeedsOpenSsh(f"{candidate.label} is on a FIDO token")
            signer = candidate.agent_key or self._signer(candidate)
            offered = candidate.offered or signer.public
            answer = self.auth.log_in(offered, signer)
        except KeyProblem as problem:
            self.problems.append(str(problem))
            return None
        self._note(candidate, offered)
        return answer

    def _signer(self, candidate: Candidate) -> FileSigner:
        if candidate.file is None:
            raise KeyProblem(f"{candidate.label}: no private key")
        return self.ring.signer(candidate.file, self.asker)

    def _note(self, candidate: Candidate, offered: PublicKey) -> None:
        self.offered.append(f"{offered.fingerprint} ({one_line(candidate.label, 80)})")

    def _finished(self, answer: Answer) -> bool:
        """Whether the login is done; raises when going on makes no sense."""
        if answer.outcome == "success":
            return True
        if answer.outcome == "closed":
            raise self._closed()
        if answer.outcome == "timeout":
            raise LinkError("busy", f"{self.hop.address} does not answer the login", BUSY_HINT)
        self.methods = answer.methods
        if answer.partial:
            raise LinkError(
                "auth",
                f"{self.hop.address} took the key and asks for more: {self._method_names()}",
                "boxtop logs in with keys alone: the box's sshd must not ask for a second factor",
            )
        if self.methods and "publickey" not in self.methods:
            raise self._refused()
        return False

    def _closed(self) -> LinkError:
        count, reason = len(self.offered), self.auth.disconnect_reason
        told = f" ({reason})" if reason else ""
        if count < 2 and "many" not in (reason or ""):
            message = f"{self.hop.address} closed the connection during the login{told}"
            return LinkError("busy", message, BUSY_HINT)
        return LinkError(
            "auth",
            f"{self.hop.address} closed the connection after {count} keys{told}; "
            f"offered: {', '.join(self.offered)}",
            "set IdentitiesOnly yes and IdentityFile for this host in ~/.ssh/config, "
            "so that the right key comes first",
        )

    def _refused(self) -> LinkError:
        """Return the error for a login without success; raises NeedsOpenSsh where ssh may do."""
        if self.hop.gssapi and "gssapi-with-mic" in self.methods and _has_kerberos_ticket():
            raise NeedsOpenSsh("a Kerberos login")
        if self.hop.control_path and Path(self.hop.control_path).exists():
            raise NeedsOpenSsh("a login over an open master connection")
        why = "".join(f"; {one_line(problem)}" for problem in self.problems)
        address = self.hop.address
        if self.methods and "publickey" not in self.methods:
            return LinkError(
                "auth",
                f"{address} takes no keys, only {self._method_names()}{why}",
                "boxtop logs in with keys alone: allow PubkeyAuthentication in the box's sshd",
            )
        if not self.offered:
            usual = "no key in an ssh-agent and none of ~/.ssh/id_ed25519, id_rsa, id_ecdsa"
            return LinkError(
                "auth",
                f"no key to offer to {address}: {why.removeprefix('; ') or usual}",
                "make one with ssh-keygen and add it to the box, or name one with -i",
            )
        plural = "key" if len(self.offered) == 1 else "keys"
        return LinkError(
            "auth",
            f"{address} refuses {len(self.offered)} {plural}: {', '.join(self.offered)}{why}",
            NEW_KEYS_HINT,
        )

    def _method_names(self) -> str:
        return one_line(", ".join(self.methods), 200) or "nothing"


def _has_kerberos_ticket() -> bool:
    if os.environ.get("KRB5CCNAME"):
        return True
    return hasattr(os, "getuid") and Path(f"/tmp/krb5cc_{os.getuid()}").exists()
