"""A follower goes on where another stopped, shows that it lives, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.links.boxes import Kind, follow
from tests.links.runs_on_disk import append, make_run
from tests.waiting import wait_until
from tui.facts import (
    Beat,
    FileWhole,
    Settled,
    Vitals,
)
from tui.runs import files


def test_following_goes_on_where_it_stopped(any_kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    append(run / files.METRICS, b'{"epoch": 1}\n{"epoch": 2}\n{"ep')
    with follow(any_kind, runs) as box:
        box.until_fact(Settled)
    box.received.forget_torn_lines()
    append(run / files.METRICS, b'och": 3}\n')
    with follow(any_kind, runs, received=box.received, resume=box.received.tokens()) as again:
        again.until_fact(Settled)
    lives = again.received.lives[str(run), files.METRICS]
    if any_kind.name == "fewest":  # nothing there can prove that the file is the same
        assert len(lives) == 2
    else:
        assert len(lives) == 1
    assert again.received.data(run, files.METRICS) == b'{"epoch": 1}\n{"epoch": 2}\n{"epoch": 3}\n'


def test_another_file_at_the_same_place_is_not_taken_for_the_old_one(
    kind: Kind, runs: Path
) -> None:
    run = make_run(runs, "run1")
    append(run / files.METRICS, b'{"epoch": 1}\n{"epoch": 2}\n')
    with follow(kind, runs) as box:
        box.until_fact(Settled)
    tokens = box.received.tokens()
    fresh = b'{"epoch": 1, "lr": 9}\n{"epoch": 2, "lr": 9}\n'
    (run / files.METRICS).write_bytes(fresh)  # the same inode, other bytes
    with follow(kind, runs, resume=tokens) as box:
        box.until_fact(Settled)
    assert box.received.data(run, files.METRICS) == fresh


def test_files_that_went_while_nobody_watched_are_told(kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    append(run / files.METRICS, b'{"epoch": 1}\n')
    with follow(kind, runs) as box:
        box.until_fact(Settled)
    (run / files.METRICS).unlink()
    with follow(kind, runs, resume=box.received.tokens()) as box:
        box.until_fact(Settled)
    assert (str(run), files.METRICS) in box.received.gone


def test_a_sign_of_life_comes_with_the_boxs_clock(
    kind: Kind, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("request", "shell_input"):
        monkeypatch.setattr(f"tui.links.{place}.HEARTBEAT_SECONDS", 2.0)
    with follow(kind, runs) as box:
        settled = box.until_fact(Settled)
        beat = box.until_fact(Beat)
        assert isinstance(settled, Settled)
        assert isinstance(beat, Beat)
        assert beat.box_time >= settled.box_time


def test_a_single_look_ends_by_itself(kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    with follow(kind, runs, once=True) as box:
        facts = list(box.stream)
    assert isinstance(facts[-1], Settled)
    assert any(isinstance(fact, FileWhole) and fact.path == str(run) for fact in facts)


def test_the_follower_ends_when_its_watcher_goes(kind: Kind, runs: Path) -> None:
    with follow(kind, runs) as box:
        box.until_fact(Settled)
        box.process._input.close()
        with pytest.raises(Exception, match="ended"):
            box.until(lambda _: False)
    wait_until(lambda: box.process.exit_status is not None)


def test_nothing_is_written_to_the_box(kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    append(run / files.LOG, b"line\n" * 1000)
    home = kind.path
    before = sorted(home.rglob("*")) + sorted(runs.rglob("*"))
    with follow(kind, runs, vitals_seconds=1.0) as box:
        box.until_fact(Settled)
        box.until_fact(Vitals)
    assert sorted(home.rglob("*")) + sorted(runs.rglob("*")) == before
