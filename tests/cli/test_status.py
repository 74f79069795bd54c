"""What `status` tells of boxes, runs and recordings, however they are named."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.cli.runs import RUNS, copy_run, live_run
from tests.sshd import SshServer
from tui.cli import join_ssh_words


def test_the_quick_way_of_status_is_the_same_as_the_long_one(boxtop: Boxtop) -> None:
    quick = boxtop("status", RUNS, "--json")
    long = boxtop("--no-color", "status", RUNS, "--json")
    assert quick.code == long.code == 3

    def steady(text: str) -> str:
        return re.sub(r'"(generated_at|\w*age_s|clock_skew_s|free)": .*', "", text)

    assert steady(quick.out) == steady(long.out)


def test_a_run_directory_that_was_named_tells_of_the_live_run_beside_it(
    boxtop: Boxtop, tmp_path: Path
) -> None:
    copy_run("yolo9t_long", tmp_path / "run1")
    os.utime(tmp_path / "run1" / "status.json", (1, 1))
    live_run(tmp_path / "run12")
    for target in (tmp_path / "run1", f"{tmp_path}:run1"):
        called = boxtop("status", target)
        assert called.code == 0
        assert "note: run12 is live" in called.out
        assert "completed  run1  100/100" in called.out
        assert "running" not in called.out
    document = json.loads(boxtop("status", tmp_path / "run1", "--json").out)
    assert [run["id"] for run in document["boxes"][0]["runs"]] == ["run1"]


def test_a_run_is_named_by_its_path_or_by_its_end_when_that_is_enough(
    boxtop: Boxtop, tmp_path: Path
) -> None:
    copy_run("yolo9t_long", tmp_path / "exp" / "run1")
    copy_run("yolo9t_early", tmp_path / "exp" / "run2")
    copy_run("yolox_done", tmp_path / "other" / "run2")
    assert "exp/run1" in boxtop("status", f"{tmp_path}:exp/run1").out
    assert "exp/run1" in boxtop("status", f"{tmp_path}:run1").out
    assert boxtop("status", f"{tmp_path}:run2").code == 2


def test_a_recorded_process_that_ended_is_dead(boxtop: Boxtop) -> None:
    called = boxtop("status", RUNS / "yolo9t_killed" / "timeline.jsonl", "--json")
    (run,) = json.loads(called.out)["boxes"][0]["runs"]
    assert called.code == 3
    assert (run["verdict"], run["pid_alive"]) == ("dead", None)


def test_a_recording_that_cannot_be_written_or_played_is_told_at_once(
    boxtop: Boxtop, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    for place in ("/proc/nope", tmp_path / "file" / "x"):
        called = boxtop("watch", "--record", place, RUNS)
        assert called.code == 2 and called.err.startswith(f"boxtop: --record: {place}: ")
    called = boxtop("watch", "--speed", "10", RUNS)
    assert called.code == 2 and "--speed is for recordings" in called.err


def test_a_run_that_is_being_copied_is_none(boxtop: Boxtop, tmp_path: Path) -> None:
    copy_run("yolo9t_long", tmp_path / "run1")
    copy_run("yolo9t_early", tmp_path / ".run3.tmp")
    (box,) = json.loads(boxtop("status", tmp_path, "--json").out)["boxes"]
    assert [run["id"] for run in box["runs"]] == ["run1"]


def test_a_long_list_of_names_is_broken_into_lines(boxtop: Boxtop, tmp_path: Path) -> None:
    for number in range(12):
        copy_run("yolo9t_early", tmp_path / f"a_run_with_quite_a_long_name_{number}")
    for arguments in (["status", f"{tmp_path}:nothing"], ["logs", tmp_path]):
        hint = boxtop(*arguments).err.splitlines()[1:]
        assert len(hint) > 1 and max(map(len, hint)) <= 100


def test_the_status_of_a_recording(boxtop: Boxtop) -> None:
    called = boxtop("status", RUNS / "yolo9t_long" / "timeline.jsonl", "--json")
    (box,) = json.loads(called.out)["boxes"]
    (run,) = box["runs"]
    assert called.code == 0 and box["clock_skew_s"] is None
    assert (run["verdict"], run["epoch"], run["pid_alive"]) == ("completed", 100, None)
    assert run["best"] == {
        "name": "mAP50-95",
        "value": pytest.approx(0.6457, abs=1e-4),
        "epoch": 88,
    }


def test_two_boxes_of_one_name_are_two(boxtop: Boxtop, tmp_path: Path) -> None:
    for parent in ("a", "b"):
        copy_run("yolo9t_long", tmp_path / parent / "runs" / "run1")
    called = boxtop("status", tmp_path / "a" / "runs", tmp_path / "b" / "runs", "--json")
    assert [box["name"] for box in json.loads(called.out)["boxes"]] == ["runs", "runs-2"]


def test_what_an_ssh_line_had_too_much_is_told(
    boxtop: Boxtop, ssh_box: SshServer, tmp_path: Path
) -> None:
    line = f"ssh -p {ssh_box.port} {ssh_box.user}@127.0.0.1 -L 8080:localhost:8080"
    for arguments in ([line], line.split()):
        called = boxtop("status", *arguments, "--json")
        assert called.code == 0
        assert "not used: -L 8080:localhost:8080" in called.err
        assert json.loads(called.out)["boxes"][0]["target"] == line


@pytest.mark.parametrize(
    ("words", "joined"),
    [
        (["ssh", "-p", "1", "root@h"], ["ssh -p 1 root@h"]),
        (["status", "ssh", "-p", "1", "h", "--json"], ["status", "--json", "ssh -p 1 h"]),
        (["--ascii", "logs", "ssh", "h", "-p", "1"], ["--ascii", "logs", "ssh h -p 1"]),
        (["status", "ssh -p 1 h", "--json"], ["status", "ssh -p 1 h", "--json"]),
        (["status", "ssh"], ["status", "ssh"]),
        (["status", "ssh", "--json"], ["status", "ssh", "--json"]),
        (["ssh", "-i", "my key", "h"], ["ssh -i 'my key' h"]),
        (["--debug", "status", "lab"], ["--debug=", "status", "lab"]),
    ],
)
def test_an_ssh_line_without_quotes_is_one_target(words: list[str], joined: list[str]) -> None:
    assert join_ssh_words(words) == joined
