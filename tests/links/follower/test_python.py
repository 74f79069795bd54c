"""The follower in python where boxes are strange: no inotify, flaky disks, floods, many runs."""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.links.boxes import Kind, follow, make_kind
from tests.links.received import Received
from tests.links.runs_on_disk import append, make_run, write_status
from tui.facts import (
    Checkpoints,
    Fact,
    FileBytes,
    FileGone,
    FileTrouble,
    FileWhole,
    Notice,
    RunFound,
    Settled,
    Vitals,
)
from tui.links.base import FollowRequest
from tui.links.follower.disk import Info, LocalDisk
from tui.links.follower.following import Follower
from tui.links.follower.loop import Loop
from tui.links.follower.request import Request
from tui.links.follower.wire import Memory
from tui.links.frames import Decoder
from tui.links.request import new_marker, request_line
from tui.runs import files


@pytest.fixture
def python_box(tmp_path_factory: pytest.TempPathFactory) -> Kind:
    return make_kind("python", tmp_path_factory.mktemp("box"))


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    directory = tmp_path / "runs"
    directory.mkdir()
    return directory


@pytest.fixture
def box_without_inotify(python_box: Kind) -> Kind:
    """A box whose python was built without ctypes, as many are that people build themselves."""
    python = python_box.path / "python3"
    python.unlink()
    less = "import sys; sys.modules['ctypes'] = None; exec(sys.argv[-1])"
    python.write_text(f"#!{sys.executable}\n{less}\n")
    python.chmod(0o755)
    return python_box


def test_without_inotify_changes_are_found_by_looking(
    box_without_inotify: Kind, runs: Path
) -> None:
    run = make_run(runs, "run1")
    append(run / files.METRICS, b'{"epoch": 1}\n')
    with follow(box_without_inotify, runs) as box:
        box.until_fact(Settled)
        append(run / files.METRICS, b'{"epoch": 2}\n')
        status = write_status(run, current_epoch=2)
        box.until_received(lambda seen: seen.data(run, files.STATUS) == status)
        box.until_received(lambda seen: seen.data(run, files.METRICS).endswith(b"2}\n"))


def test_a_new_run_appears_long_before_the_next_search(python_box: Kind, runs: Path) -> None:
    make_run(runs, "run1")
    with follow(python_box, runs, search_seconds=60.0) as box:
        box.until_fact(Settled)
        make_run(runs / "project", "run12")
        box.until_fact(RunFound, seconds=10.0)


def test_weights_are_looked_at_again_after_every_epoch(python_box: Kind, runs: Path) -> None:
    run = make_run(runs, "run1")
    with follow(python_box, runs, vitals_seconds=60.0) as box:
        box.until_fact(Settled)
        (run / files.WEIGHTS).mkdir()
        (run / files.WEIGHTS / "last.pt").write_bytes(b"being written")
        write_status(run, current_epoch=1)
        box.until_fact(FileWhole)
        assert isinstance(next(box.stream), Checkpoints), "told with the status, before anything"


def test_a_checkpoint_that_was_just_written_is_judged_a_little_later(
    python_box: Kind, runs: Path
) -> None:
    run = make_run(runs, "run1")
    (run / files.WEIGHTS).mkdir()
    (run / files.WEIGHTS / "last.pt").write_bytes(b"PK\x03\x04 cut off")
    with follow(python_box, runs) as box:
        box.until_fact(Settled)
        box.until(lambda fact: isinstance(fact, Checkpoints) and fact.files[0].complete is False)


def test_a_flood_of_log_lines_is_skipped_and_the_newest_lines_arrive(
    python_box: Kind, runs: Path
) -> None:
    run = make_run(runs, "run1")
    with follow(python_box, runs) as box:
        box.until_fact(Settled)
        flood = b"".join(b"line %d %s\n" % (number, b"x" * 80) for number in range(100_000))
        append(run / files.LOG, flood)
        box.until_received(lambda seen: seen.data(run, files.LOG).endswith(flood[-1000:]))
        lives = box.received.lives[str(run), files.LOG]
        assert sum(len(life.data) for life in lives) < 800_000
        assert lives[-1].data.startswith(b"line "), "it goes on at the start of a line"


def test_many_quiet_runs_cost_no_open_files(python_box: Kind, runs: Path) -> None:
    for number in range(300):
        run = make_run(runs, f"run{number}", state="completed")
        for name in (files.METRICS, files.RESULTS, files.LOG):
            append(run / name, b"line\n")
        for path in run.iterdir():
            os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
    with follow(python_box, runs) as box:
        box.until_fact(Settled, seconds=60.0)
        assert len(box.received.runs) == 300
        assert next(iter(box.received.runs.values())).id == "run299"
        assert len(list(Path(f"/proc/{box.process.pid}/fd").iterdir())) < 20


def test_a_root_that_may_not_be_searched_is_said_once(runs: Path) -> None:
    facts = list(look(runs, ForbiddenDisk(os.fsencode(runs / "secret"))))
    notices = [fact.text for fact in facts if isinstance(fact, Notice)]
    assert len(notices) == 1
    assert str(runs / "secret") in notices[0]


def test_a_run_in_two_roots_is_one_run(runs: Path) -> None:
    make_run(runs, "run1")
    link = runs.parent / "link"
    link.symlink_to(runs)
    roots = (str(link), str(runs), str(runs / "run1"))
    facts = list(look(runs, LocalDisk(), roots=roots))
    found = [fact for fact in facts if isinstance(fact, RunFound)]
    assert [one.path for one in found] == [str(link / "run1")]


class ForbiddenDisk(LocalDisk):
    """A disk with one directory that may not be listed, whoever asks."""

    def __init__(self, forbidden: bytes) -> None:
        super().__init__()
        self._forbidden = forbidden
        Path(os.fsdecode(forbidden)).mkdir()

    def listing(self, path: bytes, limit: int) -> tuple[list[bytes], list[bytes], bool]:
        if path == self._forbidden:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return super().listing(path, limit)


class FlakyDisk(LocalDisk):
    """A network disk that fails a while for one file: so many times, with one error."""

    def __init__(self, name: str, code: int, times: int) -> None:
        super().__init__()
        self._name = os.fsencode(name)
        self._code = code
        self.left = times

    def info(self, path: bytes) -> Info:
        if path.endswith(b"/" + self._name) and self.left > 0:
            self.left -= 1
            raise OSError(self._code, os.strerror(self._code))
        return super().info(path)


def look(
    runs: Path,
    disk: LocalDisk,
    *,
    roots: tuple[str, ...] = (),
    received: Received | None = None,
    steps: int = 0,
) -> Iterator[Fact]:
    """Follow in this process, on a disk of our own: until settled, then so many steps more."""
    marker = new_marker()
    output, decoder = Memory(marker.encode()), Decoder(marker)
    line = request_line(FollowRequest(roots=roots or (str(runs),)), machine=False)
    loop = Loop(Follower(Request(line), output, disk), -1)
    pause = threading.Event()
    while not loop.settled or steps > 0:
        steps -= loop.settled
        loop.step()
        for fact in decoder.feed(output.take()):
            if received is not None:
                received.take(fact)
            yield fact
        pause.wait(min(loop.pause(), 0.3))
    loop.close()


@pytest.mark.parametrize("code", [errno.ENOENT, errno.ESTALE, errno.EIO])
def test_one_hiccup_of_a_network_disk_is_no_news(runs: Path, code: int) -> None:
    run = make_run(runs, "run1")
    append(run / files.METRICS, b'{"epoch": 1}\n')
    disk = FlakyDisk(files.METRICS, code, 0)
    received = Received()
    counts: Counter[type[Fact]] = Counter()
    for fact in look(runs, disk, received=received, steps=12):
        counts[type(fact)] += 1
        if isinstance(fact, Settled):
            disk.left = 1
            append(run / files.METRICS, b'{"epoch": 2}\n')
    assert disk.left == 0
    assert received.data(run, files.METRICS) == b'{"epoch": 1}\n{"epoch": 2}\n'
    assert len(received.lives[str(run), files.METRICS]) == 1
    assert not received.gone
    assert not counts[FileTrouble]


def test_a_lasting_trouble_of_a_network_disk_is_told_and_its_end_too(runs: Path) -> None:
    run = make_run(runs, "run1")
    append(run / files.METRICS, b'{"epoch": 1}\n')
    disk = FlakyDisk(files.METRICS, errno.ESTALE, 0)
    received = Received()
    troubled = False
    for fact in look(runs, disk, received=received, steps=25):
        if isinstance(fact, Settled):
            disk.left = 4
        if isinstance(fact, FileTrouble):
            troubled = fact.error == "ESTALE"
            assert disk.left > 0
        if troubled and isinstance(fact, FileBytes):
            break
    assert troubled
    assert not received.troubles
    assert received.data(run, files.METRICS) == b'{"epoch": 1}\n'


def test_vitals_of_quiet_runs_keep_their_disk(python_box: Kind, runs: Path) -> None:
    run = make_run(runs, "run1", state="completed")
    os.utime(run / files.STATUS, (1_700_000_000, 1_700_000_000))
    with follow(python_box, runs, vitals_seconds=1.0) as box:
        for _ in range(3):
            vitals = box.until_fact(Vitals)
            assert isinstance(vitals, Vitals)
            assert vitals.runs[0].disk is not None


def test_two_looks_within_one_rename_do_not_make_a_file_gone(runs: Path) -> None:
    run = make_run(runs, "run1")
    append(run / files.METRICS, b"one\n")
    marker = new_marker()
    output, decoder = Memory(marker.encode()), Decoder(marker)
    line = request_line(FollowRequest(roots=(str(runs),)), machine=False)
    follower = Follower(Request(line), output, LocalDisk())
    (found,) = follower.look_for_runs()
    metrics = next(one for one in found.files if one.name == files.METRICS.encode())
    metrics.check()
    (run / files.METRICS).rename(run / "metrics.jsonl.old")
    assert metrics.check() is not None
    assert metrics.check() is not None
    append(run / "metrics.jsonl.old", b"two\n")
    append(run / files.METRICS, b"three\n")
    metrics.check()
    facts = decoder.feed(output.take())
    assert not [fact for fact in facts if isinstance(fact, FileGone)]
    assert b"".join(f.data for f in facts if isinstance(f, FileBytes)) == b"one\ntwo\nthree\n"
