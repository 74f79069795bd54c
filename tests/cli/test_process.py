"""boxtop as a process: pipes, signals, locales, terminals, and what it loads."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import PROJECT
from tests.cli.runs import CASES, RUNS, live_run
from tests.cli.terminal import terminal
from tests.waiting import wait_until

Spawn = Callable[..., "subprocess.Popen[bytes]"]

HEAVY = {"paramiko", "cryptography", "textual", "rich", "plotext", "httpx2", "huggingface_hub"}
NEEDLESS = {"click", "shlex", "shutil", "asyncio", "logging", "tomllib", "platformdirs"}


def test_status_loads_nothing_that_it_does_not_need() -> None:
    code = (
        "import sys\nfrom tui.cli import run\n"
        f"code = run(['status', {str(RUNS / 'yolox_done')!r}, '--json'])\n"
        "sys.stderr.write(' '.join(sorted(sys.modules)))\nsys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=PROJECT, check=True
    )
    loaded = {name.split(".")[0] for name in done.stderr.split()}
    assert "tui" in loaded
    assert not loaded & (HEAVY | NEEDLESS)
    screens = {
        "tui.app",
        "tui.screens",
        "tui.widgets",
        "tui.charts",
        "tui.demo",
        "tui.links.ssh.link",
    }
    assert not set(done.stderr.split()) & screens


def test_the_version_is_answered_before_anything_is_loaded() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "tui", "--version"],
        capture_output=True,
        text=True,
        cwd=PROJECT,
        check=True,
    )
    assert done.stdout == "boxtop 0.1.0\n"
    assert not re.search(r"\b(click|msgspec|typing|json|tui\.cli)\b", done.stderr)


def test_without_utf8_every_byte_is_ascii(spawn: Spawn, tmp_path: Path) -> None:
    run = live_run(tmp_path / "run1")
    (run / "metrics.jsonl").write_bytes((CASES / "TUI-07" / "metrics.jsonl").read_bytes())
    (run / "train.log").write_text("caf\u00e9\n")
    verbs = (["status", tmp_path], ["plot", tmp_path], ["logs", tmp_path], ["--help"])
    locales: tuple[dict[str, str], ...] = ({}, {"LC_ALL": "C"}, {"LC_ALL": "POSIX"})
    calls = [(verb, {"PYTHONIOENCODING": "ascii"}) for verb in verbs]
    calls += [(verbs[0], environment) for environment in locales]
    started = [(verb, spawn(*verb, LANG="C", **more)) for verb, more in calls]
    for verb, process in started:
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")
        assert out and out.isascii()
        if "plot" in verb:
            assert all(mark in out for mark in b"*+-|")


def test_ascii_can_be_asked_for(spawn: Spawn) -> None:
    out, _ = spawn("status", RUNS, "--ascii", LANG="C.UTF-8").communicate(timeout=60)
    assert out.isascii()
    out, _ = spawn("status", RUNS, LANG="C.UTF-8").communicate(timeout=60)
    assert not out.isascii()


def test_a_reader_that_leaves_ends_it_quietly(spawn: Spawn) -> None:
    for arguments in (["status", RUNS], ["config", "show"], ["--version"], ["--help"]):
        process = spawn(*arguments)
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        err = process.stderr.read()
        assert (process.wait(60), err) == (141, b"")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["config", "show"], ["--version"], ["--help"]])
def test_a_full_disk_under_stdout_is_one_line(arguments: list[str], unbuffered: str) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tui", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=PROJECT,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith(b"boxtop: ") and done.stderr.count(b"\n") == 1
    assert b"No space left on device" in done.stderr and b"unexpected" not in done.stderr


def test_closed_streams_are_survived() -> None:
    command = f"{sys.executable} -m tui status {RUNS} >&- 2>&-"
    assert subprocess.run(["sh", "-c", command], cwd=PROJECT, check=False).returncode == 3


def test_logs_follow_a_growing_log_until_ctrl_c(spawn: Spawn, tmp_path: Path) -> None:
    run = live_run(tmp_path / "run1")
    process = spawn("logs", tmp_path, "-f", "-n", "2")
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.readline() == b"line 19\n"
    assert process.stdout.readline() == b"line 20\n"
    with (run / "train.log").open("a") as log:
        log.write("line 21\nhalf a li")
        log.flush()
        assert process.stdout.readline() == b"line 21\n"
        log.write("ne\n")
    assert process.stdout.readline() == b"half a line\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err


def test_logs_wait_for_a_run_that_is_not_there_yet(spawn: Spawn, tmp_path: Path) -> None:
    process = spawn("logs", f"{tmp_path}:run1", "-f")
    assert process.stdout is not None and process.stderr is not None
    assert b"no run run1 on " in process.stderr.readline()
    live_run(tmp_path / "run1")
    assert process.stdout.readline() == b"line 1\n"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130


def in_terminal(*arguments: object, **environment: str) -> tuple[int, str]:
    """Run boxtop in a terminal; returns its exit code and what the terminal got."""
    with terminal(*arguments, **environment) as shown:
        return shown.end(), shown.shown


def test_a_terminal_gets_colours_and_no_color_none() -> None:
    code, shown = in_terminal("status", RUNS)
    assert code == 3 and "\x1b[1;31m" in shown
    for options, environment in ((["--no-color"], {}), ([], {"NO_COLOR": "1"})):
        code, shown = in_terminal("status", RUNS, *options, **environment)
        assert code == 3 and "\x1b" not in shown


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_dumb_terminal_gets_the_status_as_text(term: str) -> None:
    code, shown = in_terminal(RUNS, TERM=term)
    assert code == 3 and "yolo9t_killed" in shown and "\x1b" not in shown


def test_the_shell_completes_verbs_and_names(spawn: Spawn, home: Path) -> None:
    config = home / ".config" / "boxtop" / "boxtop.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[box.labrador]\nssh = "root@203.0.113.7"\n')

    def completed(words: str, position: int) -> str:
        out, err = spawn(
            _BOXTOP_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(position)
        ).communicate(timeout=60)
        assert err == b""
        return out.decode()

    assert completed("boxtop stat", 1) == "plain,status\n"
    assert completed("boxtop status la", 2) == "plain,labrador\n"
    assert completed("boxtop config i", 2) == "plain,init\n"
    assert completed("boxtop logs /ro", 2) == "file,/ro\n"


def test_a_terminal_that_goes_away_leaves_no_process(tmp_path: Path) -> None:
    live_run(tmp_path / "run1")
    with terminal("logs", tmp_path, "-f") as shown:
        shown.wait_for("line 20")
        shown.process.send_signal(signal.SIGHUP)
        assert shown.end() == -signal.SIGHUP


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        yield port


@pytest.mark.parametrize("boxes", [1, 2])
def test_ctrl_c_ends_a_look_at_once_and_quietly(spawn: Spawn, silent_port: int, boxes: int) -> None:
    names = [f"u{number}@127.0.0.1:{silent_port}" for number in range(boxes)]
    process = spawn("--debug", "status", *names)
    wait_until(lambda: _is_connected(silent_port, process.pid), what="a connection")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_a_silent_box_is_given_up_in_time(spawn: Spawn, silent_port: int) -> None:
    process = spawn("status", f"root@127.0.0.1:{silent_port}", "--timeout", "1")
    out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (4, b"")
    assert b"timed out after 1 s" in out


def _is_connected(port: int, pid: int) -> bool:
    """Whether a process has a TCP connection to a port of this machine."""
    inodes = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            link = str(entry.readlink())
        except FileNotFoundError:
            continue
        if link.startswith("socket:["):
            inodes.add(link[8:-1])
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return any(row[2].endswith(f":{port:04X}") and row[9] in inodes for row in rows)
