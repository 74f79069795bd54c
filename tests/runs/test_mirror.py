"""The mirror holds what is on the box, byte for byte, whatever crashes in between."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tui.facts import FileBegins, FileBytes, FileWhole, RunFound, Stat
from tui.runs import files, mirror
from tui.runs.mirror import MirrorError, RunMirror
from tui.runs.mirrors import Mirrors

PATH = "/root/runs/run1"
FOUND = RunFound(PATH, "run1", "/root/runs")


def begins(data: bytes = b"", name: str = files.METRICS, offset: int = 0) -> FileBegins:
    head = hashlib.sha256(data[:256]).hexdigest()
    return FileBegins(PATH, name, offset, head, len(data[:256]), Stat(len(data), 10.0, 7, 8))


def appended(data: bytes, offset: int, name: str = files.METRICS) -> FileBytes:
    return FileBytes(PATH, name, offset, data, Stat(offset + len(data), 20.0, 7, 8))


@pytest.fixture
def run(tmp_path: Path) -> RunMirror:
    return RunMirror.create(tmp_path / "run1", FOUND)


def reopened(run: RunMirror) -> RunMirror:
    again = RunMirror.load(run.directory)
    assert again is not None
    return again


def test_a_mirror_is_a_valid_run_directory(run: RunMirror) -> None:
    run.write_whole(FileWhole(PATH, files.STATUS, b'{"state": "running"}', Stat(20, 1234.5)))
    assert (run.directory / "status.json").read_bytes() == b'{"state": "running"}'
    assert (run.directory / "status.json").stat().st_mtime == 1234.5


def test_appended_bytes_go_on_where_the_copy_ends(run: RunMirror) -> None:
    run.begin(begins())
    assert run.append(appended(b"one\n", 0)) == b"one\n"
    again = reopened(run)
    token = again.token(files.METRICS)
    assert token is not None
    assert token.offset == 4
    assert token.tail == hashlib.sha256(b"one\n").hexdigest()
    assert again.append(appended(b"two\n", 4)) == b"two\n"
    assert again.read(files.METRICS) == b"one\ntwo\n"


def test_a_repeated_part_is_dropped_and_a_gap_is_refused(run: RunMirror) -> None:
    run.begin(begins())
    run.append(appended(b"abcdef", 0))
    assert run.append(appended(b"defghi", 3)) == b"ghi"
    assert run.append(appended(b"abc", 0)) == b""
    with pytest.raises(MirrorError, match="bytes 9 to 12 are missing"):
        run.append(appended(b"x", 12))
    assert run.read(files.METRICS) == b"abcdefghi"


def test_bytes_before_a_beginning_are_refused(run: RunMirror) -> None:
    with pytest.raises(MirrorError, match="before the file's beginning"):
        run.append(appended(b"x", 0))


def test_a_file_that_was_empty_when_it_began_is_known_by_what_came_first(run: RunMirror) -> None:
    run.begin(begins(b""))
    rows = b"".join(b'{"epoch": %d, "same": "end of every row"}\n' % n for n in range(20))
    run.append(appended(rows, 0))
    token = run.token(files.METRICS)
    assert token is not None
    assert (token.head_size, token.head) == (256, hashlib.sha256(rows[:256]).hexdigest())


def test_half_an_append_costs_nothing(run: RunMirror) -> None:
    run.begin(begins())
    run.append(appended(b"first row\n", 0))
    with (run.directory / files.METRICS).open("ab") as torn:
        torn.write(b"second r")
    token = reopened(run).token(files.METRICS)
    assert token is not None
    assert token.offset == len(b"first row\nsecond r")


def test_a_new_life_keeps_the_old_copy_beside_it(run: RunMirror) -> None:
    run.begin(begins())
    run.append(appended(b"old\n", 0))
    run.begin(begins(b"new\n"))
    run.append(appended(b"new\n", 0))
    assert run.read(files.METRICS) == b"new\n"
    assert run.read(files.METRICS + ".1") == b"old\n"


@pytest.mark.parametrize("step", ["before the copy is moved", "after the copy is moved"])
def test_a_crash_between_two_lives_never_mixes_them(
    run: RunMirror, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.begin(begins())
    run.append(appended(b"old\n", 0))
    moves = 0 if step.startswith("before") else 1
    replace = Path.replace

    def crash(self: Path, target: Path) -> Path:
        nonlocal moves
        if self.name.startswith(f".{files.METRICS}") or target.name == files.METRICS + ".1":
            if moves == 0:
                raise KeyboardInterrupt
            moves -= 1
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", crash)
    with pytest.raises(KeyboardInterrupt):
        run.begin(begins(b"new\n", offset=0))
    monkeypatch.undo()
    again = reopened(run)
    token = again.token(files.METRICS)
    if token is not None:
        assert again.read(files.METRICS) == b"old\n"
        assert token.offset == 4
    else:
        assert again.read(files.METRICS + ".1") == b"old\n"


def test_a_log_that_begins_in_the_middle_knows_its_place(run: RunMirror) -> None:
    run.begin(begins(name=files.LOG, offset=5000))
    run.append(appended(b"line\n", 5000, files.LOG))
    token = reopened(run).token(files.LOG)
    assert token is not None
    assert token.offset == 5005


def test_a_log_keeps_its_newest_part_and_its_place(
    run: RunMirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror, "LOG_KEPT_BYTES", 1000)
    run.begin(begins(name=files.LOG))
    written = b""
    for number in range(400):
        line = b"line %d\n" % number
        run.append(appended(line, len(written), files.LOG))
        written += line
    kept = run.read(files.LOG)
    assert len(kept) <= 1500
    assert written.endswith(kept)
    assert kept.startswith(b"line ")
    token = reopened(run).token(files.LOG)
    assert token is not None
    assert token.offset == len(written)


def test_a_log_without_newlines_is_cut_too(run: RunMirror, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror, "LOG_KEPT_BYTES", 1000)
    run.begin(begins(name=files.LOG))
    for offset in range(0, 5000, 100):
        run.append(appended(b"x" * 100, offset, files.LOG))
    assert len(run.read(files.LOG)) <= 1500
    token = run.token(files.LOG)
    assert token is not None
    assert token.offset == 5000


def test_metrics_are_never_cut(run: RunMirror, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror, "LOG_KEPT_BYTES", 10)
    run.begin(begins())
    run.append(appended(b"x" * 100, 0))
    assert run.read(files.METRICS) == b"x" * 100


def test_a_box_that_sends_metrics_without_end_is_not_believed(
    run: RunMirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror, "APPENDED_MAX_BYTES", 10)
    run.begin(begins())
    with pytest.raises(OSError, match="larger than"):
        run.append(appended(b"x" * 11, 0))


def test_copies_are_for_their_owner_only(run: RunMirror) -> None:
    run.write_whole(FileWhole(PATH, files.STATUS, b"{}", Stat(2, 1.0)))
    run.begin(begins())
    run.append(appended(b"x", 0))
    for name in (files.STATUS, files.METRICS, mirror.META):
        assert (run.directory / name).stat().st_mode & 0o077 == 0


class TestMirrors:
    ODD = (
        "../../etc",
        "..",
        ".",
        "/",
        "a/../../b",
        "new\nline",
        "đường",
        "-rf",
        "x" * 400,
        "\udcff",
    )

    @pytest.mark.parametrize("name", ODD)
    def test_no_name_of_a_box_or_run_leaves_the_data_directory(
        self, tmp_path: Path, name: str
    ) -> None:
        box = Mirrors(tmp_path).box(name, name)
        box.claim()
        run = box.run(RunFound("/r/" + name, name, "/r"))
        assert run.directory.resolve().is_relative_to((tmp_path / "boxes").resolve())
        assert run.directory.resolve() != (tmp_path / "boxes").resolve()
        box.release()

    def test_odd_names_do_not_clash(self, tmp_path: Path) -> None:
        box = Mirrors(tmp_path).box("box", "box")
        box.claim()
        names = [*self.ODD, "%2E%2E", "x" * 401]
        directories = {box.run(RunFound("/r/" + n, n, "/r")).directory for n in names}
        assert len(directories) == len(names)
        box.release()

    def test_runs_are_found_again_after_a_restart(self, tmp_path: Path) -> None:
        box = Mirrors(tmp_path).box("lab", "root@203.0.113.7")
        box.claim()
        box.save()
        box.run(FOUND)
        box.run(RunFound("/root/runs/deep/er", "deep/er", "/root/runs"))
        box.release()
        (again,) = Mirrors(tmp_path).known()
        assert again.meta.name == "lab"
        assert {run.meta.id for run in again.runs()} == {"run1", "deep/er"}

    def test_a_second_boxtop_reads_a_private_copy_and_writes_nothing(self, tmp_path: Path) -> None:
        first = Mirrors(tmp_path).box("lab", "lab")
        first.claim()
        run = first.run(FOUND)
        run.begin(begins())
        run.append(appended(b"one\n", 0))
        second = Mirrors(tmp_path).box("lab", "lab")
        second.claim()
        (copy,) = second.runs()
        assert second.borrowed
        assert copy.token(files.METRICS) == run.token(files.METRICS)
        copy.append(appended(b"two\n", 4))
        assert run.read(files.METRICS) == b"one\n"
        private = copy.directory
        assert second.proofs(copy).path == first.proofs(run).path
        second.release()
        assert not private.exists()
        first.release()
        third = Mirrors(tmp_path).box("lab", "lab")
        third.claim()
        assert list(third.runs()) and not third.borrowed
        third.release()

    def test_a_mirror_that_cannot_be_written_is_read_from_a_copy(self, tmp_path: Path) -> None:
        box = Mirrors(tmp_path).box("lab", "lab")
        run = box.run(FOUND)
        (run.directory.parent / ".lock").mkdir()  # not even root can open that for writing
        again = Mirrors(tmp_path).box("lab", "lab")
        again.claim()
        assert [one.meta.id for one in again.runs()] == ["run1"]
        assert again.borrowed
        again.release()

    def test_two_boxtops_that_watch_other_roots_both_write(self, tmp_path: Path) -> None:
        boxes = [Mirrors(tmp_path).box("lab", "lab") for _ in range(2)]
        for box, root in zip(boxes, ("/A", "/B"), strict=True):
            box.claim()
            box.run(RunFound(f"{root}/run1", "run1", root))
            box.save()
        assert not any(box.borrowed for box in boxes)
        for box in boxes:
            box.release()
        (known,) = Mirrors(tmp_path).known()
        assert [run.meta.path for run in known.runs()] == ["/A/run1", "/B/run1"]

    def test_only_the_folders_of_wanted_runs_are_claimed(self, tmp_path: Path) -> None:
        first, second = (Mirrors(tmp_path).box("lab", "lab") for _ in range(2))
        first.claim()
        for root in ("/A", "/B"):
            first.run(RunFound(f"{root}/run1", "run1", root))
        first.release()
        first.claim()
        assert [run.meta.root for run in first.runs(lambda meta: meta.root == "/A")] == ["/A"]
        second.claim()
        assert [run.meta.root for run in second.runs(lambda meta: meta.root == "/B")] == ["/B"]
        assert not second.borrowed
        first.release()
        second.release()

    def test_a_removed_run_leaves_no_empty_folders(self, tmp_path: Path) -> None:
        box = Mirrors(tmp_path).box("lab", "lab")
        box.claim()
        keep = box.run(FOUND)
        gone = box.run(RunFound("/other/deep/run", "deep/run", "/other"))
        box.remove(gone)
        assert [run.meta.id for run in box.runs()] == [keep.meta.id]
        assert all(any(d.iterdir()) for d in box.directory.rglob("*") if d.is_dir())
        box.release()
