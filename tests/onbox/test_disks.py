"""The disks of a box beside its home: which are searched for runs, and who is seen at work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.onbox.checkpoints import checkpoint, make_weights, write_status
from tests.waiting import wait_until
from tui.onbox import disks, gate, mounts, open_files
from tui.onbox.elsewhere import Sweep
from tui.onbox.gate import Search
from tui.runs.files import MARKERS, PRUNED

ONE = checkpoint(20_000, seed=1)
MARKED = frozenset(os.fsencode(name) for name in MARKERS)


def ended(run: Path) -> Path:
    write_status(make_weights(run, best=ONE), state="completed", pid=None)
    return run


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A made-up top of a file system; nobody else trains."""
    top = tmp_path / "top"
    top.mkdir()
    places = disks.wide_places
    monkeypatch.setattr(gate, "wide_places", lambda: places(os.fsencode(top)))
    monkeypatch.setattr(gate, "written_runs", list)
    return top


def search(tmp_path: Path, **more: Any) -> Search:  # noqa: ANN401
    return Search(
        {
            **{"runs": [], "roots": [str(tmp_path / "runs")], "markers": [*MARKERS]},
            **{"pruned": [*PRUNED], "depth": 5, "elsewhere": [str(tmp_path / "own")]},
            **{"widely": True, **more},
        }
    )


def found(looking: Search) -> list[str]:
    return [os.fsdecode(path) for path, *_ in looking.paths()]


def test_runs_on_other_disks_of_the_box_are_found_after_those_at_home(
    top: Path, tmp_path: Path
) -> None:
    runs = [
        ended(tmp_path / "own" / "deep" / "er" / "run1"),
        ended(top / "data" / "run2"),
        ended(top / "mnt" / "disk 1" / "exp" / "run3"),
        ended(top / "usr" / "run4"),
    ]
    (top / "storage").mkdir()
    (top / "link").symlink_to(top / "data")
    looking = search(tmp_path)
    assert found(looking) == [str(run) for run in runs[:3]]
    assert looking.wide == [os.fsencode(top / name) for name in ("data", "mnt")]
    assert found(search(tmp_path, widely=False)) == [str(runs[0])]


def test_who_asks_from_the_same_machine_asks_for_the_box_alone(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended(top / "data" / "run2")
    monkeypatch.setattr(gate, "written_runs", lambda: [os.fsencode(top / "data" / "run2")])
    another = gate.sign({"boot": "another machine's", "processes": "pid:[1]"})
    container = gate.sign({**gate.machine(), "processes": "pid:[1]"})
    for asker in (another, container, gate.sign({"boot": "", "processes": ""}), None):
        assert len(found(search(tmp_path, asker=asker))) == 1
    looking = search(tmp_path, asker=gate.sign(gate.machine()))
    assert (found(looking), looking.wide) == ([], [])
    monkeypatch.setattr(gate, "machine", lambda: {"boot": "", "processes": ""})
    assert len(found(search(tmp_path, asker=gate.sign(gate.machine())))) == 1


def test_disks_of_other_machines_are_left_out(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("data", "mnt/share one", "mnt/disk"):
        ended(top / place / "run")
    share = str(top / "mnt" / "share one").replace(" ", "\\040")
    table = tmp_path / "mountinfo"
    table.write_text(
        f"30 1 0:30 / {top}/data rw - nfs4 server:/data rw\n"
        f"31 1 0:31 / {share} rw shared:1 - fuse.sshfs me@there: rw\n"
        f"32 1 8:17 / {top}/mnt/disk rw - ext4 /dev/sdb1 rw\n"
    )
    monkeypatch.setattr(mounts, "MOUNTS", str(table))
    assert found(search(tmp_path)) == [str(top / "mnt" / "disk" / "run")]


def test_no_place_is_searched_twice_and_all_that_are_left_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, other, third = (os.fsencode(tmp_path / name) for name in ("disk/own", "disk", "third"))
    run = ended(tmp_path / "disk" / "own" / "run1")
    (tmp_path / "third" / "inner").mkdir(parents=True)
    sweep = Sweep(MARKED, frozenset())
    assert sweep.below(own) == [os.fsencode(run)] and sweep.below(other, own) == []
    monkeypatch.setattr("tui.onbox.elsewhere.MAX_DIRECTORIES", 2)
    sweep = Sweep(MARKED, frozenset())
    sweep.below(other, third)
    assert sweep.partly == [other, third]


WRITER = """
import sys, time
log = open(sys.argv[1], "a")
print("open", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("name", ["train.log", "metrics.jsonl", "notes.txt"])
def test_a_training_at_work_is_seen_wherever_it_writes(tmp_path: Path, name: str) -> None:
    run = ended(tmp_path / "anywhere" / "run1")
    (tmp_path / "anywhere" / "train.log").touch()
    arguments = [sys.executable, "-c", WRITER, str(run / name)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None and writer.stdout.readline() == b"open\n"
        assert (os.fsencode(run) in open_files.written_runs()) is (name != "notes.txt")
        assert writer.stdin is not None
        writer.stdin.close()
    wait_until(lambda: os.fsencode(run) not in open_files.written_runs())
