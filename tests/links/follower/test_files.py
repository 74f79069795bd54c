"""Files that grow, shrink, rotate and go: what is written on the box arrives byte for byte."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.links.boxes import Kind, follow, make_kind
from tests.links.runs_on_disk import append, make_run, write_status
from tui.facts import (
    FileBegins,
    FileGone,
    FileWhole,
    Hello,
    RunFound,
    Settled,
)
from tui.runs import files


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


def test_a_large_status_without_a_pid_delays_nothing(kind: Kind, runs: Path) -> None:
    (make_run(runs, "odd") / files.STATUS).write_bytes(b'{"x": "' + b" " * 300_000 + b'"}')
    make_run(runs, "good")
    with follow(kind, runs) as box:
        box.until_fact(Settled, seconds=12.0)
        assert len(box.received.runs) == 2
