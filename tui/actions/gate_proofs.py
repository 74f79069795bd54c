"""All proofs that this machine keeps, by what they prove: equal bytes are equal weights.

A checkpoint may have been saved under another name of its box: by its address, by its instance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from tui.runs.mirrors import Mirrors
from tui.runs.proofs import FOLDER, NAME, Proof, ProofFile
from tui.runs.root_folder import named_below


class KeptProofs:
    """The proofs below a data directory, read once, when they are first asked for."""

    def __init__(self, data: Path) -> None:
        self._data = data

    def of(self, size: int, sha256: str) -> Sequence[Proof]:
        """Return every proof of such bytes, of whichever box and run."""
        return self._all.get((size, sha256), ())

    @cached_property
    def _all(self) -> dict[tuple[int, str], list[Proof]]:
        found: dict[tuple[int, str], list[Proof]] = defaultdict(list)
        mirrored = named_below(Mirrors(self._data).directory, NAME)
        for path in [*mirrored, *sorted((self._data / FOLDER).glob("*.jsonl"))]:
            for proof in ProofFile(path).all():
                found[proof.bytes, proof.sha256].append(proof)
        return found
