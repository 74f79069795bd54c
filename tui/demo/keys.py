"""Key pairs made for one demo: ed25519, in the files OpenSSH and paramiko read."""

from __future__ import annotations

import os
from pathlib import Path


def make_key(path: Path) -> str:
    """Make a key, its private half at ``path`` (mode 0600); returns ``ssh-ed25519 AAAA…``."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.OpenSSH,
        serialization.NoEncryption(),
    )
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(private)
    public = key.public_key().public_bytes(
        serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
    )
    return public.decode("ascii")
