"""The files of one push: as they are asked for, as they are noted, as the Hub has to list them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from tui.actions.hub_proof import PushedFile
from tui.actions.push_plan import is_checkpoint
from tui.actions.snapshot import TakenFile
from tui.runs.pending import PendingPush, Sent


def sent(file: TakenFile, path: str) -> Sent:
    """Return what is noted of a file before the push begins."""
    identity = file.identity
    return Sent(
        file.name,
        path,
        file.size,
        file.sha256,
        identity.mtime_ns / 1e9,
        identity.inode,
        file.epoch,
        is_checkpoint(file.name),
    )


def asked_file(file: TakenFile, path: str) -> dict[str, Any]:
    """Return what the uploader is asked for; what is used in place has to stay what it is."""
    asked = {
        "path_in_repo": path,
        "local_path": file.path,
        "size": file.size,
        "sha256": file.sha256,
    }
    return {**asked, "identity": msgspec.to_builtins(file.identity)} if file.in_place else asked


def expected(push: PendingPush, told: Iterable[PushedFile] = ()) -> list[PushedFile]:
    """Return what the Hub has to list: sizes and hashes of the snapshot, git's names as told.

    A small file's git name comes from where it was read; one that nobody told is left out unless
    it is a checkpoint, which is never taken for saved then.
    """
    blobs = {file.path: file.blob_oid for file in told}
    return [
        PushedFile(file.path, file.size, file.sha256, blobs.get(file.path))
        for file in push.files
        if file.checkpoint or blobs.get(file.path) is not None
    ]
