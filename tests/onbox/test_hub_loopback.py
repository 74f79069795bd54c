"""The loopback Hub against the real client: what goes in comes out, by LFS, by parts and by xet."""

from __future__ import annotations

import hashlib
import json
import os
import random
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hub import HTML_502, Answer, Hub, git_blob_oid, hub_fixture  # noqa: F401
from tests.hub.xorb import lz4_frame

PUSH = """
import json, os, sys
from huggingface_hub import CommitOperationAdd, HfApi
api = HfApi(token=sys.stdin.readline().strip())
api.create_repo("my-org/run", private=True, exist_ok=True)
paths = sorted(os.listdir("."))
added = [CommitOperationAdd(path, path) for path in paths]
commit = api.create_commit("my-org/run", added, commit_message="Add weights")
listed = api.get_paths_info("my-org/run", paths, revision=commit.oid)
tree = [entry.path for entry in api.list_repo_tree("my-org/run")]
keys = [[e.path, e.size, e.lfs and e.lfs.sha256, e.blob_id, e.xet_hash] for e in listed]
print(json.dumps([commit.oid, keys, tree]))
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Content that packs in every way: not at all, as text, as numbers."""
    directory = tmp_path / "files"
    directory.mkdir()
    noise = random.Random(7).randbytes(400_000)
    (directory / "best.pt").write_bytes(noise)
    (directory / "last.pt").write_bytes(b"".join(b"line %d\n" % (n % 97) for n in range(60_000)))
    numbers = (struct.pack("<f", n * 0.001) for n in range(60_000))
    (directory / "epoch_3.pt").write_bytes(b"".join(numbers) + b"odd")
    (directory / "status.json").write_text('{"state": "running"}')
    (directory / "empty.log").write_text("")
    return directory


def push(hub: Hub, files: Path, xet: bool) -> tuple[str, list[list[object]], list[str]]:
    environment = dict(os.environ, HF_HUB_DISABLE_XET="0" if xet else "1")
    done = subprocess.run(
        [sys.executable, "-c", PUSH],
        input=hub.token,
        text=True,
        cwd=files,
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    oid, listed, tree = json.loads(done.stdout)
    return oid, listed, tree


@pytest.mark.parametrize("way", ["lfs", "parts", "xet"])
def test_what_goes_in_comes_out(hub: Hub, files: Path, way: str) -> None:
    hub.multipart_bytes = 100_000 if way == "parts" else None
    oid, listed, tree = push(hub, files, xet=way == "xet")

    by_path = {row[0]: row[1:] for row in listed}
    for path in files.iterdir():
        data = path.read_bytes()
        size, sha256, blob, xet_hash = by_path[path.name]
        assert size == len(data)
        if path.suffix == ".pt":
            assert sha256 == hashlib.sha256(data).hexdigest()
            assert bool(xet_hash) == (way == "xet")
        else:
            assert sha256 is None
            assert blob == git_blob_oid(data)
    assert {path.name for path in files.iterdir()} <= set(tree)
    assert hub.store.repos["my-org/run"].head.oid == oid
    assert len(hub.asked("commit")) == 1
    assert bool(hub.asked("xorb")) == (way == "xet")
    assert bool(hub.asked("part")) == (way == "parts")


def test_the_ledger_knows_who_was_authorized_and_what_arrived(hub: Hub, files: Path) -> None:
    push(hub, files, xet=False)
    sent = {line.path.split("/")[2]: line for line in hub.asked("put")}
    for path in files.glob("*.pt"):
        line = sent[hashlib.sha256(path.read_bytes()).hexdigest()]
        assert line.received == path.stat().st_size
        assert not line.authorized  # a signed address
    assert all(line.authorized for line in hub.asked("create", "preupload", "batch", "commit"))


def test_a_fault_comes_as_often_as_it_was_ordered(hub: Hub) -> None:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    api = HfApi(endpoint=hub.url, token=hub.token)
    hub.order("whoami", Answer(502, HTML_502), times=1)
    with pytest.raises(HfHubHTTPError) as caught:
        api.whoami()
    assert caught.value.response.status_code == 502
    assert api.whoami()["auth"]["accessToken"]["role"] == "write"


def test_an_lz4_frame_that_repeats_itself() -> None:
    block = bytes([0x1F]) + b"a" + struct.pack("<H", 1) + bytes([5]) + bytes([0x50]) + b"hello"
    frame = struct.pack("<IBBB", 0x184D2204, 0x60, 0x40, 0) + struct.pack("<I", len(block))
    assert lz4_frame(frame + block + bytes(4)) == b"a" * 25 + b"hello"
