"""A recording plays as a box would, and what boxtop records plays again as the same files."""

from __future__ import annotations

import json
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
    RunFound,
    Settled,
    Stat,
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
