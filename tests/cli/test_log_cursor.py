"""Every whole line is read once, whatever becomes of the log."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.runs import live_run
from tui.cli.log_cursor import LogCursor
from tui.runs.log import LogTail

Spawn = Callable[..., subprocess.Popen[bytes]]


def test_a_log_that_began_anew_is_read_from_its_beginning_whatever_its_length() -> None:
    cursor, log = LogCursor(), LogTail()
    log.feed(b"old\n")
    assert cursor.read(log) == ["old"]
    for new in (b"one\n", b"one\ntwo\n", b"one\n", b"1\n2\n3\nopen"):
        log.reset()
        log.feed(new)
        assert cursor.read(log) == new.decode().split("\n")[:-1]
        assert cursor.read(log) == []


def test_another_log_is_read_from_its_beginning() -> None:
    cursor, logs = LogCursor(newest=1), (LogTail(), LogTail())
    for log in logs:
        log.feed(b"one\ntwo\n")
    assert [cursor.read(log) for log in logs] == [["two"], ["one", "two"]]


def test_a_reset_within_an_open_line_repeats_and_drops_nothing() -> None:
    cursor, log = LogCursor(), LogTail()
    log.feed(b"old\nhal")
    assert cursor.read(log) == ["old"]
    log.feed(b"f\n")
    assert cursor.read(log) == ["half"]
    log.feed(b"torn")
    log.reset()
    log.feed(b"new\n")
    assert cursor.read(log) == ["new"]


@pytest.mark.parametrize("how", ["truncated", "rotated"])
def test_logs_follow_a_log_that_begins_anew(spawn: Spawn, tmp_path: Path, how: str) -> None:
    log = live_run(tmp_path / "run1") / "train.log"
    log.write_text("old\n")
    process = spawn("logs", tmp_path, "-f")
    assert process.stdout is not None
    assert process.stdout.readline() == b"old\n"
    for new in ("first\n", "2nd\n"):
        if how == "rotated":
            log.rename(log.with_name("train.log.1"))
        log.write_text(new)
        assert process.stdout.readline() == new.encode()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
