"""Real OpenSSH key pairs and a real ssh-agent for tests."""

from __future__ import annotations

import base64
import contextlib
import os
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.waiting import wait_until


@dataclass(frozen=True)
class Key:
    """A key pair: ``public`` is the line ``type base64 comment``."""

    path: Path
    public: str

    @property
    def fingerprint(self) -> str:
        """``SHA256:…`` as ssh-keygen prints it."""
        listed = subprocess.run(
            ["ssh-keygen", "-lf", f"{self.path}.pub"], check=True, capture_output=True, text=True
        )
        return listed.stdout.split()[1]

    def set_passphrase(self, passphrase: str) -> None:
        """Encrypt the private key, which has no passphrase yet."""
        command = ["ssh-keygen", "-q", "-p", "-P", "", "-N", passphrase, "-f", str(self.path)]
        subprocess.run(command, check=True, capture_output=True)


def make_key(path: Path, kind: str = "ed25519", *options: str, passphrase: str = "") -> Key:
    """Create a key pair at ``path`` (and ``path``.pub) with ssh-keygen."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    quick = ["-b", "2048"] if kind == "rsa" else []
    command = ["ssh-keygen", "-q", "-t", kind, *quick, *options, "-N", passphrase, "-C", path.name]
    subprocess.run([*command, "-f", str(path)], check=True, capture_output=True)
    return Key(path, Path(f"{path}.pub").read_text().strip())


def sign_key(authority: Key, key: Key, *options: str) -> Path:
    """Certify ``key`` with ``authority`` and return the path of the certificate."""
    command = ["ssh-keygen", "-q", "-s", str(authority.path), "-I", "test", *options]
    subprocess.run([*command, f"{key.path}.pub"], check=True, capture_output=True)
    return Path(f"{key.path}-cert.pub")


def make_token_key(path: Path) -> Key:
    """Write what ssh-keygen writes for a key on a FIDO token (its private half is not here)."""
    kind, application = b"sk-ssh-ed25519@openssh.com", b"ssh:"
    plain = make_key(path.with_name("plain")).public.split()[1]
    point = base64.b64decode(plain)[-32:]
    public = _strings(kind, point, application)
    check = os.urandom(4) * 2
    private = check + public + b"\x01" + _strings(b"handle", b"", b"comment")
    private += bytes(range(1, 1 + -len(private) % 8))
    header = b"openssh-key-v1\0" + _strings(b"none", b"none", b"") + b"\0\0\0\x01"
    body = base64.encodebytes(header + _strings(public, private)).decode()
    text = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{body}-----END OPENSSH PRIVATE KEY-----\n"
    path.write_text(text)
    path.chmod(0o600)
    line = f"{kind.decode()} {base64.b64encode(public).decode()} {path.name}"
    Path(f"{path}.pub").write_text(line + "\n")
    return Key(path, line)


def _strings(*values: bytes) -> bytes:
    return b"".join(len(value).to_bytes(4, "big") + value for value in values)


class Agent:
    """A running ssh-agent; ``socket`` is its SSH_AUTH_SOCK."""

    def __init__(self, socket: Path) -> None:
        self.socket = socket

    def add(self, key: Key) -> None:
        """Hand a private key without passphrase to the agent."""
        environment = {**os.environ, "SSH_AUTH_SOCK": str(self.socket)}
        subprocess.run(
            ["ssh-add", "-q", str(key.path)], check=True, capture_output=True, env=environment
        )


@contextlib.contextmanager
def running_agent(directory: Path) -> Iterator[Agent]:
    """Run an ssh-agent below ``directory`` (keep the path short: Unix sockets have 108 bytes)."""
    path = directory / "agent"
    process = subprocess.Popen(
        ["ssh-agent", "-D", "-a", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: _answers(path), what="ssh-agent")
        yield Agent(path)
    finally:
        process.terminate()
        process.wait(10)


def _answers(path: Path) -> bool:
    """Whether somebody listens at a Unix socket; its file is there a moment earlier."""
    with socket.socket(socket.AF_UNIX) as end, contextlib.suppress(OSError):
        end.connect(str(path))
        return True
    return False
