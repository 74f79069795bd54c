"""Keys, signals and other processes while an instance is being ended."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.cli.ending import desk, journal
from tests.cli.terminal import terminal
from tests.waiting import wait_until


def test_ctrl_c_says_what_was_sent_and_that_it_goes_on(tmp_path: Path) -> None:
    state = tmp_path / "state"
    words = desk(tmp_path, state=f"cat {state}", stop="true")
    with terminal("stop", *words, "desk", "--yes", "desk") as shown:
        shown.wait_for("the stop was accepted")
        shown.process.send_signal(signal.SIGINT)
        assert shown.end() == 130
        assert "was accepted by command, and goes on without boxtop" in shown.shown
    assert journal(tmp_path)[-1]["outcome"] == "unknown"
    with terminal("stop", *words, "desk") as shown:
        shown.wait_for("Stop it? [y/N]")
        shown.process.send_signal(signal.SIGINT)
        assert shown.end() == 130
    assert len(journal(tmp_path)) == 2


def test_two_processes_do_not_act_on_one_instance(boxtop: Boxtop, tmp_path: Path) -> None:
    state, begun = tmp_path / "state", tmp_path / "begun"
    words = desk(tmp_path, state=f"cat {state}", stop=f"echo >> {begun}; sleep 60 & wait")
    with terminal("stop", *words, "desk", "--yes", "desk") as shown:
        wait_until(begun.exists)
        second = boxtop("stop", *words, "desk", "--yes", "desk")
        assert second.code == 6 and "another action on desk" in second.err
        shown.process.send_signal(signal.SIGINT)
        shown.end()
    assert begun.read_text() == "\n"


def test_keys_that_were_pressed_before_the_question_answer_nothing(tmp_path: Path) -> None:
    state = tmp_path / "state"
    words = desk(tmp_path, state=f"sleep 1; cat {state}", stop=f"echo stopped > {state}")
    with terminal("stop", *words, "desk") as shown:
        shown.press("y\n")
        shown.wait_for("Stop it? [y/N]")
        shown.press("n\n")
        assert shown.end() == 0
    assert state.read_text() == "running\n"


@pytest.mark.parametrize(("verb", "asks"), [("stop", "Stop it?"), ("destroy", "Type desk")])
def test_ctrl_c_at_the_question_says_that_nothing_was_sent(
    tmp_path: Path, verb: str, asks: str
) -> None:
    sent = tmp_path / "sent"
    words = desk(tmp_path, state="echo running", stop=f"touch {sent}", destroy=f"touch {sent}")
    with terminal(verb, *words, "desk") as shown:
        shown.wait_for(asks)
        shown.process.send_signal(signal.SIGINT)
        assert shown.end() == 130
        assert "nothing was sent: desk (command desk) stays as it is" in " ".join(
            shown.shown.split()
        )
    assert not sent.exists()
