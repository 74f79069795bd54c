"""What a run's own callback says that it has pushed: claims, and nothing is believed unasked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated

import msgspec

from tui.runs.proofs import Proof, ProofFile

_HEX = r"^[0-9a-f]{%d}\Z"


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """One checkpoint in a commit of the Hub, as the box tells of it; see ``tui.onbox.hub_note``."""

    repo: str
    path: str
    commit: Annotated[str, msgspec.Meta(pattern=_HEX % 40)]
    sha256: Annotated[str, msgspec.Meta(pattern=_HEX % 64)]
    size: Annotated[int, msgspec.Meta(ge=0, lt=1 << 60)]
    mtime: Annotated[float, msgspec.Meta(ge=0, lt=1e11)]
    inode: Annotated[int, msgspec.Meta(ge=0)] = 0
    epoch: Annotated[int, msgspec.Meta(ge=0, lt=1 << 40)] | None = None
    name: str = ""

    def proof(self, at: float) -> Proof:
        """Return its proof, once the Hub was seen to list it ``at`` a time of this machine."""
        return Proof(
            name=self.name,
            where=f"hf://{self.repo}/{self.path}",
            sha256=self.sha256,
            bytes=self.size,
            at=at,
            commit=self.commit,
            epoch=self.epoch,
            mtime=self.mtime,
            inode=self.inode,
        )


def claims(data: bytes) -> Iterator[Claim]:
    """Yield what makes sense of the file; nothing for one that makes none."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return
    files = document.get("files") if isinstance(document, dict) else None
    for name, values in files.items() if isinstance(files, dict) else ():
        try:
            yield msgspec.structs.replace(msgspec.convert(values, Claim), name=name)
        except (msgspec.ValidationError, OverflowError):
            continue


def unproven(data: bytes, proofs: ProofFile) -> list[Claim]:
    """Return the claims of which there is no proof yet."""
    known = {(proof.name, proof.sha256, proof.commit) for proof in proofs.all()}
    return [one for one in claims(data) if (one.name, one.sha256, one.commit) not in known]
