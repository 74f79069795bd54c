"""Runs whose status cannot be read or believed: the rest speaks."""

from __future__ import annotations

from tests.runs.build import CASES, NOW, alive, evidence, gone, log, status
from tests.runs.judged import LOSSES, judged, table, written
from tui.facts import FileTrouble, Stat
from tui.runs.assess import assess


def test_without_a_readable_status_the_rest_speaks() -> None:
    stat = Stat(812, NOW - 60, mode=0o600, owner="root")
    trouble = FileTrouble("/root/runs/run1", "status.json", "EACCES", stat)
    run = assess(
        evidence(
            CASES / "FILE-01",
            troubles={"status.json": trouble},
            files={"metrics.jsonl": Stat(40960, NOW - 60)},
        )
    )
    assert run.reported_state is None
    assert run.derived
    assert run.epoch == 3
    assert run.verdict == "running"
    assert run.headline == "derived: running, epoch 3"
    assert "status.json: permission denied (root, 0600)" in run.warnings
    assert run.train_loss == 1.15


def test_an_old_run_without_a_status_is_unknown() -> None:
    run = judged(status=None, metrics=table(*LOSSES), files=written("metrics.jsonl", 7200))
    assert run.verdict == "unknown"
    assert run.reason == "no status.json; nothing new for 2:00:00"
    assert judged(status=None).verdict == "unknown"
    assert judged(status=None).epoch is None


def test_a_half_written_status_is_told_and_the_rest_speaks() -> None:
    run = judged(status=b'{"state": "ru', metrics=table(*LOSSES), process=alive())
    assert run.derived
    assert run.epoch == 12
    assert run.warnings[-1] == "status.json: half-written or no JSON"


def test_a_derived_verdict_is_said_once() -> None:
    dead = judged(status=b"", metrics=table(*LOSSES), process=gone())
    assert dead.headline == "derived: DEAD (was running, epoch 12)"
    assert judged(status=None).headline == "derived: unknown, no epochs yet"


def test_a_directory_with_nothing_but_its_configuration_just_begins() -> None:
    run = assess(evidence(CASES / "RUN-10" / "runs" / "run13"))
    assert run.verdict == "starting"
    assert run.total_epochs == 100
    assert run.headline.startswith("derived: starting")


def test_a_log_tells_what_no_status_says() -> None:
    complete = log("2026-11-30 02:14:02 | INFO     | Training complete in 0.08 hours\n")
    assert judged(status=None, log=complete).verdict == "completed"
    broken = log("Traceback (most recent call last):\n  x\nValueError: bad\n")
    run = judged(status=None, console=broken)
    assert (run.verdict, run.reason) == ("failed", "ValueError: bad")


def test_an_unknown_state_is_named_and_not_believed() -> None:
    run = judged(status=status(state="paused\x1b[31m"), process=alive())
    assert run.reported_state == "paused"
    assert run.verdict == "running"
    assert run.reason == "status.json says 'paused', which boxtop does not know"
    assert judged(status=status(state=None)).derived


def test_an_unknown_schema_is_read_as_far_as_it_goes() -> None:
    run = judged(status=status(schema_version=9), process=alive())
    assert run.verdict == "running"
    assert "status.json has schema_version 9, boxtop knows 1" in run.warnings
