"""Which keys a server is offered, and in which order.

The named key comes first, through the agent when that holds it; then, unless IdentitiesOnly says
otherwise, keys of the agent and the usual files, six in all: sshd ends the connection at the sixth
refusal by default (MaxAuthTries).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tui.links.ssh.agent import AgentKey
from tui.links.ssh.hops import Hop
from tui.links.ssh.keys import (
    Certificate,
    KeyFile,
    KeyProblem,
    PublicKey,
    certificate_of,
    read_certificate,
    read_key_file,
)
from tui.text import one_line

MOST_KEYS = 6
KEPT_FOR_FILES = 2
"""Of these, as many are kept for the usual files when an agent alone would use up all."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One key to offer. ``offered`` is what the server sees: ``public``, or its certificate.

    ``public`` is None for an old encrypted file that tells nothing before it is opened.
    """

    label: str
    public: PublicKey | None
    offered: PublicKey | None
    named: bool
    agent_key: AgentKey | None = None
    file: KeyFile | None = None

    @property
    def only_openssh(self) -> bool:
        """Whether the private half is on a token and no agent speaks to it."""
        return self.agent_key is None and self.file is not None and self.file.on_token

    @property
    def asked_first(self) -> bool:
        """Whether the server is asked before anything is signed: signing may bother a person."""
        if self.file is not None and self.agent_key is None:
            return self.file.encrypted or self.only_openssh
        return not self.named


@dataclass(slots=True)
class KeyList:
    """The candidates in order, and why other keys are not among them."""

    candidates: list[Candidate] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def list_keys(hop: Hop, agent_keys: Sequence[AgentKey]) -> KeyList:
    """Order the keys of a hop."""
    found = KeyList()
    certificates = _certificates(hop, agent_keys)
    held = {key.public: key for key in agent_keys if certificate_of(key.public) is None}
    for path in hop.named_keys:
        _add_file(found, path, held, certificates, named=True)
    if hop.identities_only:
        if not hop.named_keys:
            for path in hop.default_keys:
                _add_file(found, path, held, certificates, named=False)
        return found
    usual = KeyList()
    for path in hop.default_keys:
        _add_file(usual, path, held, certificates, named=False)
    through_agent = [candidate for candidate in usual.candidates if candidate.agent_key]
    from_files = [candidate for candidate in usual.candidates if not candidate.agent_key]
    found.candidates += through_agent
    taken = {candidate.public for candidate in found.candidates}
    room = MOST_KEYS - len(found.candidates) - min(len(from_files), KEPT_FOR_FILES)
    others = [key for key in agent_keys if key.public not in taken][: max(room, 0)]
    found.candidates += [_of_agent(key) for key in others] + from_files
    del found.candidates[MOST_KEYS:]
    return found


def _add_file(
    found: KeyList,
    path: Path,
    held: dict[PublicKey, AgentKey],
    certificates: dict[PublicKey, Certificate],
    named: bool,
) -> None:
    try:
        file = read_key_file(path)
    except KeyProblem as problem:
        public = _public_of(path)
        if public in held:
            file = KeyFile(path, b"", public, encrypted=False, private=False)
        else:
            if named or path.exists():
                found.problems.append(str(problem))
            return
    agent_key = held.get(file.public) if file.public else None
    if agent_key is None and not file.private:
        found.problems.append(f"{path}: a public key, and the agent does not hold it")
        return
    if any(other.public == file.public for other in found.candidates if file.public):
        return
    certificate = certificates.get(file.public) if file.public else None
    if certificate is not None:
        label = f"{path} (certificate)"
        offered = certificate.key
        found.candidates.append(Candidate(label, file.public, offered, named, agent_key, file))
    found.candidates.append(Candidate(str(path), file.public, file.public, named, agent_key, file))


def _public_of(path: Path) -> PublicKey | None:
    """Return the key of ``path``.pub: the private half may be in the agent alone."""
    try:
        return read_key_file(path.with_name(path.name + ".pub")).public
    except KeyProblem:
        return None


def _of_agent(key: AgentKey) -> Candidate:
    label = f"agent: {one_line(key.comment, 60)}" if key.comment else "agent"
    return Candidate(label, key.public, key.public, named=False, agent_key=key)


def _certificates(hop: Hop, agent_keys: Sequence[AgentKey]) -> dict[PublicKey, Certificate]:
    """Return certificates by the key they certify: CertificateFile, beside a key, in the agent."""
    paths = list(hop.certificates)
    for path in (*hop.named_keys, *hop.default_keys):
        paths.append(path.with_name(path.name + "-cert.pub"))
    read = [read_certificate(path) for path in paths]
    read += [certificate_of(key.public) for key in agent_keys]
    return {found.plain: found for found in reversed(read) if found is not None}
