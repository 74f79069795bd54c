"""The follower against real files and real processes, on every kind of box."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.links.boxes import Kind, follow, make_kind
from tests.links.runs_on_disk import append, make_run, write_status
from tests.waiting import wait_until
from tui.facts import (
    Beat,
    Checkpoints,
    FileBegins,
    FileGone,
    FileWhole,
    Hello,
    RunFound,
    RunGone,
    Settled,
    Vitals,
)
from tui.runs import files


@pytest.fixture(params=["python", "dash"])
def kind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kind:
    return make_kind(request.param, tmp_path_factory.mktemp("box"))


@pytest.fixture(params=["python", "dash", "busybox", "fewest"])
def any_kind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kind:
    return make_kind(request.param, tmp_path_factory.mktemp("box"))


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    directory = tmp_path / "runs"
    directory.mkdir()
    return directory


def holds(path: Path, name: str, data: bytes) -> Callable[..., bool]:
    return lambda received: received.data(path, name) == data


def test_a_run_is_told_status_first_then_metrics_then_results_then_logs(
    kind: Kind, runs: Path
) -> None:
    old, new = make_run(runs, "old", pid=None), make_run(runs, "new", pid=None)
    os.utime(old / files.STATUS, (1_700_000_000, 1_700_000_000))
    for run in (old, new):
        append(run / files.METRICS, b'{"epoch": 1}\n')
        append(run / files.RESULTS, b"epoch\n1\n")
        append(run / files.LOG, b"a line\n")
    with follow(kind, runs) as box:
        box.until_fact(Settled)
    hello = box.facts[0]
    assert isinstance(hello, Hello)
    assert hello.searched == (str(runs),)
    found = [fact.id for fact in box.facts if isinstance(fact, RunFound)]
    assert found == ["new", "old"]
    told = [
        (fact.name, Path(fact.path).name)
        for fact in box.facts
        if isinstance(fact, FileWhole | FileBegins)
    ]
    assert told == [
        (name, run)
        for name in (files.STATUS, files.METRICS, files.RESULTS, files.LOG)
        for run in ("new", "old")
    ]


def test_what_is_written_arrives_byte_for_byte(any_kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    metrics = b'{"epoch": 1}\n{"epoch": 2, "torn": '
    append(run / files.METRICS, metrics)
    with follow(any_kind, runs) as box:
        box.until_fact(Settled)
        assert box.received.data(run, files.METRICS) == metrics
        rest = b'null}\n{"name": "\xff\xc4\x91", "tab": "\\t"}\n'
        append(run / files.METRICS, rest)
        box.until_received(holds(run, files.METRICS, metrics + rest))
        status = write_status(run, current_epoch=2)
        box.until_received(holds(run, files.STATUS, status))
        log = b"\x1b[2Jescapes\r\n\ttabs\nno newline yet"
        append(run / files.LOG, log)
        box.until_received(holds(run, files.LOG, log))


def test_bytes_that_no_text_holds_arrive_too(any_kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    data = bytes(range(256)) * 300 + b"\n\n\n"
    append(run / files.LOG, data)
    with follow(any_kind, runs) as box:
        box.until_fact(Settled)
        assert box.received.data(run, files.LOG) == data
        append(run / files.LOG, data)
        box.until_received(holds(run, files.LOG, data * 2))


def test_a_file_that_shrinks_begins_anew(kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    append(run / files.METRICS, b'{"epoch": 1}\n' * 40)
    with follow(kind, runs) as box:
        box.until_fact(Settled)
        (run / files.METRICS).write_bytes(b'{"epoch": 7}\n')
        box.until_received(holds(run, files.METRICS, b'{"epoch": 7}\n'))
        assert len(box.received.lives[str(run), files.METRICS]) == 2


def test_a_file_that_was_cut_and_grew_past_its_old_size_begins_anew(kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    append(run / files.METRICS, b'{"epoch": 1}\n')
    with follow(kind, runs) as box:
        box.until_fact(Settled)
        regrown = b"".join(b'{"epoch": %d, "again": 1}\n' % epoch for epoch in range(50))
        with (run / files.METRICS).open("r+b") as file:
            file.truncate(0)
            file.write(regrown)
        box.until_received(holds(run, files.METRICS, regrown))


def test_a_deleted_file_is_gone_and_its_successor_begins_anew(kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    append(run / files.METRICS, b'{"epoch": 1}\n')
    with follow(kind, runs) as box:
        box.until_fact(Settled)
        (run / files.METRICS).unlink()
        box.until_fact(FileGone)
        append(run / files.METRICS, b'{"epoch": 1, "fresh": 1}\n')
        box.until_received(holds(run, files.METRICS, b'{"epoch": 1, "fresh": 1}\n'))


def test_what_was_written_before_a_rotation_is_not_lost(any_kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    append(run / files.LOG, b"first\n")
    with follow(any_kind, runs) as box:
        box.until_fact(Settled)
        append(run / files.LOG, b"written just before\n")
        (run / files.LOG).rename(run / "train.log.1")
        append(run / files.LOG, b"after\n")
        box.until_received(holds(run, files.LOG, b"after\n"))
        everything = box.received.everything(run, files.LOG)
        assert everything == b"first\nwritten just before\nafter\n"


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


def test_a_huge_log_costs_no_more_than_its_newest_part(any_kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    with (run / files.LOG).open("wb") as log:
        log.truncate(200_000_000)
        log.seek(200_000_000)
        log.write(b"\nbefore the last\nLAST COMPLETE LINE\n")
    with follow(any_kind, runs) as box:
        box.until_fact(Settled)
        assert box.received.data(run, files.LOG).endswith(b"LAST COMPLETE LINE\n")
        with (run / files.LOG).open("ab") as log:
            log.write(b"y" * 50_000_000)
        ends = lambda received: received.data(run, files.LOG).endswith(b"yyyy")  # noqa: E731
        box.until_received(ends)
        assert box.pipe.sent_back < 512 * 1024


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """A directory that every user of this machine may enter."""
    directory = Path(tempfile.mkdtemp(prefix="bt"))
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("name", ["python", "dash"])
def test_a_file_that_may_not_be_read_is_said_to_be_so(name: str, open_directory: Path) -> None:
    kind = make_kind(name, open_directory)
    runs = open_directory / "runs"
    run = make_run(runs, "run1")
    (run / files.STATUS).chmod(0o600)
    append(run / files.METRICS, b'{"epoch": 3}\n')
    with follow(kind, runs, user=65534) as box:
        box.until_fact(Settled)
        trouble = box.received.troubles[str(run), files.STATUS]
        assert trouble.error == "EACCES"
        assert trouble.stat is not None
        assert trouble.stat.mode == 0o600
        assert trouble.stat.owner == "root"
        assert box.received.data(run, files.METRICS) == b'{"epoch": 3}\n'
        (run / files.STATUS).chmod(0o644)
        box.until_fact(FileWhole)


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


def test_checkpoints_are_listed_with_their_completeness(any_kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    weights = run / files.WEIGHTS
    weights.mkdir()
    whole = zipped(weights / "best.pt")
    (weights / "last.pt").write_bytes(whole[:-10])
    (weights / "epoch_1.pt").write_bytes(b"")
    (weights / "notes.txt").write_bytes(b"no checkpoint")
    for path in weights.iterdir():
        os.utime(path, (1_700_000_000, 1_700_000_000))
    with follow(any_kind, runs, vitals_seconds=1.0) as box:
        box.until_fact(Settled)
        told = {one.name: one for one in box.received.checkpoints[str(run)].files}
        assert {name: one.complete for name, one in told.items()} == {
            "best.pt": True,
            "last.pt": False,
            "epoch_1.pt": False,
        }
        assert told["best.pt"].size == len(whole)
        assert told["best.pt"].mtime == 1_700_000_000
        (weights / "best.pt").unlink()
        box.until(lambda fact: isinstance(fact, Checkpoints) and len(fact.files) == 2)


def test_the_checkpoints_that_matter_are_listed_however_many_there_are(
    any_kind: Kind, runs: Path
) -> None:
    weights = make_run(runs, "run1") / files.WEIGHTS
    weights.mkdir()
    for age, name in enumerate(["last", *(f"epoch_{number}" for number in range(230)), "best"]):
        (weights / f"{name}.pt").write_bytes(b"")
        os.utime(weights / f"{name}.pt", (1_700_000_000 - age, 1_700_000_000 - age))
    with follow(any_kind, runs, vitals_seconds=1.0) as box:
        box.until_fact(Settled)
        (told,) = box.received.checkpoints.values()
    assert {"best.pt", "last.pt", "epoch_0.pt"} <= {one.name for one in told.files}


def zipped(path: Path) -> bytes:
    import zipfile

    with zipfile.ZipFile(path, "w") as archive:
        for number in range(20):
            archive.writestr(f"archive/data/{number}", bytes(1000))
    return path.read_bytes()


def test_a_sign_of_life_comes_with_the_boxs_clock(
    kind: Kind, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("request", "shell_input"):
        monkeypatch.setattr(f"tui.links.{place}.HEARTBEAT_SECONDS", 2.0)
    with follow(kind, runs) as box:
        settled = box.until_fact(Settled)
        beat = box.until_fact(Beat, seconds=8.0)
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
            box.until(lambda _: False, seconds=10.0)
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


def test_weights_that_are_no_files_cost_only_themselves(kind: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    weights = run / files.WEIGHTS
    weights.mkdir()
    (weights / "a_dangling.pt").symlink_to("/nope")
    os.mkfifo(weights / "b_fifo.pt")
    (weights / "last.pt").write_bytes(b"x" * 10)
    (weights / "z_dangling.pt").symlink_to("/nope")
    with follow(kind, runs) as box:
        told = box.until_fact(Checkpoints)
        assert isinstance(told, Checkpoints)
        assert [file.name for file in told.files] == ["last.pt"]
        box.until_fact(Settled)


def test_a_large_status_without_a_pid_delays_nothing(kind: Kind, runs: Path) -> None:
    (make_run(runs, "odd") / files.STATUS).write_bytes(b'{"x": "' + b" " * 300_000 + b'"}')
    make_run(runs, "good")
    with follow(kind, runs) as box:
        box.until_fact(Settled, seconds=12.0)
        assert len(box.received.runs) == 2
