"""This machine as a box, and copies of another box's runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.links.received import Received
from tests.links.runs_on_disk import append, make_run, write_status
from tests.waiting import wait_until
from tui.boxes import LocalTarget
from tui.facts import FileWhole, Hello, Settled, Vitals
from tui.links.base import FollowRequest, LinkError
from tui.links.local import LocalLink
from tui.runs import files

LIVE = FollowRequest(roots=("/ignored",))
ONCE = FollowRequest(roots=("/ignored",), once=True)


def test_a_single_look_sees_everything_without_another_process(tmp_path: Path) -> None:
    run = make_run(tmp_path, "run1", pid=os.getpid())
    append(run / files.METRICS, b'{"epoch": 1}\n')
    link, received = LocalLink(LocalTarget(tmp_path)), Received()
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    before = children.read_text() if children.exists() else ""
    facts = []
    for fact in link.open(ONCE):
        facts.append(fact)
        received.take(fact)
        assert (children.read_text() if children.exists() else "") == before
    assert isinstance(facts[0], Hello)
    assert isinstance(facts[-1], Settled)
    assert received.data(run, files.METRICS) == b'{"epoch": 1}\n'
    process = received.vitals[str(run)].process
    assert process is not None
    assert process.state == "alive"


def test_a_directory_is_followed_until_closed(tmp_path: Path) -> None:
    run = make_run(tmp_path, "run1")
    link = LocalLink(LocalTarget(tmp_path))
    facts = link.open(LIVE)
    assert any(isinstance(fact, Settled) for fact in facts)
    status = write_status(run, current_epoch=1)
    assert any(isinstance(fact, FileWhole) and fact.data == status for fact in facts)
    link.close()
    assert list(facts) == []


def test_a_link_may_be_opened_again(tmp_path: Path) -> None:
    make_run(tmp_path, "run1")
    link = LocalLink(LocalTarget(tmp_path))
    for _ in range(2):
        facts = link.open(LIVE)
        assert any(isinstance(fact, Settled) for fact in facts)
        link.close()


def test_copies_bring_no_facts_of_this_machine(tmp_path: Path) -> None:
    run = make_run(tmp_path, "run1", pid=os.getpid())
    append(run / files.CONSOLE, b"from the box\n")
    received = Received()
    request = FollowRequest(roots=(), once=True, console="/etc/hostname")
    for fact in LocalLink(LocalTarget(tmp_path, mirror=True)).open(request):
        assert not isinstance(fact, Vitals)
        received.take(fact)
    assert received.data(run, files.CONSOLE) == b"from the box\n"


def test_a_path_that_does_not_exist_is_said_so(tmp_path: Path) -> None:
    for request in (LIVE, ONCE):
        with pytest.raises(LinkError, match="no such directory") as raised:
            list(LocalLink(LocalTarget(tmp_path / "nothing")).open(request))
        assert raised.value.kind == "usage"


def test_a_single_look_needs_few_modules(tmp_path: Path) -> None:
    """``boxtop status DIR --json`` has 150 ms in all."""
    make_run(tmp_path, "run1")
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from tui.boxes import LocalTarget\n"
        "from tui.links.base import FollowRequest\n"
        "from tui.links.local import LocalLink\n"
        f"link = LocalLink(LocalTarget(Path({str(tmp_path)!r})))\n"
        "list(link.open(FollowRequest(roots=(), once=True)))\n"
        "print(*sorted(sys.modules))\n"
    )
    modules = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {"paramiko", "textual", "ctypes", "asyncio", "logging", "plotext", "httpx2"}
    assert not heavy & set(modules)


def test_nothing_is_left_running(tmp_path: Path) -> None:
    make_run(tmp_path, "run1")
    link = LocalLink(LocalTarget(tmp_path))
    facts = link.open(LIVE)
    next(facts)
    assert link._pipe is not None
    pid = link._pipe.pid
    link.close()
    wait_until(lambda: not Path(f"/proc/{pid}").exists())
