"""What is told of a run and its weights where a look is not enough to see a change."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from tests.onbox.checkpoints import checkpoint, make_weights, put, write_status
from tui.onbox import archive
from tui.onbox.end_signs import Run
from tui.onbox.run_place import place_of
from tui.onbox.training import Training
from tui.onbox.weights import Keeper
from tui.onbox.wire import Line

ONE, TWO = checkpoint(20_000, seed=1), checkpoint(20_000, seed=2)


class Told:
    """Whoever asked a program, and what it said."""

    def __init__(self) -> None:
        self.replies: list[dict[str, Any]] = []

    def check(self) -> None:
        """Somebody listens."""

    def tell(self, **values: object) -> None:
        self.replies.append(values)

    def checkpoints(self) -> list[dict[str, Any]]:
        return [one["checkpoint"] for one in self.replies if "checkpoint" in one]


def test_a_file_that_got_its_old_size_and_time_back_is_another(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run1", best=ONE)
    before, info = place_of(bytes(run), set()), (run / "weights" / "best.pt").stat()
    (run / "weights" / "best.pt").write_bytes(TWO[: len(ONE)])
    os.utime(run / "weights" / "best.pt", ns=(info.st_atime_ns, info.st_mtime_ns))
    after = place_of(bytes(run), set())
    assert before["files"][0]["identity"][:4] == after["files"][0]["identity"][:4]
    assert before["files"] != after["files"]


@pytest.mark.parametrize(
    ("error", "lives"), [(None, True), (PermissionError, True), (ProcessLookupError, False)]
)
def test_a_process_of_another_user_lives(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: type[OSError] | None,
    lives: bool,
) -> None:
    def kill(pid: int, signal: int) -> None:
        assert (pid, signal) == (4242, 0)
        if error is not None:
            raise error

    run = make_weights(tmp_path / "run1", best=ONE)
    write_status(run, state="running", pid=4242)
    monkeypatch.setattr(os, "kill", kill)
    assert place_of(bytes(run), set())["pid_lives"] is lives


def test_a_pipe_in_the_place_of_a_file_holds_nobody_up(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run1", best=ONE)
    for name in ("status.json", "metrics.jsonl"):
        os.mkfifo(run / name)
    assert place_of(bytes(run), set())["state"] is None
    training = Training(bytes(run))
    assert training.process() is None and training.epoch_of("best.pt", 0) is None
    assert Run(str(run), 4242, None).status() == {}


@pytest.mark.parametrize("change", ["in place", "by rename"])
def test_a_checkpoint_that_changes_while_it_is_read_has_no_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    run = make_weights(tmp_path / "run1", best=ONE)
    best, examine = run / "weights" / "best.pt", archive.examine

    def examined(
        file: io.BufferedReader, tell: Callable[[int], None] | None = None
    ) -> archive.Examined:
        found = examine(file, tell)
        if change == "in place":
            put(best, TWO, age=30)
        else:
            put(best.with_name("fresh"), TWO, age=60)
            best.with_name("fresh").replace(best)
        return found

    monkeypatch.setattr(archive, "examine", examined)
    told = Told()
    request = {"op": "list", "run": str(run), "names": ["best.pt"], "full": True}
    Keeper(cast(Line, told)).answer(request)
    (row,) = told.checkpoints()
    assert row["complete"] is None and "sha256" not in row
    assert row["reason"] == "it changed while it was read"
