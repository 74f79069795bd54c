"""The callback for scripted trainings: what it pushes, and that it never ends a training."""

from __future__ import annotations

import logging
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.callback_stage import BEST, LAST, Event, run_fixture  # noqa: F401
from tests.hub import hub_fixture  # noqa: F401
from tests.hub.faults import Answer, Hold
from tests.hub.server import Hub
from tests.onbox.checkpoints import leftovers, put
from tests.waiting import wait_until
from tui.callbacks import PushToHub
from tui.errors import UserError


@pytest.fixture(autouse=True)
def token(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("HF_TOKEN", hub.token)
    return hub.token


def commits(hub: Hub) -> int:
    repo = hub.store.repos.get("my-org/run1")
    return 0 if repo is None else sum(bool(one.entries.get("last.pt")) for one in repo.commits)


def test_a_milestone_is_pushed_from_a_snapshot(hub: Hub, run: Path) -> None:
    push = PushToHub("my-org/run1/a", every_epochs=10)
    for epoch in range(1, 11):
        push.on_train_epoch_end(Event(str(run), epoch))
    put(run / "weights/last.pt", b"the next epoch is being written")
    wait_until(lambda: hub.asked("paths-info"), what="the commit")
    entries = hub.store.repos["my-org/run1"].head.entries
    assert entries["a/last.pt"].data == LAST
    assert entries["a/best.pt"].data == BEST
    assert "a/status.json" in entries
    assert hub.store.repos["my-org/run1"].private
    wait_until(lambda: leftovers(run) == [], what="the snapshot's end")


def test_a_new_best_is_pushed_at_most_as_often_as_it_may(hub: Hub, run: Path) -> None:
    push = PushToHub("my-org/run1", best_seconds=3600.0, on_end=False)
    push.on_train_epoch_end(Event(str(run), 1))
    push.on_train_epoch_end(Event(str(run), 2, is_best=True))
    wait_until(lambda: hub.asked("commit"), what="the commit")
    push.on_train_epoch_end(Event(str(run), 3, is_best=True))
    push.on_train_end(Event(str(run)))
    assert len(hub.asked("commit")) == 1


@pytest.mark.parametrize("end", ["on_train_end", "on_train_exception"])
def test_the_end_is_pushed_and_outlives_the_training(hub: Hub, run: Path, end: str) -> None:
    script = (
        "import sys; from tui.callbacks import PushToHub\n"
        "class Event: save_dir = sys.argv[1]\n"
        f"PushToHub('my-org/run1').{end}(Event)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(run)],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == b""
    wait_until(lambda: commits(hub) == 1, what="the commit")


def test_the_end_is_pushed_also_while_an_upload_goes_on(hub: Hub, run: Path) -> None:
    hub.order("commit", Hold(10), 1)
    push = PushToHub("my-org/run1", every_epochs=1)
    push.on_train_epoch_end(Event(str(run), 1))
    wait_until(lambda: hub.asked("commit"), what="the first commit")
    put(run / "weights/last.pt", BEST)
    threading.Timer(0.3, hub.release).start()
    push.on_train_end(Event(str(run)))
    wait_until(lambda: commits(hub) == 2, what="the second commit")
    assert hub.store.repos["my-org/run1"].head.entries["last.pt"].data == BEST


def test_it_pickles_and_carries_no_token(run: Path, token: str) -> None:
    push = PushToHub("my-org/run1", every_epochs=1)
    push.on_train_epoch_end(Event(str(run)))
    packed = pickle.dumps(push)
    assert token.encode() not in packed
    again = pickle.loads(packed)
    assert (again.to, again.every_epochs) == ("my-org/run1", 1)
    assert token not in repr(vars(push))


@pytest.mark.parametrize("trouble", ["refused", "no token", "no weights", "all damaged", "full"])
def test_no_failure_ends_a_training(
    hub: Hub,
    run: Path,
    trouble: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING, "boxtop")
    match trouble:
        case "refused":
            hub.order("create", Answer(403, {"error": "no rights to create"}))
        case "no token":
            monkeypatch.delenv("HF_TOKEN")
        case "no weights":
            run = run / "nowhere"
        case "all damaged":
            put(run / "weights/best.pt", b"")
            put(run / "weights/last.pt", LAST[:-50])
        case "full":
            monkeypatch.setattr("tui.actions.callback_snapshot.copy", _no_space)
    push = PushToHub("my-org/run1", every_epochs=1)
    push.on_train_epoch_end(Event(str(run)))
    wait_until(lambda: caplog.records, what="a warning")
    assert "boxtop could not push" in caplog.text
    assert hub.asked("commit") == []
    if trouble != "no weights":
        wait_until(lambda: leftovers(run) == [], what="the snapshot's end")


def _no_space(*_: object) -> int:
    raise OSError(28, "No space left on device")


def test_a_destination_that_the_hub_does_not_take_is_told_before_the_training() -> None:
    with pytest.raises(UserError, match="names no repository"):
        PushToHub("run1")
