"""A transfer's progress on stderr."""

from __future__ import annotations

import io

from tui.actions.progress import Progress
from tui.cli.console import Console
from tui.cli.progress import ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def sending(done: int) -> Progress:
    return Progress("sending", "best.pt", done, 2048)


def test_on_a_terminal_one_line_moves_and_is_taken_away() -> None:
    clock, err = Clock(), Terminal()
    line = ProgressLine(Console(out=io.StringIO(), err=err), clock)
    line.show(Progress("checking a long name of a thing"))
    clock.now = 1.0
    line.show(sending(1024))
    line.end()
    assert "\n" not in err.getvalue()
    drawn = err.getvalue().split("\r")
    assert drawn[2].rstrip() == "sending best.pt  1 KB of 2 KB  50 %"
    assert len(drawn[2]) >= len(drawn[1])
    assert drawn[-2].strip() == "" and drawn[-1] == ""


def test_on_a_terminal_it_is_drawn_ten_times_a_second_at_most() -> None:
    clock, err = Clock(), Terminal()
    line = ProgressLine(Console(out=io.StringIO(), err=err), clock)
    for moment in range(100):
        clock.now = moment / 100
        line.show(sending(moment))
    assert err.getvalue().count("\r") <= 11


def test_elsewhere_stages_are_told_once_and_again_when_they_last() -> None:
    clock, err = Clock(), io.StringIO()
    line = ProgressLine(Console(out=io.StringIO(), err=err), clock)
    for second in range(20):
        clock.now = float(second)
        line.show(sending(second))
    line.show(Progress("verifying"))
    line.end()
    told = err.getvalue().splitlines()
    assert len(told) == 3
    assert told[-1] == "boxtop: verifying"


def test_a_token_in_a_note_is_never_shown() -> None:
    err = io.StringIO()
    line = ProgressLine(Console(out=io.StringIO(), err=err), Clock())
    line.show(Progress("uploading", note="as hf_" + "Q" * 34))
    assert "QQQQ" not in err.getvalue()


def test_a_newline_in_a_name_stays_on_the_line() -> None:
    for err in (Terminal(), io.StringIO()):
        line = ProgressLine(Console(out=io.StringIO(), err=err), Clock())
        line.show(Progress("sending", "a\nb\rc\x1b[2J\u202e.pt", 1024, 2048))
        assert "sending a\\nb\\rc\\u202e.pt" in err.getvalue()
        assert err.getvalue().count("\n") == (0 if err.isatty() else 1)
