"""A client of ssh-agent: which keys it holds, and signatures made by it.

Protocol: draft-ietf-sshm-ssh-agent. The agent may ask its person (a confirmation, a touch), so a
signature has a longer limit than a list.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass

from tui.links.ssh.keys import KeyProblem, PublicKey
from tui.links.ssh.wire import Reader, pack_string

LIST_SECONDS = 5.0
SIGN_SECONDS = 60.0
LARGEST_ANSWER = 1024 * 1024

_REQUEST_IDENTITIES, _IDENTITIES = 11, 12
_REQUEST_SIGNATURE, _SIGNATURE = 13, 14
_FLAGS = {"rsa-sha2-256": 2, "rsa-sha2-512": 4}


class AgentClient:
    """One connection to an agent at a Unix socket; ``keys`` were listed when it was made.

    Raises KeyProblem when there is no agent or it does not answer.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        if not hasattr(socket, "AF_UNIX"):
            raise KeyProblem("ssh-agent cannot be reached from this system")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.settimeout(LIST_SECONDS)
            self._socket.connect(path)
            self.keys = self._list()
        except KeyProblem:
            self._socket.close()
            raise
        except (OSError, ValueError) as error:
            self._socket.close()
            raise KeyProblem(f"ssh-agent at {path} does not answer: {error}") from error

    def close(self) -> None:
        """End the connection."""
        self._socket.close()

    def sign(self, key: PublicKey, data: bytes, algorithm: str) -> bytes:
        """Return the agent's signature blob. Raises KeyProblem when it refuses or is silent."""
        flags = _FLAGS.get(algorithm, 0).to_bytes(4, "big")
        request = bytes([_REQUEST_SIGNATURE]) + pack_string(key.blob) + pack_string(data) + flags
        try:
            self._socket.settimeout(SIGN_SECONDS)
            kind, reader = self._ask(request)
            if kind != _SIGNATURE:
                raise KeyProblem("ssh-agent refuses to sign (locked, or not confirmed)")
            return reader.string()
        except (OSError, ValueError) as error:
            raise KeyProblem(f"ssh-agent does not sign: {error or 'timed out'}") from error

    def _list(self) -> tuple[AgentKey, ...]:
        kind, reader = self._ask(bytes([_REQUEST_IDENTITIES]))
        if kind != _IDENTITIES:
            raise KeyProblem(f"ssh-agent at {self.path} does not list its keys")
        keys = []
        for _ in range(reader.uint32()):
            blob, comment = reader.string(), reader.string().decode("utf-8", "replace")
            try:
                keys.append(AgentKey(PublicKey.from_blob(blob), comment, self))
            except ValueError:  # a kind of key that is not written as public keys are
                continue
        return tuple(keys)

    def _ask(self, request: bytes) -> tuple[int, Reader]:
        self._socket.sendall(pack_string(request))
        size = int.from_bytes(self._receive(4), "big")
        if not 0 < size <= LARGEST_ANSWER:
            raise ValueError("no answer of an agent")
        reader = Reader(self._receive(size))
        return reader.take(1)[0], reader

    def _receive(self, count: int) -> bytes:
        received = b""
        while len(received) < count:
            part = self._socket.recv(count - len(received))
            if not part:
                raise ValueError("the agent closed the connection")
            received += part
        return received


@dataclass(frozen=True, slots=True)
class AgentKey:
    """A key that an agent holds; signs through it."""

    public: PublicKey
    comment: str
    agent: AgentClient

    def sign(self, data: bytes, algorithm: str) -> bytes:
        """Return the agent's signature blob. Raises KeyProblem."""
        return self.agent.sign(self.public, data, algorithm)
