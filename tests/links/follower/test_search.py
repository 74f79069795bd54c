"""Which directories are runs, under which roots, and when they come and go."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.links.boxes import Kind, follow
from tests.links.runs_on_disk import append, make_run
from tui.facts import (
    RunFound,
    RunGone,
    Settled,
)
from tui.runs import files


def test_odd_names_are_followed_and_never_run(any_kind: Kind, runs: Path, tmp_path: Path) -> None:
    odd = ["run 1", "it's", 'q"q', "$(touch pwned)", "`touch pwned2`", "-rf", "new\nline"]
    odd += ["\u0111\u01b0\u1eddng", "a;b&c|d", "*?[x]", "~", "back\\slash", " ", "trailing\n"]
    odd += [os.fsdecode(b"not-utf8-\xff\xfe")]
    for number, name in enumerate(odd):
        run = make_run(runs, name)
        append(run / files.METRICS, b'{"epoch": %d}\n' % number)
    with follow(any_kind, runs) as box:
        box.until_fact(Settled)
        assert {run.id for run in box.received.runs.values()} == set(odd)
        for number, name in enumerate(odd):
            assert box.received.data(runs / name, files.METRICS) == b'{"epoch": %d}\n' % number
        assert json.loads(box.received.data(runs / "new\nline", files.STATUS))
    assert not [path for path in tmp_path.rglob("pwned*") if path.is_file()]


def test_runs_that_come_and_go_are_told(kind: Kind, runs: Path) -> None:
    make_run(runs, "run1")
    with follow(kind, runs, search_seconds=1.0) as box:
        box.until_fact(Settled)
        late = make_run(runs / "nested" / "deeper", "run12")
        found = box.until_fact(RunFound)
        assert isinstance(found, RunFound)
        assert (found.path, found.id) == (str(late), "nested/deeper/run12")
        box.until_received(lambda received: bool(received.data(late, files.STATUS)))
        late.rename(runs.parent / "elsewhere")
        gone = box.until_fact(RunGone)
        assert gone == RunGone(str(late))


def test_loops_leftovers_weights_and_deep_trees_are_no_runs(kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    (runs / "loop").symlink_to(runs)
    (run / "again").symlink_to(run)
    (runs / ".status.json.k3x9q1aa.tmp").write_bytes(b"{}")
    make_run(run / files.WEIGHTS, "no")
    make_run(runs / "datasets", "no")
    make_run(runs / "1/2/3", "four")
    make_run(runs / "1/2/3/4", "five")
    with follow(kind, runs) as box:
        box.until_fact(Settled)
    assert sorted(run.id for run in box.received.runs.values()) == ["1/2/3/four", "run1"]


def test_a_root_may_be_a_run_itself_and_may_lie_in_the_home(kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    with follow(kind, run) as box:
        found = box.until_fact(RunFound)
    assert found == RunFound(str(run), "run1", str(run))
    with follow(kind, ["~/runs", "/nonexistent"], environment={"HOME": str(runs.parent)}) as box:
        found = box.until_fact(RunFound)
        box.until_fact(Settled)
    assert found == RunFound(str(run), "run1", str(runs))


def test_a_root_may_be_written_in_many_ways(kind: Kind, runs: Path) -> None:
    run = make_run(runs, "a/run1")
    home = {"HOME": f"{runs.parent}/"}
    for root in (f"{runs}/", f"{runs}//a/..", f"{runs.parent}/./runs", "~/runs", "~/runs/"):
        with follow(kind, [root], environment=home) as box:
            box.until_fact(Settled)
        assert [one.id for one in box.received.runs.values()] == ["a/run1"]
        assert box.received.data(run, files.STATUS)


def test_only_the_run_that_was_asked_for_is_told(kind: Kind, runs: Path) -> None:
    make_run(runs, "run1")
    wanted = make_run(runs, "run12")
    for only in (str(wanted), "run12"):
        with follow(kind, runs, only=only) as box:
            box.until_fact(Settled)
        assert [run.id for run in box.received.runs.values()] == ["run12"]
