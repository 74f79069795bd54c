"""`boxtop logs -f`: of a run outside of the roots, and of a box that its provider tells."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import write_config
from tests.cli.runs import RUNS, live_run
from tests.conftest import MakeServer, introduce
from tests.providers.conftest import served
from tests.providers.fake_http import KEY
from tests.providers.fake_vast import FakeVast, row
from tests.sshd import SshServer

pytestmark = pytest.mark.sshd
Spawn = Callable[..., subprocess.Popen[bytes]]


def ended(process: subprocess.Popen[bytes]) -> int:
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    return process.returncode


@pytest.mark.parametrize("inside", [False, True])
def test_a_run_s_whole_path_is_followed_wherever_it_lies(
    spawn: Spawn, ssh_box: SshServer, home: Path, tmp_path: Path, inside: bool
) -> None:
    roots, elsewhere = tmp_path / "runs", tmp_path / "elsewhere"
    roots.mkdir()
    run = live_run((roots if inside else elsewhere) / "run7")
    write_config(home, f'[box.lab]\nssh = "{ssh_box.text}"\nruns = ["{roots}"]\n')
    process = spawn("logs", f"lab:{run}/", "-f", "-n", "1")
    assert process.stdout is not None
    assert process.stdout.readline() == b"line 20\n"
    with (run / "train.log").open("a") as log:
        log.write("line 21\n")
    assert process.stdout.readline() == b"line 21\n"
    assert ended(process) == 130


@pytest.mark.skipif(os.getuid() != 0, reason="instances are reached as root")
@pytest.mark.parametrize("word", ["vast:700001", "yolo9s"])
def test_a_rented_box_is_followed_where_its_provider_says_that_it_is(
    spawn: Spawn, make_sshd: MakeServer, home: Path, word: str
) -> None:
    server = make_sshd()
    introduce(server, home)
    live_run(server.home / "runs" / "live")
    write_config(home, f'[providers.vast]\nkey = "{KEY}"\n')
    ports = {"22/tcp": [{"HostIp": "0.0.0.0", "HostPort": str(server.port)}]}
    for fake in served(FakeVast()):
        fake.rows = [row(public_ipaddr="127.0.0.1", ports=ports)]
        url = {"BOXTOP_VAST_URL": fake.url}
        process = spawn("--accept-new-host-key", "logs", word, "-f", "-n", "1", **url)
        assert process.stdout is not None
        assert process.stdout.readline() == b"line 20\n"
        assert ended(process) == 130


def test_the_log_of_a_recording_comes_as_it_is_played(spawn: Spawn, tmp_path: Path) -> None:
    """Its end may be hours away: nobody waits for that."""
    recorded = [*recorded_lines("yolo9t_early"), {"t": 3600.0, "file": "train.log"}]
    late = {"op": "append", "data": "the last line\n"}
    played = [{**one, "t": 0.1} for one in recorded[:-1]] + [{**recorded[-1], **late}]
    path = tmp_path / "run" / "recording.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(one) + "\n" for one in played))
    process = spawn("logs", path, "-f", "-n", "1")
    assert process.stdout is not None
    assert process.stdout.readline().strip()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert b"the last line" not in out


def recorded_lines(name: str) -> list[dict[str, object]]:
    text = (RUNS / name / "timeline.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]
