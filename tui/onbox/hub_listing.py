"""What the Hub lists of pushed paths: the data that a push is proven with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from huggingface_hub import HfApi

PATHS_AT_ONCE = 100
NEWEST = 20
"""Commits that are looked at for a push whose answer got lost."""
SECONDS = 30.0


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


def find_commit(
    api: HfApi,
    repo: str,
    paths: list[str],
    fits: Callable[[list[dict[str, object]]], bool],
    seen: set[str],
) -> tuple[str, list[dict[str, object]]] | None:
    """Return the newest commit whose listing of the paths fits, and that listing.

    A later commit to the same paths does not hide it. Commits in ``seen`` are not asked for again;
    those that do not fit are put there.
    """
    for commit in newest_commits(api, repo):
        if commit in seen:
            continue
        listed = listing(api, repo, paths, commit)
        if fits(listed):
            return commit, listed
        seen.add(commit)
    return None


def newest_commits(api: HfApi, repo: str) -> list[str]:
    """Return the newest commits of a repository, the newest first; none where it is missing.

    The client's own way to them reads the whole history.
    """
    from huggingface_hub.utils import (  # type: ignore[attr-defined, unused-ignore]
        build_hf_headers,
        get_session,
        hf_raise_for_status,
    )

    url = f"{api.endpoint}/api/models/{repo}/commits/main"
    headers = build_hf_headers(token=api.token)
    answer = get_session().get(url, headers=headers, params={"limit": NEWEST}, timeout=SECONDS)
    if answer.status_code == 404:
        return []
    hf_raise_for_status(answer)
    entries = answer.json()
    if not isinstance(entries, list):
        raise ValueError("the Hub's list of commits is none")
    found = [entry.get("id") for entry in entries[:NEWEST] if isinstance(entry, dict)]
    return [commit for commit in found if isinstance(commit, str) and commit]


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
