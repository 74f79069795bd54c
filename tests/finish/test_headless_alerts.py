"""What a finish line without a screen tells of, and that each end is told once."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.alerts.listener import Listener
from tests.cli.ending import ID
from tests.finish.calling import Called, Train
from tests.finish.calling import here as here
from tests.finish.calling import train as train
from tests.providers.fake_vast import FakeVast
from tests.waiting import wait_until
from tui.actions import finish_desk
from tui.actions.finish_line import Timing
from tui.alerts import watcher

pytestmark = pytest.mark.sshd


class Screen(io.StringIO):
    """A terminal's stdout."""

    def isatty(self) -> bool:
        return True


def alerts_to(words: tuple[object, ...], listener: Listener) -> None:
    config = Path(str(words[1]))
    config.write_text(f"{config.read_text()}[alerts]\nurls = ['http://{listener.place}/hook']\n")
    config.chmod(0o600)


def kinds(listener: Listener) -> list[str]:
    return [event["kind"] for one in listener.taken for event in one.body["events"]]


def test_what_happens_and_how_it_ended_is_told_where_alerts_go(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    listener: Listener,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = Timing(tick=0.05, settle=0.5, countdown=10.0, first_wait=0.3, tries=3)
    monkeypatch.setattr(finish_desk, "TIMING", slow)
    monkeypatch.setattr(watcher, "LOOK_SECONDS", 0.3)
    monkeypatch.setenv("TERM", "xterm-kitty")
    alerts_to(words, listener)
    run = train()
    screen = Screen()
    called = Called(words, "pull,stop", out=screen)
    called.wait_for("waits for run1")
    memory = Path(str(words[3]))
    wait_until(lambda: any("true" in one.read_text() for one in memory.glob("alerts-*.json")), 30)
    fake.allow("stop", ID)
    run.end()
    assert called.end() == 0, called.lines
    assert kinds(listener) == ["completed", "finished"]
    assert "lab run1 completed" in listener.taken[0].body["text"]
    assert "is stopped: vast's list says so" in listener.taken[-1].body["text"]
    assert "lab still bills $0.069444/h" in listener.taken[-1].body["text"]
    assert called.lines.count("alert: lab run1 completed") == 1
    assert screen.getvalue().count("\x1b]9;boxtop: ") == len(listener.taken)


def test_an_end_is_told_once_however_often_boxtop_is_started_over_it(
    fake: FakeVast, words: tuple[object, ...], train: Train, listener: Listener
) -> None:
    alerts_to(words, listener)
    train().end()
    for _ in range(2):
        called = Called(words, "destroy")
        assert called.end() == 5, called.lines
    assert kinds(listener) == ["finish_failed"]
    assert "best.pt" in listener.taken[0].body["text"]
    assert "\x1b" not in called.out.getvalue()


def test_a_line_that_only_a_person_can_go_on_with_is_told(
    fake: FakeVast, words: tuple[object, ...], train: Train, listener: Listener
) -> None:
    alerts_to(words, listener)
    listener.answer(503)
    run = train()
    called = Called(words, "pull,stop")
    called.wait_for("waits for run1")
    run.end("failed", error={"type": "ValueError", "message": "no labels"})
    assert called.end() == 3, called.lines
    assert kinds(listener)[-1] == "finish_failed" and len(listener.taken) == 2
    assert "run1 failed, and that was not asked for" in listener.taken[1].body["text"]
    assert "boxtop tries again" in called.lines
