"""A training that ends between two readings is told as it ended, and never as dead."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

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
