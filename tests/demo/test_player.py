"""A played run is at every moment a run that LibreYOLO could have written."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.waiting import wait_until
from tui.demo.gpus import GpuModel, Gpus
from tui.demo.player import Playback, Stage
from tui.demo.recorded import load

RUNS = Path(__file__).parents[1] / "data" / "runs"
GPU = GpuModel("Test GPU", 1000, 10, 100)


class Ticks(threading.Event):
    """Never waits: calls ``look`` before each write and notes how long it should have waited."""

    def __init__(self, look: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self.look = look
        self.waits: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.look()
        self.waits.append(timeout or 0.0)
        return self.is_set()


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    home = tmp_path / "home"
    return Stage(home, {"PATH": os.environ["PATH"]}, Gpus(home, GPU, used=500))


@pytest.fixture
def play(stage: Stage) -> Iterator[Callable[..., Playback]]:
    """Prepare the playback of a recording as run ``run1``; its process ends with the test."""
    started: list[Playback] = []

    def prepare(name: str, **options: float) -> Playback:
        playback = Playback(load(name), stage, "run1", **options)  # type: ignore[arg-type]  # done is int
        started.append(playback)
        playback.prepare(time.time())
        return playback

    yield prepare
    for playback in started:
        playback.end()


def status(stage: Stage) -> dict[str, object]:
    read: dict[str, object] = json.loads((stage.directory("run1") / "status.json").read_bytes())
    return read


def rows(path: Path) -> list[dict[str, float]]:
    data = path.read_bytes() if path.exists() else b""
    assert data.endswith(b"\n") or not data
    return [json.loads(line) for line in data.splitlines()]


@pytest.mark.parametrize("name", ["yolo9t_long", "yolo9t_killed", "yolo9t_early", "yolox_done"])
def test_the_package_plays_the_recordings_that_the_tests_know(name: str) -> None:
    data = Path(load.__code__.co_filename).parent / "data"
    recorded = gzip.decompress((data / f"{name}.jsonl.gz").read_bytes())
    assert recorded == (RUNS / name / "timeline.jsonl").read_bytes()
    config = (data / f"{name}.train_config.yaml").read_bytes()
    assert config == (RUNS / name / "train_config.yaml").read_bytes()


@pytest.mark.parametrize("name", ["yolo9t_killed", "yolox_done"])
def test_every_state_between_two_writes_is_a_valid_run(
    name: str, stage: Stage, play: Callable[..., Playback]
) -> None:
    playback = play(name)
    directory = stage.directory("run1")
    seen: list[int] = []

    def look() -> None:
        now = status(stage)
        epochs = [int(row["epoch"]) for row in rows(directory / "metrics.jsonl")]
        done = now["completed_epochs"]
        assert isinstance(done, int)
        assert playback.stand_in is not None
        assert now["pid"] == playback.stand_in.pid
        assert epochs == list(range(1, len(epochs) + 1))
        assert done <= len(epochs), "a row is written before the status that speaks of it"
        assert not [path for path in directory.iterdir() if path.suffix == ".tmp"]
        if done and done != (seen[-1] if seen else 0):
            assert zipfile.ZipFile(directory / "weights" / "last.pt").testzip() is None
        seen.append(done)

    assert playback.play(Ticks(look))
    assert set(seen) >= set(range(1, 6))


def test_a_replayed_history_ends_with_the_recorded_numbers(
    stage: Stage, play: Callable[..., Playback]
) -> None:
    assert play("yolo9t_long", done=36).play(Ticks())
    played = rows(stage.directory("run1") / "metrics.jsonl")
    assert played == rows(RUNS / "yolo9t_long" / "metrics.jsonl")
    assert (status(stage)["best_metric"], status(stage)["best_epoch"]) == (
        pytest.approx(0.6456786),
        88,
    )


def test_a_run_with_epochs_behind_it_stands_as_a_resumed_one(
    stage: Stage, play: Callable[..., Playback]
) -> None:
    """As LibreYOLO's own resume leaves it: recorded in tests/data/runs/yolo9t_resumed."""
    playback = play("yolo9t_long", done=36)
    first = status(stage)
    assert (first["start_epoch"], first["completed_epochs"], first["current_epoch"]) == (36, 36, 36)
    assert first["elapsed_seconds"] == pytest.approx(first["epoch_seconds"], abs=2.0)
    assert len(rows(stage.directory("run1") / "metrics.jsonl")) == 36
    assert "Resumed from epoch 35 (will train to epoch 100)" in stage.console("train").read_text()
    assert playback.play(Ticks())
    last = status(stage)
    assert (last["state"], last["completed_epochs"], last["progress"]) == ("completed", 65, 0.65)


def test_the_process_in_the_status_lives_and_looks_like_a_training(
    stage: Stage, play: Callable[..., Playback]
) -> None:
    play("yolo9t_killed")
    pid = status(stage)["pid"]
    proc = Path(f"/proc/{pid}")
    if not proc.exists():
        pytest.skip("there is no /proc here")

    def command() -> list[bytes]:
        """The stand-in's own command line; until its exec it has its parent's."""
        words = (proc / "cmdline").read_bytes().split(b"\0")
        return words if any(word.endswith(b"/libreyolo") for word in words) else []

    arguments = wait_until(command)
    assert b"train" in arguments
    assert (proc / "fd" / "1").resolve() == stage.console("train")
    started_at = str(status(stage)["started_at"])
    assert started_at.startswith(time.strftime("%Y-%m-%dT%H", time.gmtime()))


def test_a_training_that_was_killed_leaves_running_and_no_process(
    stage: Stage, play: Callable[..., Playback]
) -> None:
    playback = play("yolo9t_killed")
    playback.play(Ticks())
    assert playback.stand_in is not None
    assert playback.stand_in.ended() == -signal.SIGKILL
    assert (status(stage)["state"], status(stage)["current_epoch"]) == ("running", 5)


def test_ctrl_c_leaves_what_libreyolo_leaves(stage: Stage, play: Callable[..., Playback]) -> None:
    """Recorded in tests/data/runs/sig_INT: failed, KeyboardInterrupt, an empty message."""
    playback = play("yolo9t_long", done=3)
    stand_in = playback.stand_in
    assert stand_in is not None
    wait_until(lambda: ignores_nothing(stand_in.pid), what="the stand-in is up")
    os.kill(stand_in.pid, signal.SIGINT)
    wait_until(lambda: stand_in.ended() is not None, what="the stand-in is gone")
    assert not playback.play(Ticks())
    recorded = json.loads((RUNS / "sig_INT" / "status.json").read_bytes())
    left = status(stage)
    assert left.keys() == recorded.keys()
    assert left["error"] == recorded["error"]
    assert (left["state"], left["current_epoch"], left["progress"]) == ("failed", 4, 0.0)


def test_a_foreign_kill_ends_the_playing_and_leaves_running(
    stage: Stage, play: Callable[..., Playback]
) -> None:
    playback = play("yolo9t_long", done=3)
    assert playback.stand_in is not None
    os.kill(playback.stand_in.pid, signal.SIGKILL)
    assert not playback.play(Ticks())
    assert (status(stage)["state"], status(stage)["completed_epochs"]) == ("running", 3)


def test_a_run_of_the_past_carries_the_times_of_its_past(stage: Stage) -> None:
    ended_at = time.time() - 3600
    Playback(load("yolo9t_early"), stage, "run1").write_ended(ended_at)
    directory = stage.directory("run1")
    modified = (directory / "status.json").stat().st_mtime
    assert ended_at - 20 < modified <= ended_at
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(modified))
    assert (status(stage)["state"], status(stage)["updated_at"]) == ("completed", stamp)
    assert (directory / "weights" / "last.pt").stat().st_mtime <= ended_at


@pytest.mark.parametrize("speed", [0.5, 1.0, 20.0])
def test_speed_scales_the_waits_and_the_times_told(
    speed: float, stage: Stage, play: Callable[..., Playback]
) -> None:
    ticks = Ticks()
    play("yolo9t_killed", speed=speed).play(ticks)
    recording = load("yolo9t_killed")
    lasted = recording.events[-1].t - recording.first_status
    assert max(ticks.waits) == pytest.approx(lasted / speed, abs=2)
    recorded = rows(RUNS / "yolo9t_killed" / "metrics.jsonl")
    played = rows(stage.directory("run1") / "metrics.jsonl")
    assert played[2]["time"] == pytest.approx(recorded[2]["time"] / speed)
    mean = sum(row["time"] for row in played) / 5
    assert status(stage)["mean_epoch_seconds"] == pytest.approx(mean)
    assert status(stage)["eta_seconds"] == pytest.approx(mean * 25)


def test_logs_are_stamped_now_and_speak_of_this_place(
    stage: Stage, play: Callable[..., Playback]
) -> None:
    before = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime())
    play("yolo9t_killed").play(Ticks())
    for log in (stage.console("train"), stage.directory("run1") / "train.log"):
        text = log.read_text()
        stamps = re.findall(r"^(\d{4}-.{14}) \| ", text, re.MULTILINE)
        assert stamps and min(stamps) >= before
        assert "/root/runs" not in text


def test_files_have_the_modes_of_real_ones(stage: Stage, play: Callable[..., Playback]) -> None:
    play("yolo9t_killed").play(Ticks())
    directory = stage.directory("run1")
    modes = {path.name: path.stat().st_mode & 0o777 for path in directory.iterdir()}
    assert modes["status.json"] == 0o600
    assert modes["metrics.jsonl"] == modes["train.log"] == 0o644


def test_checkpoints_have_the_recorded_size_and_take_no_space(
    stage: Stage, play: Callable[..., Playback]
) -> None:
    play("yolo9t_killed").play(Ticks())
    checkpoint = stage.directory("run1") / "weights" / "last.pt"
    assert checkpoint.stat().st_size == 34_907_113
    assert checkpoint.stat().st_blocks * 512 < 100_000
    assert zipfile.ZipFile(checkpoint).testzip() is None


def test_a_checkpoint_being_written_is_no_whole_zip(
    stage: Stage, play: Callable[..., Playback]
) -> None:
    checkpoint = stage.directory("run1") / "weights" / "last.pt"
    partial: set[int] = set()

    def look() -> None:
        if checkpoint.exists() and not zipfile.is_zipfile(checkpoint):
            partial.add(checkpoint.stat().st_size)

    play("yolo9t_killed").play(Ticks(look))
    assert partial >= {0, 22_171_136}


def ignores_nothing(pid: int) -> bool:
    """Whether Python has come so far that it turns SIGINT into KeyboardInterrupt."""
    path = Path(f"/proc/{pid}/status")
    caught = re.search(r"^SigCgt:\s*([0-9a-f]+)", path.read_text(), re.MULTILINE)
    return caught is not None and bool(int(caught[1], 16) & 0b10)
