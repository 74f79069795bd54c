"""An upload lives on its own: it outlasts who started it, and tells whoever asks later."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.hub import Answer, Hold, Hub, hub_fixture  # noqa: F401
from tests.hub.accounts import Json
from tests.hub.program import (
    Program,
    ask,
    kill_uploader,
    lives,
    pushes,
    request,
    snapshot,
    uploader,
)
from tests.waiting import wait_until
from tui.onbox.hub_jobs import Job

SECRET = b"hf_" + b"Loopback" * 4


def held(hub: Hub, tmp_path: Path, xet: bool = False) -> Json:
    """Return a request whose upload stands still in its first large file."""
    hub.order("xorb" if xet else "put", Hold(after=10_000), times=1)
    cleanup = str(tmp_path / ".boxtop-snapshot")
    files = snapshot(tmp_path)
    return request(hub, "push", files=files, job="j1", disable_xet=not xet, cleanup=cleanup)


def stands_still(hub: Hub) -> None:
    wait_until(lambda: hub.received("put", "xorb") >= 10_000, what="the upload's first bytes")


@pytest.mark.parametrize("how", ["killed", "hung up"])
def test_the_upload_outlasts_its_connection(hub: Hub, tmp_path: Path, how: str) -> None:
    with Program(held(hub, tmp_path)) as program:
        program.until("started")
        stands_still(hub)
        if how == "killed":
            os.kill(program.process.pid, signal.SIGKILL)
        else:
            program.hang_up()
        program.process.wait()
    pid = uploader("j1")
    assert lives(pid)
    assert os.getsid(pid) != os.getsid(0)
    with Program({"op": "attach", "job": "j1"}) as attached:
        assert attached.until("progress")["stage"] == "uploading"
        hub.release()
        result = attached.until("result")
    assert result["ok"] is True
    assert result["commit"] == hub.store.repos["my-org/my-run"].head.oid
    assert not (tmp_path / ".boxtop-snapshot").exists()
    wait_until(lambda: not lives(pid))


def test_whoever_comes_after_the_end_gets_the_result_too(hub: Hub, tmp_path: Path) -> None:
    pushed = ask(request(hub, "push", files=snapshot(tmp_path), job="j1"))
    assert ask({"op": "attach", "job": "j1"}) == pushed
    (listed,) = ask({"op": "jobs"}, "jobs")  # type: ignore[misc]
    assert (listed["job"], listed["state"], listed["result"]) == ("j1", "finished", pushed)
    assert listed["known"]["repo"] == "my-org/my-run"


def test_an_upload_that_was_killed_is_told_so(hub: Hub, tmp_path: Path) -> None:
    with Program(held(hub, tmp_path)) as program:
        program.until("started")
        stands_still(hub)
        kill_uploader("j1")
        result = program.until("result")
    assert (result["ok"], result["error"]["type"]) == (False, "Vanished")
    assert result["error"]["message"] == "the upload ended without a result"
    assert result["landed"] is None
    assert not (tmp_path / ".boxtop-snapshot").exists()
    assert ask({"op": "attach", "job": "j1"}) == result


def test_another_process_of_the_same_number_is_not_the_uploader(hub: Hub, tmp_path: Path) -> None:
    with Program(held(hub, tmp_path)) as program:
        program.until("started")
        stands_still(hub)
        kill_uploader("j1")
    record = pushes() / "j1" / "process.json"
    with subprocess.Popen(["sleep", "60"]) as other:
        record.write_text(f'{{"pid": {other.pid}, "start": "1"}}')
        assert ask({"op": "attach", "job": "j1"})["error"]["type"] == "Vanished"
        assert ask({"op": "cancel", "job": "j1"})["error"]["type"] == "Vanished"
        assert other.poll() is None
        other.kill()
    record.unlink()


def test_an_upload_can_be_cancelled(hub: Hub, tmp_path: Path) -> None:
    with Program(held(hub, tmp_path)) as program:
        program.until("started")
        stands_still(hub)
        pid = uploader("j1")
        result = ask({"op": "cancel", "job": "j1"})
        assert (result["ok"], result["error"]["type"]) == (False, "Cancelled")
        assert result["landed"] is False
        assert not lives(pid)
        assert program.until("result") == result
    assert not (tmp_path / ".boxtop-snapshot").exists()
    assert hub.asked("commit") == []


def test_an_upload_that_does_not_listen_is_cancelled_by_force(hub: Hub, tmp_path: Path) -> None:
    with Program(held(hub, tmp_path)) as program:
        program.until("started")
        stands_still(hub)
        pid = uploader("j1")
        os.kill(pid, signal.SIGSTOP)
        result = ask({"op": "cancel", "job": "j1"})
    assert result["error"]["type"] == "Cancelled"
    assert not lives(pid)
    assert not (tmp_path / ".boxtop-snapshot").exists()


def test_a_job_is_forgotten_only_after_its_end(hub: Hub, tmp_path: Path) -> None:
    with Program(held(hub, tmp_path)) as program:
        program.until("started")
        stands_still(hub)
        assert ask({"op": "forget", "job": "j1"}, "forgotten") is False
        hub.release()
        program.until("result")
    assert ask({"op": "forget", "job": "j1"}, "forgotten") is True
    assert not (pushes() / "j1").exists()


def test_a_push_that_is_beginning_or_forgotten_has_not_vanished(hub: Hub) -> None:
    job = Job("j1")
    job.create({"repo": "my-org/my-run"})
    with Program({"op": "attach", "job": "j1"}) as attached:
        attached.until("hello")
        assert job.state() == "running"
        job.remove()  # what another one does that has learned of the end
        assert attached.until("error")["type"] == "NoJob"
    assert list(pushes().iterdir()) == []


def test_two_pushes_of_one_name_are_one_too_many(hub: Hub, tmp_path: Path) -> None:
    with Program(held(hub, tmp_path)) as program:
        program.until("started")
        again = request(hub, "push", files=snapshot(tmp_path / "b"), job="j1")
        assert ask(again, "error")["type"] == "JobExists"


@pytest.mark.parametrize("xet", [False, True])
def test_the_token_is_nowhere(hub: Hub, tmp_path: Path, xet: bool) -> None:
    """HF-10: not in argv, not in the environment, not in a file, not in a reply."""
    body = {"error": f"the token {hub.token} may not do that"}
    hub.order("commit", Answer(403, body))
    with Program(held(hub, tmp_path, xet)) as program:
        program.until("started")
        stands_still(hub)
        for pid in (program.process.pid, uploader("j1")):
            for name in ("cmdline", "environ"):
                assert SECRET not in Path(f"/proc/{pid}/{name}").read_bytes()
        everyone = Path("/proc").glob("[0-9]*/cmdline")
        assert not any(SECRET in _read(path) for path in everyone)
        assert _holding(Path.home()) == []
        hub.release()
        result = program.until("result")
        assert program.process.stderr is not None
        assert program.process.stderr.read() == b""
    assert "hf_***" in result["error"]["body"]
    assert SECRET.decode() not in program.raw
    assert _holding(Path.home()) == []
    directory = pushes() / "j1"
    assert directory.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in directory.iterdir()} == {0o600}


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _holding(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file() and SECRET in _read(path)]
