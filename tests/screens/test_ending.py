"""Ending a training by its key: what is said before, who is asked twice, what is said after."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.widgets import Button

from tests.onbox.end_trees import FakeTraining
from tests.screens.test_weights import click, desk, said, shown
from tui.actions.kill_plan import KillRules
from tui.screens.push_dialog import AskDialog

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


@pytest.fixture
def training(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[FakeTraining]:
    started = FakeTraining(tmp_path / "runs" / "run1", request.param, shell=True)
    (tmp_path / "runs/run1/weights").mkdir(exist_ok=True)
    (tmp_path / "runs/run1/weights/best.pt").write_bytes(b"not yet whole")
    yield started
    started.end()


@pytest.mark.parametrize("training", ["rank0"], indirect=True)
async def test_a_training_is_ended_after_a_yes_and_written_down(
    training: FakeTraining, tmp_path: Path
) -> None:
    async with desk(training.run, tmp_path) as watch:
        await watch.press("K")
        await shown(watch, AskDialog)
        assert "end the training run1 of lab" in said(watch)
        assert "the box keeps billing" in said(watch)
        focused = watch.app.screen.focused
        assert isinstance(focused, Button) and focused.id == "no"
        await click(watch, "no")
        assert training.alive() == {"rank0"}
        await watch.press("K")
        await shown(watch, AskDialog)
        await click(watch, "yes")
        await watch.until(lambda: "has ended" in watch.text)
        assert training.alive() == set()
        (line,) = (tmp_path / "data/journal.jsonl").read_text().splitlines()
        assert json.loads(line)["run"] == str(training.run)


async def test_nothing_is_ended_where_that_is_forbidden_or_nothing_runs(
    tmp_path: Path,
) -> None:
    run = tmp_path / "runs/run1"
    (run / "weights").mkdir(parents=True)
    (run / "weights/best.pt").write_bytes(b"x")
    (run / "status.json").write_text('{"schema_version": 1, "state": "completed", "pid": 1}')
    async with desk(run, tmp_path, read_only=True) as watch:
        await watch.press("K")
        assert "--read-only forbids kill" in watch.text
    async with desk(run, tmp_path) as watch:
        await watch.press("K")
        await shown(watch, AskDialog)
        assert "nothing" in said(watch)


@pytest.mark.parametrize("training", ["rank0:int,term"], indirect=True)
async def test_sigkill_needs_a_second_yes(training: FakeTraining, tmp_path: Path) -> None:
    async with desk(training.run, tmp_path) as watch:
        watch.app.questions.open_weights()
        ending = watch.app.questions.ending
        assert ending is not None
        ending.rules = KillRules(0.5, 0.5, 5.0)
        await watch.press("K")
        await shown(watch, AskDialog)
        await click(watch, "yes")
        await watch.until(lambda: "SIGKILL ends" in watch.text)
        await shown(watch, AskDialog)
        await click(watch, "yes")
        await watch.until(lambda: "has ended" in watch.text)
        assert training.alive() == set()
