"""A finish line without a screen: a real sshd, a vendor with a ledger, runs that really end."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from tests.cli.ending import BEST, ID, LAST
from tests.finish.calling import Called, Train, Training, journal, with_hub
from tests.finish.calling import here as here
from tests.finish.calling import train as train
from tests.hub.faults import Answer
from tests.hub.server import Hub
from tests.onbox.checkpoints import checkpoint, put
from tests.providers.fake_http import HTML_503
from tests.providers.fake_vast import FakeVast
from tests.sshd import SshServer
from tui.actions import finish_desk
from tui.actions.finish_line import Timing

pytestmark = pytest.mark.sshd


def test_a_run_that_completes_is_pulled_and_its_box_destroyed(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    tmp_path: Path,
) -> None:
    run = train()
    called = Called(words, "pull,destroy")
    called.wait_for("finish line of lab (pull, destroy): waits for run1, epoch 3/9")
    assert (
        "when all training on lab has completed: pull the weights, then DESTROY lab" in called.lines
    )
    run.write("completed", completed_epochs=9)
    fake.allow("destroy", ID)
    assert fake.ledger == []
    run.kill()
    assert called.end() == 0, called.lines
    assert fake.ledger == [("destroy", ID)]
    assert (tmp_path / "cwd" / "lab-run1" / "best.pt").read_bytes() == BEST
    for line in (
        "saves: pull of run1",
        "looks at every run and weight again before the destroy",
        "all is saved and proven: DESTROYS lab (vast 700001) in 0:01",
        "finish line of lab done: lab (vast 700001) is gone: vast's list says so",
    ):
        assert called.lines.count(line) == 1, called.lines
    entries = journal(tmp_path)
    assert [(one["action"], one["outcome"]) for one in entries] == [
        ("finish line", "asked"),
        ("destroy", "asked"),
        ("destroy", "done"),
        ("finish line", "done"),
    ]
    asked = entries[1]["asked"]
    assert isinstance(asked, dict)
    assert asked["override"] is None and len(asked["gate"]["proven"]) == 2
    assert entries[0]["asked"]["typed"] == "lab"  # type: ignore[index]


def test_two_runs_are_waited_for_pushed_and_the_box_stopped(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    hub: Hub,
) -> None:
    with_hub(words)
    first, second = train(), train("run2")
    called = Called(words, "push,stop")
    called.wait_for("waits for run1, run2")
    first.end()
    called.wait_for("waits for run2, epoch 3/9")
    assert hub.asked("commit") == []
    fake.allow("stop", ID)
    second.end()
    assert called.end() == 0, called.lines
    assert fake.ledger == [("stop", ID)]
    assert hub.store.repos["my-org/run2"].head.entries["last.pt"].data == LAST
    assert "lab (vast 700001) is stopped: vast's list says so" in called.lines
    assert "lab still bills $0.069444/h" in called.lines


def test_what_is_not_saved_is_not_destroyed_and_the_code_is_5(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    tmp_path: Path,
) -> None:
    train().end()
    called = Called(words, "destroy")
    assert called.end() == 5, called.lines
    assert "NOT done: nothing was sent, lab (vast 700001) bills on: run1: best.pt" in called.lines
    assert fake.ledger == []
    assert journal(tmp_path)[-1]["outcome"] == "refused"


def test_a_push_that_fails_sends_nothing_and_the_code_is_6(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    hub: Hub,
) -> None:
    with_hub(words)
    hub.order("commit", Answer(403, {"error": "Private repository storage limit reached"}))
    train().end()
    called = Called(words, "push,destroy")
    assert called.end() == 6, called.lines
    assert "NOT done: nothing was sent: push failed: no storage left" in called.lines
    assert fake.ledger == []


def test_a_run_that_fails_needs_a_person_unless_it_was_asked_for(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
) -> None:
    run = train()
    called = Called(words, "pull,stop")
    called.wait_for("waits for run1")
    run.end("failed", error={"type": "ValueError", "message": "no labels"})
    assert called.end() == 3, called.lines
    assert "run1 failed, and that was not asked for" in called.lines
    told = "ends with boxtop: nobody will pull the weights, then stop lab (vast 700001)\n"
    assert called.lines.endswith(told)
    fake.allow("stop", ID)
    called = Called(words, "pull,stop", "failed")
    assert called.end() == 0, called.lines
    assert fake.ledger == [("stop", ID)]


def test_a_run_that_dies_is_saved_where_that_was_asked_for(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
) -> None:
    run = train()
    called = Called(words, "pull,destroy", "dead")
    called.wait_for("waits for run1")
    fake.allow("destroy", ID)
    run.process.kill()
    run.process.wait()
    assert called.end() == 0, called.lines
    assert fake.ledger == [("destroy", ID)]


def test_a_run_that_begins_in_the_countdown_is_waited_for(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = Timing(tick=0.05, settle=0.5, countdown=6.0, first_wait=0.3, tries=3)
    monkeypatch.setattr(finish_desk, "TIMING", slow)
    train().end()
    called = Called(words, "pull,destroy")
    called.wait_for("DESTROYS lab (vast 700001) in 0:0")
    second = train("run2")
    called.wait_for("waits for run2")
    fake.allow("destroy", ID)
    second.end()
    assert called.end() == 0, called.lines
    assert called.lines.count("DESTROYS") >= 2
    assert Path("lab-run2/last.pt").read_bytes() == LAST


def test_a_training_that_nobody_watches_keeps_its_box_from_being_stopped(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    ssh_box: SshServer,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    slow = Timing(0.05, settle=0.5, countdown=6.0, first_wait=0.3, longest_wait=0.3, tries=200)
    monkeypatch.setattr(finish_desk, "TIMING", slow)
    train().end()
    called = Called(words, "stop")
    called.wait_for("stops lab (vast 700001) in 0:0")
    project = ssh_box.home / "LibreYOLO"
    request.addfinalizer(lambda: shutil.rmtree(project))
    hidden = Training(project / "runs", "late")
    request.addfinalizer(hidden.process.kill)
    called.wait_for("late may still be training")
    assert fake.ledger == []
    fake.allow("stop", ID)
    hidden.end()
    assert called.end() == 0, called.lines
    assert fake.ledger == [("stop", ID)]


def test_weights_that_change_in_the_countdown_are_saved_again(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = Timing(tick=0.05, settle=0.5, countdown=10.0, first_wait=0.3, tries=3)
    monkeypatch.setattr(finish_desk, "TIMING", slow)
    run = train()
    run.end()
    called = Called(words, "pull,destroy")
    called.wait_for("DESTROYS lab (vast 700001) in 0:")
    newer = checkpoint(24_000, 9)
    put(run.path / "weights" / "last.pt", newer, age=3)
    fake.allow("destroy", ID)
    assert called.end() == 0, called.lines
    assert called.lines.count("DESTROYS") >= 2
    assert Path("lab-run1/last.pt").read_bytes() == newer


def test_a_lost_reply_is_unconfirmed_and_never_sent_again(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tui.actions import instance
    from tui.actions.instance_confirm import Patience

    short = Patience(first=0.1, longest=0.2, stop=1.0, destroy=1.0)
    monkeypatch.setattr(instance, "Patience", lambda: short)
    train().end()
    fake.fail(HTML_503, "DELETE")
    fake.linger = 10_000
    fake.allow("destroy", ID)
    called = Called(words, "pull,destroy")
    assert called.end() == 6, called.lines
    assert "UNCONFIRMED" in called.lines
    assert fake.ledger == [("destroy", ID)]


def test_a_provider_that_cannot_be_asked_is_asked_a_few_times(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
) -> None:
    run = train()
    called = Called(words, "pull,destroy")
    called.wait_for("waits for run1")
    fake.fail(HTML_503, "GET", times=10_000)
    run.end()
    assert called.end() == 6, called.lines
    assert "NOT done: given up: nothing was sent: vast: API error 503" in called.lines
    assert fake.ledger == []


def test_an_instance_that_became_another_is_not_touched(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
) -> None:
    run = train()
    called = Called(words, "pull,destroy")
    called.wait_for("waits for run1")
    fake.rows[0]["label"] = "somebody-elses"
    run.end()
    assert called.end() == 6, called.lines
    assert "nothing was sent: " in called.lines and "somebody-elses" in called.lines
    assert fake.ledger == []


def test_without_an_end_the_weights_are_saved_and_that_is_all(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
) -> None:
    run = train()
    called = Called(words, "pull")
    called.wait_for("waits for run1")
    began = time.monotonic()
    run.end()
    assert called.end() == 0, called.lines
    assert "finish line of lab done: the weights of 1 run were pulled" in called.lines
    assert time.monotonic() - began < 60 and fake.ledger == []
