"""A recording plays as a box would, and what boxtop records plays again as the same files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tui.boxes import RecordingTarget
from tui.facts import (
    Beat,
    Checkpoints,
    Fact,
    FileBegins,
    FileBytes,
    FileWhole,
    Hello,
    Notice,
    RunFound,
    Settled,
    Stat,
    Vitals,
)
from tui.links.base import FollowRequest, LinkError
from tui.links.recorder import Recorder
from tui.links.recording import RecordingLink
from tui.runs import files

RUNS = Path(__file__).parent.parent / "data" / "runs"
ONCE = FollowRequest(roots=(), once=True)


def content(facts: list[Fact]) -> dict[str, bytes]:
    """The files that a stream of facts leaves behind."""
    found: dict[str, bytes] = {}
    for fact in facts:
        match fact:
            case FileWhole():
                found[fact.name] = fact.data
            case FileBegins():
                found[fact.name] = b""
            case FileBytes():
                assert fact.offset == len(found[fact.name])
                found[fact.name] += fact.data
    return found


@pytest.mark.parametrize(
    "name", ["yolo9t_long", "yolo9t_killed", "yolo9t_resumed", "yolo9t_early", "yolox_done"]
)
def test_a_recording_ends_in_the_files_that_the_run_left(name: str) -> None:
    link = RecordingLink(RecordingTarget(RUNS / name / "timeline.jsonl"))
    facts = list(link.open(ONCE))
    left = content(facts)
    for file in (files.METRICS, files.LOG):
        assert left[file] == (RUNS / name / file).read_bytes()
    status = json.loads((RUNS / name / files.STATUS).read_bytes())
    assert json.loads(left[files.STATUS])["state"] == status["state"]
    assert isinstance(facts[0], Hello)
    assert isinstance(facts[-1], Settled)
    assert [fact.id for fact in facts if isinstance(fact, RunFound)] == [name]


def test_times_are_the_recordings_own() -> None:
    link = RecordingLink(RecordingTarget(RUNS / "yolo9t_killed" / "timeline.jsonl"))
    facts = list(link.open(ONCE))
    last = json.loads((RUNS / "yolo9t_killed" / files.STATUS).read_bytes())
    assert last["updated_at"] == "2026-11-30T01:57:30+00:00"
    end = facts[-1]
    assert isinstance(end, Settled)
    assert 1796003850 <= end.box_time <= 1796003855


def test_a_fast_replay_beats_with_the_recordings_clock() -> None:
    link = RecordingLink(RecordingTarget(RUNS / "yolo9t_early" / "timeline.jsonl", speed=1000.0))
    beats = []
    for fact in link.open(FollowRequest(roots=())):
        if isinstance(fact, Beat):
            beats.append(fact.box_time)
        if isinstance(fact, Settled):
            link.close()
    assert beats == sorted(beats)
    assert beats[-1] - beats[0] >= 10


def test_what_is_recorded_plays_again_as_the_same_files(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    source = RecordingLink(RecordingTarget(RUNS / "yolo9t_resumed" / "timeline.jsonl"))
    facts = list(source.open(ONCE))
    for fact in facts:
        recorder.take(fact)
    again = RecordingLink(RecordingTarget(tmp_path / "yolo9t_resumed" / "timeline.jsonl"))
    replayed = list(again.open(ONCE))
    assert content(replayed) == content(facts)
    sizes = [fact.files for fact in facts if isinstance(fact, Checkpoints)]
    assert [
        {file.name: file.size for file in fact.files}
        for fact in replayed
        if isinstance(fact, Checkpoints)
    ][-1] == {file.name: file.size for file in sizes[-1]}


def test_a_file_that_begins_anew_is_recorded_so_and_bytes_survive(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    stat = Stat(1, 10.0)
    for fact in (
        Hello("python", 5.0),
        RunFound("/r/run1", "run1", "/r"),
        FileBegins("/r/run1", files.METRICS, 0, "", 0, stat),
        FileBytes("/r/run1", files.METRICS, 0, b"old \xff\xc3", stat),
        FileBegins("/r/run1", files.METRICS, 0, "", 0, stat),
        FileBytes("/r/run1", files.METRICS, 0, b"new \xc3", stat),
        FileBytes("/r/run1", files.METRICS, 5, b"\xa9", stat),
    ):
        recorder.take(fact)
    link = RecordingLink(RecordingTarget(tmp_path / "run1" / "timeline.jsonl"))
    assert content(list(link.open(ONCE)))[files.METRICS] == b"new \xc3\xa9"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("not json", ":1: no event"),
        ('{"t": 1}', ":1: no event"),
        ('{"t": 1, "file": "status.json", "op": "explode", "data": ""}', "unknown op"),
        ('{"t": 1, "file": "status.json", "op": "append", "data": 3}', "data is no text"),
        ("[]", ":1: no event"),
        ("", "empty recording"),
    ],
)
def test_what_is_no_recording_is_named_with_its_line(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "recording.jsonl"
    path.write_text(line)
    with pytest.raises(LinkError, match=says) as error:
        list(RecordingLink(RecordingTarget(path)).open(ONCE))
    assert error.value.kind == "usage"
    assert not error.value.retried


def test_a_missing_recording_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(LinkError, match="No such file"):
        list(RecordingLink(RecordingTarget(tmp_path / "none.jsonl")).open(ONCE))


def event(t: float, data: str = "{}", op: str = "replace") -> str:
    return json.dumps({"t": t, "file": files.STATUS, "op": op, "data": data})


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([event(0), event(1), '{"t": 2, "fi'], []),
        ([event(0), "nonsense", "", event(1), "[]", ""], ["2 lines of the recording cannot be"]),
        ([event(0), '{"t": NaN, "file": "", "op": "exit"}', event(1), ""], ["1 line of the"]),
    ],
)
def test_what_cannot_be_read_of_a_recording_is_left_out_and_counted(
    tmp_path: Path, lines: list[str], told: list[str]
) -> None:
    path = tmp_path / "recording.jsonl"
    path.write_text("\n".join(lines))
    facts = list(RecordingLink(RecordingTarget(path)).open(ONCE))
    assert len([fact for fact in facts if isinstance(fact, FileWhole)]) == 2
    notices = [fact.text for fact in facts if isinstance(fact, Notice)]
    assert len(notices) == len(told)
    assert all(text.startswith(start) for text, start in zip(notices, told, strict=True))


def test_a_recording_that_plays_says_so_and_how_fast() -> None:
    link = RecordingLink(RecordingTarget(RUNS / "yolo9t_early" / "timeline.jsonl", speed=1000.0))
    notices = []
    for fact in link.open(FollowRequest(roots=())):
        if isinstance(fact, Notice):
            notices.append(fact.text)
        if isinstance(fact, Settled):
            link.close()
    assert re.fullmatch(
        r"a recording of \d+:\d\d plays, 1000 times as fast as it happened", notices[0]
    )
    assert notices[-1] == "the recording is over"


def test_a_process_that_ended_is_gone_in_the_recording_and_in_its_copy(tmp_path: Path) -> None:
    path = RUNS / "yolo9t_killed" / "timeline.jsonl"
    for _ in range(2):
        facts = list(RecordingLink(RecordingTarget(path)).open(ONCE))
        (vitals,) = [fact for fact in facts if isinstance(fact, Vitals)]
        assert vitals.runs[0].process is not None
        assert vitals.runs[0].process.state == "gone"
        recorder = Recorder(tmp_path)
        for fact in facts:
            recorder.take(fact)
        path = tmp_path / "yolo9t_killed" / "timeline.jsonl"


def test_a_second_recording_lies_beside_the_first(tmp_path: Path) -> None:
    stat = Stat(1, 10.0)
    facts: list[Fact] = [
        Hello("python", 5.0),
        RunFound("/r/run1", "run1", "/r"),
        FileBegins("/r/run1", files.LOG, 0, "", 0, stat),
        FileBytes("/r/run1", files.LOG, 0, b"line\n", stat),
    ]
    for _ in range(2):
        recorder = Recorder(tmp_path)
        for fact in [*facts, facts[1]]:
            recorder.take(fact)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run1", "run1-2"]
    for path in tmp_path.iterdir():
        link = RecordingLink(RecordingTarget(path / "timeline.jsonl"))
        assert content(list(link.open(ONCE)))[files.LOG] == b"line\n"


def test_a_recorded_log_that_begins_anew_plays_the_same_way(tmp_path: Path) -> None:
    stat = Stat(1, 10.0)
    recorder = Recorder(tmp_path)
    recorder.take(RunFound("/r/run1", "run1", "/r"))
    for data in (b"old\n", b"new\n"):
        recorder.take(FileBegins("/r/run1", files.LOG, 0, "", 0, stat))
        recorder.take(FileBytes("/r/run1", files.LOG, 0, data, stat))
    link = RecordingLink(RecordingTarget(tmp_path / "run1" / "timeline.jsonl"))
    assert content(list(link.open(ONCE)))[files.LOG] == b"new\n"
