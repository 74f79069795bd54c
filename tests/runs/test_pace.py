"""Pace, ETA and how long a silence may last."""

from __future__ import annotations

import json

import pytest

from tests.runs.build import CASES, NOW, evidence, gone, rows, status
from tui.runs.assess import assess
from tui.runs.pace import eta_words, metrics_pace, silence_limit

ETAS = json.loads((CASES / "RUN-09" / "cases.json").read_bytes())


@pytest.mark.parametrize("case", ETAS)
def test_the_eta_counts_down_and_then_says_how_late_the_epoch_is(case: dict[str, float]) -> None:
    data = status(
        eta_seconds=case["eta_seconds"],
        mean_epoch_seconds=case["mean_epoch_seconds"],
        updated_at="2026-11-30T02:00:00+00:00",
    )
    run = assess(evidence(status=data, now=NOW + case["age"]))
    assert run.eta_text == case["show"]


def test_the_eta_is_never_negative_and_ends_with_the_run() -> None:
    late = assess(evidence(status=status(eta_seconds=61.0), now=NOW + 9999))
    assert late.eta_s == 0.0
    dead = assess(evidence(status=status(), process=gone()))
    assert (dead.eta_s, dead.eta_text) == (None, "-")


def test_the_eta_comes_from_the_pace_where_the_status_has_none() -> None:
    table = rows(*({"epoch": n, "time": 60.0, "train/loss": 1.0} for n in range(1, 13)))
    run = assess(evidence(status=status(eta_seconds=None), metrics=table))
    assert run.eta_s == 88 * 60.0 - 30.0


def test_the_eta_counts_by_the_clock_of_this_moment_and_the_verdict_by_the_last_contact() -> None:
    run = assess(evidence(status=status(eta_seconds=5000.0), now=NOW, clock=NOW + 3600))
    assert run.age_s == 3630.0
    assert run.eta_s == 1370.0
    assert run.verdict == "running"


def test_the_pace_is_the_median_of_the_last_five_epochs() -> None:
    times = [900.0, 60.0, 61.0, 59.0, 300.0, 60.5]
    table = rows(*({"epoch": n, "time": time} for n, time in enumerate(times, 1)))
    assert metrics_pace(table, 1) == 60.5
    assert assess(evidence(status=status(), metrics=table)).epoch_s == 60.5


def test_epochs_before_a_resume_do_not_set_the_pace() -> None:
    times = [600.0, 600.0, 600.0, 600.0, 60.0]
    table = rows(*({"epoch": n, "time": time} for n, time in enumerate(times, 1)))
    assert metrics_pace(table, 5) == 60.0
    assert metrics_pace(table, 6) == 600.0


def test_without_metrics_the_pace_is_what_the_status_says() -> None:
    assert assess(evidence(status=status(epoch_seconds=70.0))).epoch_s == 70.0
    only_mean = status(epoch_seconds=None, mean_epoch_seconds=65.0)
    assert assess(evidence(status=only_mean)).epoch_s == 65.0
    neither = status(epoch_seconds=None, mean_epoch_seconds=None, elapsed_seconds=1200.0)
    assert assess(evidence(status=neither)).epoch_s == 100.0


@pytest.mark.parametrize("time", [0, -5, None, "fast", 1e299])
def test_times_of_no_use_are_left_out(time: object) -> None:
    assert metrics_pace(rows({"epoch": 1, "time": 50.0}, {"epoch": 2, "time": time}), 1) == 50.0


def test_the_silence_that_is_allowed_grows_with_the_pace() -> None:
    assert silence_limit(61.0, first=False) == 600.0
    assert silence_limit(3600.0, first=False) == 10_800.0
    assert silence_limit(None, first=False) == 600.0
    assert silence_limit(None, first=True) == 900.0


def test_words_of_times() -> None:
    assert eta_words(5338.0, 30.0, 61.0) == "1:28:58"
    assert eta_words(None, 30.0, 61.0) == "-"
    assert eta_words(90_061.0, None, None) == "25:01:01"
