"""A push through the real client: what is asked before, what is committed, what proves it."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
from pathlib import Path

import pytest

from tests.hub import Answer, Hang, Hold, Hub, Scope, Token, git_blob_oid, hub_fixture  # noqa: F401
from tests.hub.program import Program, ask, request, snapshot
from tests.waiting import wait_until

MOVING = ("preupload", "batch", "put", "part", "xorb", "shard", "commit")
LARGE = {"lfs": "put", "xet": "xorb"}


@pytest.fixture(params=["lfs", "xet"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_check_tells_who_this_is_and_moves_nothing(hub: Hub) -> None:
    reply = ask(request(hub, "check"), "check")
    assert reply["client"] == importlib.metadata.version("huggingface_hub")
    assert reply["account"] == {
        "name": "someuser",
        "orgs": [{"name": "my-org", "role": "write"}],
        "token_name": "laptop",
        "role": "write",
        "scopes": None,
    }
    assert reply["repo"] == {
        "name": "my-org/my-run",
        "exists": False,
        "private": None,
        "sha": None,
        "writable": True,
        "missing": None,
    }
    assert {line.point for line in hub.asked()} <= {"whoami", "info", "other"}
    assert all(not line.authorized for line in hub.asked("other"))


@pytest.mark.parametrize(
    ("token", "repo", "missing"),
    [
        (Token("hf_r", role="read", display_name="box", orgs={}), "my-org/my-run", "role"),
        (Token("hf_w", orgs={}), "my-org/my-run", "namespace"),
        (Token("hf_o", orgs={"my-org": "read"}), "my-org/my-run", "org_role"),
        (Token("hf_f", role="fineGrained", scopes=(Scope("org", "x"),)), "my-org/run", "scope"),
        (Token("hf_u"), "someuser/run", None),
        (Token("hf_g", role="fineGrained", scopes=(Scope("org", "my-org"),)), "my-org/run", None),
        (Token("hf_m", role="fineGrained", scopes=(Scope("model", "a/run"),)), "a/run", None),
    ],
)
def test_check_tells_what_a_token_lacks(
    hub: Hub, token: Token, repo: str, missing: str | None
) -> None:
    hub.add_token(token)
    reply = ask(request(hub, "check", token=token.secret, repo=repo), "check")
    assert reply["repo"]["missing"] == missing
    assert reply["repo"]["writable"] == (missing is None)
    assert reply["account"]["token_name"] == token.display_name


def test_a_check_leaves_nothing_behind_and_needs_no_disk(
    hub: Hub, home: Path, tmp_path: Path
) -> None:
    """Killed in the middle, and where not even a directory can be made."""
    (tmp_path / "temporary").mkdir()
    places = {"TMPDIR": str(tmp_path / "temporary")}
    hub.order("info", Hang(), 1)
    with Program(request(hub, "check"), places) as program:
        wait_until(lambda: hub.asked("info"), what="the question that hangs")
        program.process.kill()
    assert [path for path in home.rglob("*") if path.name.startswith("check-")] == []
    assert list((tmp_path / "temporary").iterdir()) == []
    (home / ".cache").write_text("no directory can be made here")
    places = {"TMPDIR": str(home / ".cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    assert ask(request(hub, "check"), "check", places)["account"]["name"] == "someuser"


def test_check_with_a_bad_token_asks_nothing_else(hub: Hub) -> None:
    error = ask(request(hub, "check", token="hf_expired"), "error")
    assert (error["status"], error["stage"]) == (401, "check")
    assert "Invalid username or password." in error["body"]
    assert {line.point for line in hub.asked()} <= {"whoami", "other"}


def test_a_push_is_one_commit_that_lists_what_was_here(hub: Hub, tmp_path: Path, way: str) -> None:
    files = snapshot(tmp_path)
    local = {file["path_in_repo"]: Path(file["local_path"]).read_bytes() for file in files}
    result = ask(
        request(
            hub,
            "push",
            files=files,
            disable_xet=way == "lfs",
            message="boxtop: epoch 3",
            cleanup=str(tmp_path / ".boxtop-snapshot"),
        )
    )
    assert result["ok"] is True
    repo = hub.store.repos["my-org/my-run"]
    assert repo.private is True and result["private"] is True
    assert (repo.head.oid, repo.head.title) == (result["commit"], "boxtop: epoch 3")
    assert len(hub.asked("commit")) == 1
    assert result["way"] == way
    assert result["found"] is False

    listed = {entry["path"]: entry for entry in result["listing"]}
    for path, data in local.items():
        assert repo.head.entries[path].data == data
        assert listed[path]["size"] == len(data)
        if path.endswith(".pt"):
            assert listed[path]["sha256"] == hashlib.sha256(data).hexdigest()
            assert bool(listed[path]["xet_hash"]) == (way == "xet")
        else:
            assert listed[path]["oid"] == git_blob_oid(data)
    assert [file["path"] for file in result["files"]] == list(local)
    assert not (tmp_path / ".boxtop-snapshot").exists()


def test_parts_are_used_where_the_hub_wants_them(hub: Hub, tmp_path: Path) -> None:
    hub.multipart_bytes = 200_000
    result = ask(request(hub, "push", files=snapshot(tmp_path), disable_xet=True))
    assert result["ok"] is True
    assert len(hub.asked("part")) == 10 + 8
    assert len(hub.asked("complete")) == 2


def test_pushing_the_same_again_is_well_and_makes_no_commit(hub: Hub, tmp_path: Path) -> None:
    files = snapshot(tmp_path)
    first = ask(request(hub, "push", files=files))
    again = ask(request(hub, "push", files=files))
    assert again["ok"] is True
    assert again["commit"] == first["commit"]
    assert len(hub.asked("commit")) == 1


def test_progress_is_of_bytes_that_went_out(hub: Hub, tmp_path: Path, way: str) -> None:
    files = snapshot(tmp_path, best=os.urandom(12_000_000))
    hub.order(LARGE[way], Hold(after=50_000), times=1)
    asked = request(hub, "push", files=files, disable_xet=way == "lfs", stall_s=0.2)
    with Program(asked) as program:
        program.until("started")
        held = next(
            document
            for kind, document in program.replies()
            if kind == "progress" and document["stage"] == "uploading" and document["stalled_s"]
        )
        assert held["total"] == 12_000_000
        assert held["done"] < held["total"]
        hub.release()
        assert program.until("result")["ok"] is True


def test_a_file_can_be_given_as_text(hub: Hub, tmp_path: Path) -> None:
    text = {"path_in_repo": "boxtop.json", "text": '{"epoch": 3, "name": "r\u00fcn"}\n'}
    result = ask(request(hub, "push", files=[*snapshot(tmp_path), text]))
    assert result["ok"] is True
    entry = hub.store.repos["my-org/my-run"].head.entries["boxtop.json"]
    assert entry.data.decode() == text["text"]
    assert result["files"][-1]["blob_oid"] == git_blob_oid(entry.data)


def test_a_cleanup_that_is_no_snapshot_is_left_alone(hub: Hub, tmp_path: Path) -> None:
    files = snapshot(tmp_path)
    ask(request(hub, "push", files=files, cleanup=str(tmp_path)))
    assert Path(files[0]["local_path"]).exists()


def test_a_file_that_changed_is_not_pushed(hub: Hub, tmp_path: Path) -> None:
    files = snapshot(tmp_path)
    data = bytearray(Path(files[0]["local_path"]).read_bytes())
    data[5] ^= 1
    Path(files[0]["local_path"]).write_bytes(data)
    result = ask(request(hub, "push", files=files))
    assert result["ok"] is False
    assert result["error"]["type"] == "Changed"
    assert result["error"]["stage"] == "hashing"
    assert hub.asked(*MOVING) == []


def test_a_public_repository_needs_a_yes(hub: Hub, tmp_path: Path) -> None:
    hub.store.create("my-org/my-run", private=False)
    files = snapshot(tmp_path)
    for private in (True, False):
        refused = ask(request(hub, "push", files=files, private=private))
        assert (refused["ok"], refused["error"]["type"]) == (False, "Public")
    assert hub.asked(*MOVING) == []
    agreed = ask(request(hub, "push", files=files, allow_public=True))
    assert (agreed["ok"], agreed["private"]) == (True, False)


def test_a_repository_is_public_only_when_asked_for(hub: Hub, tmp_path: Path) -> None:
    result = ask(request(hub, "push", files=snapshot(tmp_path), private=False))
    assert (result["ok"], result["private"]) == (True, False)


def test_creating_refused_goes_on_when_the_repository_is_there(hub: Hub, tmp_path: Path) -> None:
    """HF-04: a fine-grained token may write a repository and still not create one."""
    hub.store.create("my-org/my-run", private=True)
    scopes = (Scope("model", "my-org/my-run"),)
    token = hub.add_token(Token("hf_fine", role="fineGrained", scopes=scopes))
    hub.order("info", Answer(404, {"error": "not yet"}), times=1)
    result = ask(request(hub, "push", token=token.secret, files=snapshot(tmp_path)))
    assert [line.status for line in hub.asked("create")] == [403]
    assert result["ok"] is True
