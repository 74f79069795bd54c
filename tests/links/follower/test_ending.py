"""A training that ends between two readings is told as it ended, and never as dead."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.links.boxes import Following, Kind, follow, make_kind
from tests.links.runs_on_disk import make_run, write_status
from tui.facts import Fact, FileWhole, Vitals
from tui.links.base import FollowRequest
from tui.links.follower.disk import LocalDisk
from tui.links.follower.following import Follower
from tui.links.follower.gpus import Gpus
from tui.links.follower.request import Request
from tui.links.follower.vitals import Vitals as Sender
from tui.links.follower.wire import Memory
from tui.links.frames import Decoder
from tui.links.request import new_marker, request_line
from tui.runs import files


def test_a_status_is_never_older_than_the_news_that_its_process_is_gone(tmp_path: Path) -> None:
    marker = new_marker()
    output, decoder = Memory(marker.encode()), Decoder(marker)
    request = Request(request_line(FollowRequest(roots=(str(tmp_path),))))
    training = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    run = make_run(tmp_path, "run1", pid=training.pid, state="running")
    follower = Follower(request, output, LocalDisk())
    found = follower.look_for_runs()
    for one in found:
        one.status.check()
    sender = Sender(output, request, Gpus(None, 5.0))

    write_status(run, pid=training.pid, state="completed")
    training.communicate(b"\n")
    sender.send(found)

    facts: list[Fact] = decoder.feed(output.take())
    told = [
        json.loads(fact.data)["state"] if isinstance(fact, FileWhole) else fact.runs[0].process
        for fact in facts
        if isinstance(fact, FileWhole | Vitals)
    ]
    assert told[:2] == ["running", "completed"]
    assert told[2].state == "gone"


GONE = 4_000_001
"""No process has this number: pids end at 2**22."""


def ends_once_its_status_was_read(kind: Kind, end: Path) -> None:
    """Make the box's ``head`` run a script, once it is there, right after it read a status."""
    head = kind.path / "head"
    head.unlink()
    head.write_text(
        f'#!/bin/sh\n{shutil.which("head")} "$@"\ncode=$?\n'
        f'case "$*" in *status.json*) [ ! -e {end} ] || {{ {shutil.which("mv")} {end} {end}ed;'
        f" /bin/sh {end}ed; }};; esac\nexit $code\n"
    )
    head.chmod(0o755)


def shown_dead(box: Following, run: Path, fact: Fact) -> int:
    """Return the pid of a process that is told gone while the status says that it runs."""
    if not isinstance(fact, Vitals) or fact.runs[0].process is None:
        return 0
    process, status = fact.runs[0].process, json.loads(box.received.data(run, files.STATUS))
    gone = process.state in {"gone", "zombie"} and status["state"] == "running"
    return process.pid if gone and status["pid"] == process.pid else 0


def test_a_resumed_training_that_ends_at_once_is_not_told_dead_by_sh(tmp_path: Path) -> None:
    kind = make_kind("dash", tmp_path)
    run = make_run(tmp_path / "runs", "run1", pid=GONE)
    ends_once_its_status_was_read(kind, tmp_path / "end")
    with (
        subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as training,
        follow(kind, tmp_path / "runs", vitals_seconds=1.0) as box,
    ):
        box.until(lambda fact: shown_dead(box, run, fact) == GONE)
        ended = json.dumps({"state": "completed", "pid": training.pid})
        (tmp_path / "completed").write_text(ended)
        mv, sleep = shutil.which("mv"), shutil.which("sleep")
        script = f"{mv} {tmp_path}/completed {run}/status.json; kill -9 {training.pid}; {sleep} 0.2"
        (tmp_path / "script").write_text(script)
        (tmp_path / "script").rename(tmp_path / "end")
        write_status(run, pid=training.pid)
        dead: list[int] = []

        def told_completed(fact: Fact) -> bool:
            dead.append(shown_dead(box, run, fact))
            return isinstance(fact, Vitals) and b"completed" in box.received.data(run, files.STATUS)

        box.until(told_completed)
        assert training.pid not in dead


@pytest.mark.parametrize("name", ["dash", "busybox"])
def test_a_status_replaced_twice_within_a_second_is_read_to_its_last(
    tmp_path: Path, name: str
) -> None:
    kind = make_kind(name, tmp_path)
    run = make_run(tmp_path / "runs", "run1", pid=None, epoch=1)
    status = run / files.STATUS
    with follow(kind, tmp_path / "runs") as box:
        box.until(lambda fact: isinstance(fact, FileWhole))
        with status.open("r+b") as file:  # the same inode, size and second
            file.write(status.read_bytes().replace(b'"epoch": 1', b'"epoch": 2'))
        box.until_received(lambda got: b'"epoch": 2' in got.data(run, files.STATUS), seconds=6.0)
