"""Private key files: what they hold, why one cannot be used, and signatures made with them."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tui.links.ssh.known_hosts import HostKey
from tui.links.ssh.wire import Reader, Truncated, pack_mpint, pack_string

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes

PublicKey = HostKey
"""Keys of people are written as keys of hosts are."""

CERTIFICATE_SUFFIX = "-cert-v01@openssh.com"
LARGEST_KEY_FILE = 64 * 1024
_OPENSSH_MAGIC = b"openssh-key-v1\0"
_CERTIFICATE_FIELDS = {
    "ssh-ed25519": 1,
    "ssh-rsa": 2,
    "ecdsa-sha2-nistp256": 2,
    "ecdsa-sha2-nistp384": 2,
    "ecdsa-sha2-nistp521": 2,
    "sk-ssh-ed25519@openssh.com": 2,
    "sk-ecdsa-sha2-nistp256@openssh.com": 3,
}


class KeyProblem(Exception):
    """Why a key cannot be used, in words: ``str(problem)`` names the file and the reason."""


class WrongPassphrase(KeyProblem):
    """The passphrase does not open the file."""


class Signer(Protocol):
    """Something that signs with one private key."""

    @property
    def public(self) -> PublicKey:
        """The key it signs for."""
        ...

    def sign(self, data: bytes, algorithm: str) -> bytes:
        """Return an SSH signature blob. Raises KeyProblem when the key is not to be had."""
        ...


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A key file as it lies there: ``public`` is None when only the passphrase would tell it."""

    path: Path
    content: bytes
    public: PublicKey | None
    encrypted: bool
    private: bool

    @property
    def on_token(self) -> bool:
        """Whether the private half is on a FIDO token, which OpenSSH alone can talk to."""
        return self.public is not None and self.public.type.startswith("sk-")

    def unlock(self, passphrase: str | None = None) -> FileSigner:
        """Return the key, ready to sign. Raises WrongPassphrase or KeyProblem."""
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives import serialization

        secret = passphrase.encode() if passphrase is not None and self.encrypted else None
        openssh = b"BEGIN OPENSSH PRIVATE KEY" in self.content
        load = serialization.load_ssh_private_key if openssh else serialization.load_pem_private_key
        try:
            return FileSigner(load(self.content, secret))
        except UnsupportedAlgorithm as error:
            raise KeyProblem(f"{self.path}: unsupported type ({error})") from error
        except TypeError as error:
            raise WrongPassphrase(f"{self.path}: encrypted, a passphrase is needed") from error
        except ValueError as error:
            if self.encrypted:
                raise WrongPassphrase(f"{self.path}: wrong passphrase") from error
            raise KeyProblem(f"{self.path}: damaged ({error})") from error


def read_key_file(path: Path) -> KeyFile:
    """Read a private key file, or a public one that names a key of the agent.

    Raises KeyProblem: missing, unreadable, too large, of another format.
    """
    content = _content(path)
    public = _parse_public(content)
    if public is not None:
        return KeyFile(path, content, public, encrypted=False, private=False)
    if b"PuTTY-User-Key-File" in content:
        raise KeyProblem(f"{path}: a PuTTY key; convert it with puttygen -O private-openssh")
    if b"PRIVATE KEY-----" not in content:
        raise KeyProblem(f"{path}: no private key")
    beside = _public_beside(path)
    if b"BEGIN OPENSSH PRIVATE KEY" in content:
        try:
            public, encrypted = _openssh_header(content)
        except (ValueError, binascii.Error) as error:
            raise KeyProblem(f"{path}: damaged ({error})") from error
        return KeyFile(path, content, public, encrypted, private=True)
    return KeyFile(path, content, beside, b"ENCRYPTED" in content, private=True)


class FileSigner:
    """Signs with a key that was read from a file; lives in memory only."""

    def __init__(self, key: PrivateKeyTypes) -> None:
        from cryptography.hazmat.primitives import serialization

        public = key.public_key().public_bytes(
            serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
        )
        self._key = key
        self.public = PublicKey.from_blob(base64.b64decode(public.split()[1]))

    def sign(self, data: bytes, algorithm: str) -> bytes:
        """Return the signature blob for ``algorithm`` (rsa-sha2-…, or the key's own type)."""
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

        key = self._key
        if isinstance(key, ed25519.Ed25519PrivateKey):
            return pack_string(b"ssh-ed25519") + pack_string(key.sign(data))
        if isinstance(key, rsa.RSAPrivateKey):
            digest = hashes.SHA256() if algorithm == "rsa-sha2-256" else hashes.SHA512()
            signature = key.sign(data, padding.PKCS1v15(), digest)
            return pack_string(algorithm.encode()) + pack_string(signature)
        if isinstance(key, ec.EllipticCurvePrivateKey):
            sizes = {256: hashes.SHA256(), 384: hashes.SHA384(), 521: hashes.SHA512()}
            signature = key.sign(data, ec.ECDSA(sizes[key.curve.key_size]))
            first, second = utils.decode_dss_signature(signature)
            pair = pack_mpint(first) + pack_mpint(second)
            return pack_string(self.public.type.encode()) + pack_string(pair)
        raise KeyProblem(f"unsupported type {self.public.type}")


@dataclass(frozen=True, slots=True)
class Certificate:
    """A signed public key: ``plain`` is the key that it certifies."""

    key: PublicKey
    plain: PublicKey


def read_certificate(path: Path) -> Certificate | None:
    """Read a ``-cert.pub`` file; None when there is none or it is damaged."""
    try:
        public = _parse_public(_content(path))
        return None if public is None else certificate_of(public)
    except KeyProblem:
        return None


def certificate_of(key: PublicKey) -> Certificate | None:
    """Return the certificate that a public key blob is, or None for a plain key."""
    plain_type = key.type.removesuffix(CERTIFICATE_SUFFIX)
    if "sk-" in plain_type:
        plain_type += "@openssh.com"
    if not key.type.endswith(CERTIFICATE_SUFFIX) or plain_type not in _CERTIFICATE_FIELDS:
        return None
    reader = Reader(key.blob)
    try:
        reader.string(), reader.string()  # type and nonce
        fields = [reader.string() for _ in range(_CERTIFICATE_FIELDS[plain_type])]
    except Truncated:
        return None
    blob = pack_string(plain_type.encode()) + b"".join(pack_string(field) for field in fields)
    return Certificate(key, PublicKey(plain_type, blob))


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_KEY_FILE + 1)
    except FileNotFoundError as error:
        raise KeyProblem(f"{path}: file missing") from error
    except OSError as error:
        raise KeyProblem(f"{path}: {error.strerror}") from error
    if len(content) > LARGEST_KEY_FILE:
        raise KeyProblem(f"{path}: no private key (too large)")
    return content


def _public_beside(path: Path) -> PublicKey | None:
    try:
        return _parse_public(_content(path.with_name(path.name + ".pub")))
    except KeyProblem:
        return None


def _parse_public(content: bytes) -> PublicKey | None:
    words = content.split(None, 2)
    if len(words) < 2 or not words[0].startswith((b"ssh-", b"ecdsa-", b"sk-")):
        return None
    try:
        key = PublicKey.from_blob(base64.b64decode(words[1], validate=True))
    except (ValueError, binascii.Error):
        return None
    return key if key.type.encode() == words[0] else None


def _openssh_header(content: bytes) -> tuple[PublicKey, bool]:
    """Return the public key and whether the private half is encrypted (PROTOCOL.key)."""
    body = content.split(b"-----BEGIN OPENSSH PRIVATE KEY-----", 1)[1].split(b"-----END", 1)[0]
    data = base64.b64decode(b"".join(body.split()))
    if not data.startswith(_OPENSSH_MAGIC):
        raise ValueError("no OpenSSH key")
    reader = Reader(data[len(_OPENSSH_MAGIC) :])
    cipher = reader.string()
    reader.string(), reader.string()  # key derivation and its options
    if reader.uint32() < 1:
        raise ValueError("holds no key")
    return PublicKey.from_blob(reader.string()), cipher != b"none"
