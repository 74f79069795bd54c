"""What the Hub lists of pushed paths: the data that a push is proven with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from huggingface_hub import HfApi

PATHS_AT_ONCE = 100


def listing(
    api: HfApi, repo: str, paths: list[str], revision: str | None
) -> list[dict[str, object]]:
    """Return ``[{path, size, oid, sha256, xet_hash}]`` of the paths that a revision has.

    ``oid`` is the git blob, for a large file its pointer's; ``sha256`` is None for a small one.
    """
    found: list[dict[str, object]] = []
    for start in range(0, len(paths), PATHS_AT_ONCE):
        wanted = paths[start : start + PATHS_AT_ONCE]
        for entry in api.get_paths_info(repo, wanted, revision=revision):
            lfs = getattr(entry, "lfs", None)
            sha256 = lfs.get("sha256") if isinstance(lfs, dict) else getattr(lfs, "sha256", None)
            found.append(
                {
                    "path": entry.path,
                    "size": getattr(entry, "size", None),
                    "oid": getattr(entry, "blob_id", None),
                    "sha256": sha256,
                    "xet_hash": getattr(entry, "xet_hash", None),
                }
            )
    return found


def differing(files: list[dict[str, object]], listed: list[dict[str, object]]) -> list[str]:
    """Return the paths of files ``{path, size, sha256, blob_oid}`` that are not listed the same."""
    by_path = {entry["path"]: entry for entry in listed}
    return [str(file["path"]) for file in files if not _same(file, by_path.get(file["path"]))]


def _same(file: dict[str, object], entry: dict[str, object] | None) -> bool:
    if entry is None or entry["size"] != file["size"]:
        return False
    if entry["sha256"] is None:
        return entry["oid"] == file["blob_oid"]
    return entry["sha256"] == file["sha256"]
