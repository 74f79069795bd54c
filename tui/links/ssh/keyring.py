"""Decrypted keys of this process: a passphrase is asked for once, whoever needs the key."""

from __future__ import annotations

import threading
from pathlib import Path

from tui.links.base import Asker
from tui.links.ssh.keys import FileSigner, KeyFile, KeyProblem, WrongPassphrase

TRIES = 3


class KeyRing:
    """Keys by path and content. Passphrases are never kept, decrypted keys never written."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[tuple[Path, bytes], FileSigner] = {}
        self._asking: dict[Path, threading.Lock] = {}
        self._refusals: dict[Path, int] = {}

    def signer(self, file: KeyFile, asker: Asker) -> FileSigner:
        """Return the key, asking for its passphrase where it needs one.

        Raises KeyProblem: no passphrase given, wrong three times, unsupported, damaged.
        """
        known = self._open.get((file.path, file.content))
        if known is not None:
            return known
        if not file.encrypted:
            return self._keep(file, file.unlock())
        with self._lock:
            turn = self._asking.setdefault(file.path, threading.Lock())
            refusals = self._refusals.get(file.path, 0)
        with turn:
            known = self._open.get((file.path, file.content))
            if known is not None:
                return known
            if self._refusals.get(file.path, 0) != refusals:
                # Who waited while the person said no is not to ask the same again.
                raise KeyProblem(f"{file.path}: encrypted, no passphrase given")
            return self._ask(file, asker)

    def _ask(self, file: KeyFile, asker: Asker) -> FileSigner:
        for attempt in range(1, TRIES + 1):
            passphrase = asker.passphrase(str(file.path), attempt)
            if passphrase is None:
                self._refused(file)
                raise KeyProblem(f"{file.path}: encrypted, no passphrase given")
            try:
                return self._keep(file, file.unlock(passphrase))
            except WrongPassphrase:
                continue
        self._refused(file)
        raise WrongPassphrase(f"{file.path}: wrong passphrase ({TRIES} tries)")

    def _keep(self, file: KeyFile, signer: FileSigner) -> FileSigner:
        with self._lock:
            return self._open.setdefault((file.path, file.content), signer)

    def _refused(self, file: KeyFile) -> None:
        with self._lock:
            self._refusals[file.path] = self._refusals.get(file.path, 0) + 1


keyring = KeyRing()
"""The process's own."""
