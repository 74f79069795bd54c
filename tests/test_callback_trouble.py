"""The callback where things are half broken: what is whole is pushed, nothing is left behind."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

import pytest

from tests.callback_stage import BEST, LAST, Event, run_fixture  # noqa: F401
from tests.hub import hub_fixture  # noqa: F401
from tests.hub.faults import Hold
from tests.hub.server import Hub
from tests.onbox.checkpoints import leftovers, make_weights, put
from tests.waiting import wait_until
from tui.callbacks import PushToHub

KILLED = """\
import os, sys
from tui.actions import callback_push
from tui.callbacks import PushToHub
class Event: save_dir, epoch, is_best = sys.argv[1], 1, True
callback_push.Upload.run = lambda self: None
PushToHub("my-org/run1", every_epochs=1).on_train_epoch_end(Event)
os.kill(os.getpid(), 9)
"""

BEGUN = """\
import os, sys
from tui.callbacks import PushToHub
class Event: save_dir, epoch, is_best = sys.argv[1], 1, True
push = PushToHub("my-org/run1", every_epochs=1)
push.on_train_epoch_end(Event)
push._upload.begun.wait(30)
os.kill(os.getpid(), 9)
"""

IN_MEMORY = """\
import os, sys
from pathlib import Path
from tui.actions import callback_push
callback_push.MEMORY = Path(sys.argv[2])
callback_push._home_has_room = lambda: False
"""


@pytest.fixture(autouse=True)
def quiet_hub(hub: Hub, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv("HF_TOKEN", hub.token)
    caplog.set_level(logging.INFO, "boxtop")


def pushed(hub: Hub, caplog: pytest.LogCaptureFixture) -> dict[str, bytes]:
    """Wait for the end of a push; return the checkpoints that its commit holds."""
    wait_until(lambda: "boxtop pushed" in caplog.text, what="the push")
    entries = hub.store.repos["my-org/run1"].head.entries
    return {name: entry.data for name, entry in entries.items() if name.endswith(".pt")}


def message(hub: Hub) -> str:
    return hub.store.repos["my-org/run1"].head.title


def pushes(home: Path) -> list[str]:
    return sorted(path.name for path in home.glob(".cache/boxtop/pushes/*"))


def no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tui.actions.callback_snapshot.copy", full)


@pytest.mark.parametrize("spoilt", ["last", "best"])
def test_a_damaged_checkpoint_keeps_back_no_other(
    hub: Hub, run: Path, caplog: pytest.LogCaptureFixture, spoilt: str
) -> None:
    put(run / f"weights/{spoilt}.pt", LAST[:-50])
    PushToHub("my-org/run1").on_train_exception(Event(str(run)))
    whole = {"last": {"best.pt": BEST}, "best": {"last.pt": LAST}}[spoilt]
    assert pushed(hub, caplog) == whole
    assert message(hub) == f"{next(iter(whole))} of run1 (the run failed)"
    assert f"{spoilt}.pt is not a complete checkpoint" in caplog.text
    assert leftovers(run) == []


def test_one_that_cannot_be_opened_keeps_back_no_other(
    hub: Hub, run: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (run / "weights/best.pt").unlink()
    (run / "weights/best.pt").symlink_to("/etc/passwd")
    PushToHub("my-org/run1").on_train_end(Event(str(run)))
    assert pushed(hub, caplog) == {"last.pt": LAST}
    assert "best.pt is a link that leads out of the weights" in caplog.text


@pytest.mark.parametrize("names", [(), ("epoch_3",)])
def test_without_a_checkpoint_nothing_is_pushed(
    hub: Hub, run: Path, caplog: pytest.LogCaptureFixture, names: tuple[str, ...]
) -> None:
    for path in (run / "weights").iterdir():
        path.unlink()
    make_weights(run, **dict.fromkeys(names, BEST))
    PushToHub("my-org/run1").on_train_end(Event(str(run)))
    assert "nothing is pushed: no checkpoint of run1 is there" in caplog.text
    assert hub.asked() == [] and leftovers(run) == []


def test_the_message_names_only_what_there_is(
    hub: Hub, run: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (run / "weights/best.pt").unlink()
    PushToHub("my-org/run1", every_epochs=1).on_train_epoch_end(Event(str(run), 7))
    assert pushed(hub, caplog) == {"last.pt": LAST}
    assert message(hub) == "last.pt of run1 (epoch 7)"


def test_on_a_full_disk_an_epoch_is_left_out_and_the_end_is_read_in_place(
    hub: Hub, run: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_room(monkeypatch)
    push = PushToHub("my-org/run1", every_epochs=1)
    push.on_train_epoch_end(Event(str(run), 1))
    assert "best.pt is not pushed: no room for a copy of it beside the weights" in caplog.text
    assert hub.asked() == []
    push.on_train_end(Event(str(run)))
    assert pushed(hub, caplog) == {"best.pt": BEST, "last.pt": LAST}
    wait_until(lambda: leftovers(run) == [], what="the snapshot's end")
    assert (run / "weights/best.pt").read_bytes() == BEST


def test_no_copy_takes_the_room_of_the_next_save(
    hub: Hub, run: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.actions.callback_snapshot.SPARE_BYTES", 1 << 60)
    PushToHub("my-org/run1", every_epochs=1).on_train_epoch_end(Event(str(run), 1))
    assert "no room for a copy" in caplog.text and hub.asked() == []


def test_what_changes_while_it_is_read_in_place_is_not_pushed(
    hub: Hub, run: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tui.onbox import archive

    no_room(monkeypatch)
    examine = archive.examine

    def and_rewrite(file: BinaryIO) -> archive.Examined:
        found = examine(file)
        if Path(f"/proc/self/fd/{file.fileno()}").readlink().name == "last.pt":
            put(run / "weights/last.pt", BEST, age=0)
        return found

    monkeypatch.setattr("tui.onbox.archive.examine", and_rewrite)
    PushToHub("my-org/run1").on_train_end(Event(str(run)))
    assert pushed(hub, caplog) == {"best.pt": BEST}
    assert "last.pt changed while it was read" in caplog.text


def test_what_a_killed_training_left_is_swept_at_the_next_push(
    hub: Hub, run: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        subprocess.run([sys.executable, "-c", KILLED, str(run)], cwd=Path.cwd(), timeout=60)
    assert len(leftovers(run)) == 1  # the second swept the first
    PushToHub("my-org/run1").on_train_end(Event(str(run)))
    pushed(hub, caplog)
    wait_until(lambda: leftovers(run) == [], what="the snapshots' end")


def test_a_snapshot_is_the_uploaders_once_it_has_begun(hub: Hub, run: Path) -> None:
    hub.order("commit", Hold(10), 1)
    subprocess.run([sys.executable, "-c", BEGUN, str(run)], cwd=Path.cwd(), timeout=60)
    wait_until(lambda: hub.asked("commit"), what="the uploader at its commit")
    (hidden,) = (run / "weights").glob(".boxtop-*")
    pid = json.loads((hidden / "owner").read_text())["pid"]
    assert Path(f"/proc/{pid}").exists()
    (run / "weights/best.pt").unlink()
    (run / "weights/last.pt").unlink()
    PushToHub("my-org/run1").on_train_end(Event(str(run)))  # sweeps, and finds nothing to push
    assert hidden.is_dir()
    hub.release()
    wait_until(lambda: leftovers(run) == [], what="the snapshot's end")


def test_no_job_is_left_once_its_end_was_read(
    hub: Hub, run: Path, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    others = home / ".cache/boxtop/pushes"
    for name in ("callback-0123", "callback-4567", "89abcdef"):
        (others / name).mkdir(parents=True)
        (others / name / "job.json").write_text("{}")
    for name in ("callback-0123", "89abcdef"):
        os.utime(others / name / "job.json", (1.0, 1.0))
        os.utime(others / name, (1.0, 1.0))
    PushToHub("my-org/run1", every_epochs=1).on_train_epoch_end(Event(str(run)))
    pushed(hub, caplog)
    wait_until(lambda: pushes(home) == ["89abcdef", "callback-4567"], what="the job's end")


def test_a_home_without_room_holds_up_no_push(
    hub: Hub,
    run: Path,
    home: Path,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    no_room(monkeypatch)
    (home / ".cache").write_text("no directory can be made here")
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr("tui.actions.callback_push.MEMORY", memory)
    PushToHub("my-org/run1").on_train_exception(Event(str(run)))
    assert pushed(hub, caplog) == {"best.pt": BEST, "last.pt": LAST}
    wait_until(lambda: not list(memory.iterdir()), what="the end of what lay in memory")


def test_what_lay_in_memory_goes_also_when_the_training_is_gone(
    hub: Hub, run: Path, tmp_path: Path
) -> None:
    memory = tmp_path / "memory"
    memory.mkdir()
    hub.order("commit", Hold(10), 1)
    line = [sys.executable, "-c", IN_MEMORY + BEGUN, str(run), str(memory)]
    subprocess.run(line, cwd=Path.cwd(), timeout=60)
    wait_until(lambda: hub.asked("commit"), what="the uploader at its commit")
    (home,) = memory.iterdir()
    assert list(home.glob(".cache/boxtop/pushes/callback-*/process.json"))
    hub.release()
    wait_until(lambda: not list(memory.iterdir()), what="the end of what lay in memory")
    assert hub.store.repos["my-org/run1"].head.entries["best.pt"].data == BEST
