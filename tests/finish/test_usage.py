"""What `boxtop watch --when-done` refuses at once, and the name that is typed before the screen."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop, Called
from tests.cli.ending import desk
from tests.cli.runs import live_run
from tests.cli.terminal import terminal
from tests.providers.fake_vast import STOPPED, FakeVast
from tui.actions.finish_wish import parse_wish
from tui.errors import UserError

Words = tuple[object, ...]


def test_what_is_asked_for_is_read_in_any_order() -> None:
    wish = parse_wish("destroy, pull,push", "dead")
    assert (wish.saves, wish.end, set(wish.also)) == (("push", "pull"), "destroy", {"dead"})
    assert str(wish) == "push, pull, destroy"


@pytest.mark.parametrize(
    ("when_done", "also", "message"),
    [
        ("stop,destroy", "", "can stop or destroy, not both"),
        ("push,destory", "", "--when-done: 'destory' is not known"),
        (",", "", "--when-done names nothing"),
        ("push", "stalled", "--also: 'stalled' is not known"),
    ],
)
def test_words_that_ask_for_nothing(when_done: str, also: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        parse_wish(when_done, also)


def refused(called: Called, words: str) -> None:
    assert called.code == 2, called.err
    assert words in called.err


def test_what_cannot_be_is_said_at_once(
    boxtop: Boxtop,
    fake: FakeVast,
    words: Words,
    lab: Path,
    tmp_path: Path,
) -> None:
    watch = ("watch", *words)
    refused(boxtop("--read-only", *watch, "lab", "--when-done", "pull"), "--read-only forbids")
    refused(boxtop(*watch, "--when-done", "pull"), "--when-done takes one TARGET")
    refused(boxtop(*watch, "lab", "--also", "failed"), "--also and --yes belong to --when-done")
    refused(boxtop(*watch, "lab", "--when-done", "push"), "a push needs to know where to")
    refused(boxtop(*watch, "lab:run1", "--when-done", "stop"), "is for all runs of a box")
    refused(boxtop(*watch, lab, "--when-done", "stop"), "nobody is known who rents")
    refused(boxtop(*watch, "lab", "--when-done", "destroy"), "--yes lab would let boxtop destroy")
    wrong = boxtop(*watch, "lab", "--when-done", "destroy", "--yes", "lba")
    refused(wrong, "'lba' was typed, and this is lab (vast 700001)")
    record = boxtop(*watch, "lab", "--when-done", "pull", "--record", tmp_path / "rec")
    refused(record, "--record needs the screen")
    fake.rows[0].update(STOPPED, public_ipaddr=fake.rows[0]["public_ipaddr"])
    fake.rows[0]["ports"] = None
    stopped = boxtop(*watch, "vast:700001", "--when-done", "stop")
    assert stopped.code == 2
    assert fake.ledger == [] and not (tmp_path / "data" / "journal.jsonl").exists()


def test_a_directory_of_an_instances_name_is_not_that_instance(
    boxtop: Boxtop,
    fake: FakeVast,
    words: Words,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    live_run(tmp_path / "yolo9s" / "run1")
    monkeypatch.chdir(tmp_path)
    called = boxtop("watch", *words, "./yolo9s", "--when-done", "destroy", "--yes", "yolo9s")
    refused(called, "nobody is known who rents yolo9s out")


def test_a_box_that_has_no_stop(boxtop: Boxtop, tmp_path: Path) -> None:
    words = desk(tmp_path, state="echo running", destroy="true")
    called = boxtop("watch", *words, "desk", "--when-done", "stop")
    refused(called, "desk (command desk) has no stop")


def test_without_a_journal_nothing_is_ended(
    boxtop: Boxtop,
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("")
    words = desk(tmp_path, state="echo running", stop="true")
    called = boxtop(
        "watch", *words[:2], "--data-dir", tmp_path / "file", "desk", "--when-done", "stop"
    )
    refused(called, "no stop without a journal")


def test_the_name_is_typed_before_the_screen_and_leaving_says_that_it_is_gone(
    tmp_path: Path,
) -> None:
    words = desk(tmp_path, state="echo running", destroy="echo destroyed >&2; exit 9")
    live_run(tmp_path / "runs" / "run1")
    with terminal("watch", *words, "desk", "--when-done", "pull,destroy") as shown:
        shown.wait_for("Type desk to let boxtop destroy it then:")
        shown.press("no\n")
        assert shown.end() == 2
        assert "no finish line is set" in shown.shown
    with terminal("watch", *words, "desk", "--when-done", "pull,destroy") as shown:
        shown.wait_for("Type desk to let boxtop destroy it then:")
        shown.press("desk\n")
        shown.wait_for("finish line of desk (pull, destroy): waits for run1")
        shown.press("q")
        shown.wait_for("ctrl+c leaves without a question")
        shown.press("\x03")
        assert shown.end() == 0
        assert "the finish line of desk ends with boxtop: nobody will pull" in shown.shown
    entries = [json.loads(line) for line in (tmp_path / "data/journal.jsonl").open()]
    assert [entry["outcome"] for entry in entries] == ["asked", "left"]
    assert entries[1]["seen"]["result"] == "cancelled"


def test_ctrl_c_without_a_screen_says_what_nobody_will_do(
    spawn: Callable[..., subprocess.Popen[bytes]],
    tmp_path: Path,
) -> None:
    words = desk(tmp_path, state="echo running", stop="true")
    live_run(tmp_path / "runs" / "run1")
    process = spawn("watch", *words, "desk", "--when-done", "stop")
    assert process.stderr is not None
    lines = iter(process.stderr.readline, b"")
    assert any(b"waits for run1" in line for line in lines)
    process.send_signal(signal.SIGINT)
    rest = process.stderr.read()
    assert process.wait(30) == 130
    assert b"ends with boxtop: nobody will stop desk (command desk)" in rest
    assert b"Traceback" not in rest and rest.count(b"nobody will") == 1
