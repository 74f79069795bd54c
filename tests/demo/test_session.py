"""A demo leaves nothing behind, however it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.demo.conftest import log_in
from tests.waiting import wait_until
from tui.boxes import SshTarget
from tui.demo import train
from tui.demo.sandbox import MARK, PREFIX, make_sandbox, sweep
from tui.demo.session import DemoError, DemoSession

needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc")


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary directory of this test alone, so that what a demo leaves there can be seen."""
    directory = tmp_path / "tmp"
    directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    monkeypatch.setenv("TMPDIR", str(directory))
    return directory


def left_in(directory: Path) -> list[Path]:
    return list(directory.glob(f"{PREFIX}*"))


def processes_of(directory: Path) -> list[int]:
    """Processes that carry the mark of a sandbox below ``directory``."""
    mark = f"{MARK}={directory.resolve()}/".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return found


def test_the_demo_is_gone_after_it_was_closed(temporary: Path, home: Path) -> None:
    with DemoSession() as demo:
        targets = [box.target for box in demo.boxes]
        assert demo.directory.is_relative_to(temporary)
        assert processes_of(temporary)
    assert left_in(temporary) == []
    assert processes_of(temporary) == []
    assert list(home.iterdir()) == []
    for target in targets:
        assert isinstance(target, SshTarget)
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", target.port or 0)) != 0


def test_closing_ends_even_what_left_its_process_group(temporary: Path) -> None:
    with DemoSession() as demo, log_in(demo, demo.boxes[0]) as client:
        _, stdout, _ = client.exec_command("setsid sleep 600 > /dev/null 2>&1 & echo started")
        assert stdout.readline() == "started\n"
        wait_until(lambda: b"sleep" in commands(temporary), what="sleep runs")
    assert processes_of(temporary) == []


def test_a_session_may_be_closed_twice_and_before_it_was_used() -> None:
    demo = DemoSession()
    demo.close()
    demo.close()
    assert not demo.directory.exists()


def test_its_keys_and_homes_are_closed_to_others() -> None:
    with DemoSession() as demo:
        assert demo.boxes
        assert demo.directory.stat().st_mode & 0o077 == 0
        assert (demo.directory / "client_key").stat().st_mode & 0o077 == 0


@pytest.fixture
def running(temporary: Path) -> Iterator[subprocess.Popen[str]]:
    """``python -m tui.demo`` in a session of its own, with its boxes up."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tui.demo"],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("ssh -F ")
    yield process
    process.kill()
    process.communicate()


@needs_proc
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"])
def test_a_demo_that_was_ended_by_a_signal_leaves_nothing(
    running: subprocess.Popen[str], temporary: Path, number: str
) -> None:
    running.send_signal(signal.Signals[number])
    running.wait(10)
    wait_until(lambda: not left_in(temporary), what="the directory is gone")
    wait_until(lambda: not processes_of(temporary), what="the processes are gone")


@needs_proc
def test_the_next_demo_removes_what_a_crash_left(
    running: subprocess.Popen[str], temporary: Path
) -> None:
    sandbox = left_in(temporary)[0]
    worker = next(pid for pid in children(running.pid) if b"tui.demo.worker" in command_of(pid))
    orphan = subprocess.Popen(
        ["sleep", "600"], env={MARK: str(sandbox.resolve())}, start_new_session=True
    )
    running.kill()
    os.kill(worker, signal.SIGKILL)
    running.wait(10)
    wait_until(lambda: sweep() == [sandbox], what="the sandbox is swept")
    assert not sandbox.exists()
    assert orphan.wait(10) == -signal.SIGKILL


def test_a_demo_that_lives_is_left_alone(temporary: Path) -> None:
    with DemoSession() as first:
        with DemoSession() as second:
            assert first.boxes and second.boxes
            assert len(left_in(temporary)) == 2
        assert left_in(temporary) == [first.directory]


def test_foreign_directories_of_a_like_name_are_left_alone(temporary: Path) -> None:
    (temporary / f"{PREFIX}mine").mkdir()
    (temporary / f"{PREFIX}mine" / "precious").write_text("x")
    (temporary / f"{PREFIX}link").symlink_to(temporary)
    assert sweep() == []
    assert (temporary / f"{PREFIX}mine" / "precious").exists()


def test_a_sandbox_is_removed_with_all_that_is_in_it() -> None:
    sandbox = make_sandbox()
    (sandbox.path / "deep" / "er").mkdir(parents=True)
    sandbox.remove()
    assert not sandbox.path.exists()
    with open(os.devnull) as next_file:
        sandbox.remove()
        assert next_file.read() == "", "removing twice closes no file of somebody else"


def test_training_without_libreyolo_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, temporary: Path
) -> None:
    monkeypatch.setattr(train, "NEEDED", ("json", "no_such_libreyolo"))
    with pytest.raises(DemoError, match="needs no_such_libreyolo") as refused:
        DemoSession(train=True)
    assert refused.value.hint == "install: pip install 'boxtop[train]'"
    assert left_in(temporary) == []


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan")])
def test_a_speed_that_plays_nothing_is_refused(speed: float, temporary: Path) -> None:
    with pytest.raises(DemoError, match="above 0"):
        DemoSession(speed=speed)
    assert left_in(temporary) == []


def test_boxes_that_do_not_start_say_why(monkeypatch: pytest.MonkeyPatch, temporary: Path) -> None:
    monkeypatch.setattr("tui.demo.session.WORKER", "tui.demo.no_such_worker")
    with DemoSession() as demo, pytest.raises(DemoError, match="No module named"):
        assert demo.boxes
    assert left_in(temporary) == []


def children(parent: int) -> list[int]:
    listed = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    return [int(word) for word in listed.split()]


def command_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def commands(directory: Path) -> bytes:
    found = b""
    for pid in processes_of(directory):
        with contextlib.suppress(OSError):
            found += command_of(pid)
    return found


def test_a_session_starts_without_the_heavy_parts() -> None:
    """The screen's imports go on while the worker, a process of its own, loads paramiko."""
    code = "import sys, tui.demo.session; print(*sorted({'paramiko', 'textual'} & {*sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
