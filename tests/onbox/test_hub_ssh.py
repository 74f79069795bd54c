"""Through a real sshd: the link dies in the middle of an upload, and the upload does not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hub import Hold, Hub, hub_fixture  # noqa: F401
from tests.hub.accounts import Json
from tests.hub.program import MARKER, kill_uploader, lives, request, snapshot, uploader
from tests.sshd import SshServer
from tests.waiting import wait_until

pytestmark = pytest.mark.sshd
ROOT = Path(__file__).parents[2]


def start(box: SshServer, asked: Json) -> subprocess.Popen[bytes]:
    """Start the program over ssh and send its request."""
    options = ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "BatchMode=yes"]
    words = [word for option in options for word in ("-o", option)]
    where = ["-p", str(box.port), "-i", str(box.key.path), f"{box.user}@127.0.0.1"]
    line = f"cd {ROOT} && exec {sys.executable} -m tui.onbox.hub"
    process = subprocess.Popen(
        ["ssh", "-F", "none", "-T", *words, *where, line],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps({"marker": MARKER, **asked}).encode() + b"\n")
    process.stdin.flush()
    return process


def result_of(process: subprocess.Popen[bytes]) -> Json:
    """Return the result that the program sends; it ends with it."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(f"@@{MARKER} ".encode()):
            done = json.loads(line.split(b" ", 1)[1]).get("done")
            if done:
                result: Json = done["result"]
                return result
    raise AssertionError("no result")


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        pipe.close()


@pytest.mark.parametrize("who", ["client", "server"])
def test_the_upload_outlasts_the_link(
    hub: Hub, ssh_box: SshServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    hub.order("put", Hold(after=10_000), times=1)
    job, files = f"ssh-{who}", snapshot(tmp_path)
    monkeypatch.setenv("HOME", str(ssh_box.home))  # where the box keeps its pushes
    asked = request(hub, "push", files=files, job=job, disable_xet=True)
    first = start(ssh_box, asked)
    try:
        wait_until(lambda: hub.received("put") >= 10_000, what="the upload's first bytes")
        pid = uploader(job)
        if who == "client":
            first.kill()
        else:
            assert ssh_box.kill_connections() > 0
        first.wait()
        wait_until(lambda: not ssh_box.connections(), what="the end of the link on the box")
        assert lives(pid)
        again = start(ssh_box, {"op": "attach", "job": job})
        hub.release()
        result = result_of(again)
        end(again)
        assert result["ok"] is True
        assert result["commit"] == hub.store.repos["my-org/my-run"].head.oid
    finally:
        kill_uploader(job)
        end(first)
