"""The proof: equal in size and hash, or not saved."""

from __future__ import annotations

import pytest

from tests.hub import git_blob_oid
from tui.actions.hub_proof import (
    ListedFile,
    PushedFile,
    blob_oid,
    differences,
    listed_files,
    proven,
    pushed_files,
)

SHA, OTHER = "a" * 64, "b" * 64
OID, COMMIT = blob_oid(b"hello"), "c" * 40
LARGE = PushedFile("weights/best.pt", 100, SHA, OID)
SMALL = PushedFile("status.json", 5, SHA, OID)


def test_git_names_bytes_as_the_hub_does() -> None:
    assert OID == "b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0" == git_blob_oid(b"hello")


@pytest.mark.parametrize(
    ("file", "entry", "how"),
    [
        (LARGE, ListedFile("weights/best.pt", 100, "x", SHA), None),
        (LARGE, ListedFile("weights/best.pt", 100, "x", SHA, "d" * 64), None),
        (SMALL, ListedFile("status.json", 5, OID), None),
        (LARGE, ListedFile("weights/best.pt", 100, "x", OTHER), "another sha256 at the Hub"),
        (LARGE, ListedFile("weights/best.pt", 99, "x", SHA), "99 bytes at the Hub, 100 here"),
        (LARGE, ListedFile("best.pt", 100, "x", SHA), "the Hub does not list it"),
        (LARGE, ListedFile("weights/best.pt", 100, "x", ""), "another sha256 at the Hub"),
        (SMALL, ListedFile("status.json", 5, "e" * 40), "other bytes at the Hub"),
        (SMALL, ListedFile("status.json", 5, None), "other bytes at the Hub"),
        (PushedFile("a", 1, SHA), ListedFile("a", 1, OID), "no hash to compare it by"),
        (
            PushedFile("a", 1, "short"),
            ListedFile("a", 1, OID, "short"),
            "another sha256 at the Hub",
        ),
    ],
)
def test_a_path_is_proven_or_says_how_it_differs(
    file: PushedFile, entry: ListedFile, how: str | None
) -> None:
    found = differences([file], [entry])
    assert [one.how for one in found] == ([how] if how else [])
    assert proven(COMMIT, [file], [entry]) == (how is None)


def test_hf_07_an_empty_listing_or_no_commit_proves_nothing() -> None:
    entry = ListedFile("weights/best.pt", 100, "x", SHA)
    assert not proven(COMMIT, [LARGE], [])
    assert not proven(None, [LARGE], [entry])
    assert not proven("", [LARGE], [entry])
    assert not proven(COMMIT, [], [])
    assert not proven(COMMIT, [LARGE], [entry, entry])


def test_replies_of_a_box_are_read_without_trust() -> None:
    good = {"path": "a", "size": 1, "sha256": SHA, "blob_oid": OID}
    bad = [None, 3, {}, {"path": "b", "size": -1, "sha256": SHA}, {"path": 1, "size": 1}]
    assert pushed_files([good, *bad, {**good, "size": True}]) == (PushedFile("a", 1, SHA, OID),)
    assert pushed_files({"a": 1}) == ()
    entry = {"path": "a", "size": 1, "oid": 7, "sha256": None, "xet_hash": "d"}
    assert listed_files([entry, *bad]) == (ListedFile("a", 1, None, None, "d"),)
