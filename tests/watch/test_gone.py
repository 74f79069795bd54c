"""What it means that a file is gone: its run was deleted, or a new training began there."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.waiting import wait_until
from tui.boxes import Box, LocalTarget
from tui.facts import Stat
from tui.links.asking import RefusingAsker
from tui.runs import files
from tui.view import RunView
from tui.watch.fleet import Fleet
from tui.watch.gone import Gone

BEGAN = 1_796_004_000.0


def status(began: float, state: str = "running", **more: object) -> bytes:
    started_at = datetime.fromtimestamp(began, UTC).isoformat()
    return json.dumps({"state": state, "started_at": started_at, **more}).encode()


def test_what_was_written_before_the_training_began_is_of_the_past_at_once() -> None:
    gone = Gone()
    assert gone.lose(files.METRICS, Stat(9, BEGAN - 1), status(BEGAN))
    assert gone.come(files.LOG) == frozenset()


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (BEGAN, status(BEGAN)),
        (BEGAN + 60, status(BEGAN)),
        (BEGAN - 60, b"{}"),
        (BEGAN - 60, b"no status"),
        (BEGAN - 60, None),
        (None, status(BEGAN)),
    ],
)
def test_anything_else_waits_until_another_file_comes(
    written: float | None, told: bytes | None
) -> None:
    gone = Gone()
    assert not gone.lose(files.METRICS, None if written is None else Stat(9, written), told)
    assert gone.come(files.CONSOLE) == frozenset()
    assert gone.come(files.LOG) == {files.METRICS}
    assert gone.come(files.STATUS) == frozenset()


def test_a_status_that_went_itself_says_nothing_of_what_goes_after_it() -> None:
    gone = Gone()
    assert not gone.lose(files.STATUS, Stat(9, BEGAN - 60), status(BEGAN))
    assert not gone.lose(files.METRICS, Stat(9, BEGAN - 60), status(BEGAN))
    assert gone.come(files.METRICS) == {files.STATUS}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run that completed some minutes ago, and lost its loss at the end."""
    run = tmp_path / "runs" / "run1"
    run.mkdir(parents=True)
    rows = [{"epoch": epoch, "train/loss": None if epoch > 7 else 1.0} for epoch in range(1, 11)]
    (run / files.METRICS).write_text("".join(json.dumps(row) + "\n" for row in rows))
    began = time.time() - 600
    ended = status(began, "completed", completed_epochs=10, total_epochs=10, start_epoch=1)
    (run / files.STATUS).write_bytes(ended)
    for name in (files.METRICS, files.STATUS):
        os.utime(run / name, (began + 60, began + 60))
    return run


@pytest.fixture
def seen(run: Path) -> Iterator[Callable[[], RunView | None]]:
    """The one run as it is shown now."""
    root = run.parent
    fleet = Fleet([Box("lab", str(root), LocalTarget(root), (str(root),))], RefusingAsker(), None)

    def shown() -> RunView | None:
        view = fleet.box("lab")
        return view.runs[0] if view is not None and view.runs else None

    try:
        yield shown
    finally:
        fleet.close()


def begin_anew(run: Path) -> None:
    fresh = run / ".status.tmp"
    fresh.write_bytes(status(time.time(), completed_epochs=0, total_epochs=10, start_epoch=1))
    fresh.rename(run / files.STATUS)


@pytest.mark.parametrize("whole", [False, True])
def test_a_new_training_in_the_directory_of_an_old_one_has_none_of_its_epochs(
    run: Path, seen: Callable[[], RunView | None], whole: bool
) -> None:
    wait_until(lambda: (view := seen()) is not None and view.run.verdict == "diverged")
    if whole:
        shutil.rmtree(run)
        run.mkdir()
    else:
        (run / files.METRICS).unlink()
    begin_anew(run)

    def is_told() -> bool:
        view = seen()
        return view is not None and view.run.verdict == "starting" and not view.metrics.epochs

    wait_until(is_told)
