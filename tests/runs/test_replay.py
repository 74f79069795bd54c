"""Recorded real runs, judged at every step: nothing goes back, nothing ends too early."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.runs.build import RECORDINGS, evidence, gone, replay
from tui.runs.assess import assess
from tui.runs.model import Best, Run

NAMES = sorted(path.name for path in RECORDINGS.iterdir() if (path / "timeline.jsonl").exists())


def played(name: str) -> list[Run]:
    return [assess(step) for step in replay(RECORDINGS / name)]


@pytest.mark.parametrize("name", NAMES)
def test_no_step_goes_back_or_ends_too_early(name: str) -> None:
    epoch = 0
    for run in played(name):
        assert (run.epoch or 0) >= epoch
        epoch = run.epoch or 0
        if run.progress is not None:
            assert (run.progress == 1.0) == (run.verdict == "completed")
        assert run.eta_s is None or run.eta_s >= 0
        assert run.age_s is None or run.age_s >= 0
        assert run.bad_lines == 0
        assert not (run.verdict == "running" and run.epoch == 0)
        if run.verdict == "starting":
            assert run.eta_text == "-"


@pytest.mark.parametrize(
    ("name", "verdicts"),
    [
        ("yolo9t_long", ["starting", "running", "completed"]),
        ("yolo9t_early", ["starting", "running", "completed"]),
        ("yolox_done", ["starting", "running", "completed"]),
        ("yolo9t_killed", ["starting", "running", "dead"]),
        ("yolo9t_resumed", ["dead", "starting", "running", "completed"]),
    ],
)
def test_the_verdicts_follow_one_another(name: str, verdicts: list[str]) -> None:
    seen: list[str] = []
    for run in played(name):
        begun = run.reported_state is not None
        if begun and (not seen or seen[-1] != run.verdict):
            seen.append(run.verdict)
    assert seen == verdicts


def test_a_hundred_epochs_to_the_end() -> None:
    run = played("yolo9t_long")[-1]
    assert (run.verdict, run.epoch, run.total_epochs, run.progress) == ("completed", 100, 100, 1.0)
    assert not run.early_stopped
    assert run.best == Best("mAP50-95", 0.6456786213389384, 88)
    assert run.current is not None
    assert run.current.value == 0.6110994454544251


def test_a_run_that_was_killed() -> None:
    run = played("yolo9t_killed")[-1]
    assert (run.verdict, run.epoch, run.pid_alive) == ("dead", 5, False)
    assert run.headline == "DEAD (was running, epoch 5/30)"
    assert run.ended_at is not None


def test_a_run_that_was_resumed_and_completed() -> None:
    run = played("yolo9t_resumed")[-1]
    assert (run.verdict, run.epoch, run.total_epochs) == ("completed", 12, 12)
    assert (run.resumed, run.early_stopped, run.progress) == (True, False, 1.0)
    assert run.best == Best("mAP50-95", 0.018628399351330024, 11)


def test_a_run_that_stopped_early() -> None:
    run = played("yolo9t_early")[-1]
    assert (run.verdict, run.epoch, run.early_stopped) == ("completed", 4, True)
    assert run.headline == "completed - stopped early at 4/60"


def test_another_family_without_results_csv() -> None:
    run = played("yolox_done")[-1]
    assert (run.verdict, run.epoch, run.model) == ("completed", 10, "yoloxn")


def test_a_run_that_was_interrupted() -> None:
    run = assess(evidence(RECORDINGS / "sig_INT", process=gone(20302)))
    assert (run.verdict, run.epoch) == ("stopped", 2)
    assert run.headline == "interrupted (Ctrl-C) in epoch 3"


@pytest.mark.parametrize("name", NAMES)
def test_without_its_status_a_run_is_still_followed(name: str) -> None:
    epoch = 0
    for step in replay(RECORDINGS / name):
        run = assess(replace(step, status=None, process=None))
        assert run.derived
        assert run.reported_state is None
        assert run.progress is None or run.verdict == "completed" or run.progress < 1.0
        assert (run.epoch or 0) >= epoch
        epoch = run.epoch or 0


def test_the_final_directory_says_what_its_replay_said() -> None:
    for name in NAMES:
        last = played(name)[-1]
        final = assess(evidence(RECORDINGS / name, process=gone(last.pid or 0)))
        assert (final.verdict, final.epoch, final.best) == (last.verdict, last.epoch, last.best)
        assert (final.headline, final.progress) == (last.headline, last.progress)
