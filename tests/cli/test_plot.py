"""What `plot` draws, and the numbers that it gives instead."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Boxtop
from tests.cli.runs import RUNS, copy_run, live_run


def test_plot_draws_losses_metrics_and_the_learning_rate(boxtop: Boxtop) -> None:
    called = boxtop("plot", f"{RUNS}:yolo9t_long", "--height", "8")
    assert called.code == 0
    lines = called.out.splitlines()
    assert lines[0].startswith("runs yolo9t_long: completed")
    assert all(word in called.out for word in ("loss ", "mAP", "learning rate", "best"))
    assert max(map(len, lines)) <= 80
    narrow = boxtop("plot", f"{RUNS}:yolo9t_long", "train/loss", "--width", "40", "--height", "6")
    assert max(map(len, narrow.out.splitlines())) <= 40


def test_plot_draws_each_key_and_those_joined_by_a_comma_together(boxtop: Boxtop) -> None:
    run = f"{RUNS}:yolo9t_long"
    assert "learning rate" not in boxtop("plot", run, "mAP50").out
    together = boxtop("plot", run, "mAP50,mAP75", "--height", "6").out
    apart = boxtop("plot", run, "mAP50", "mAP75", "--height", "6").out
    assert len(apart.splitlines()) > len(together.splitlines())
    for options in (["--smooth", "0.9"], ["--log-y"]):
        assert boxtop("plot", run, "train/loss", *options).code == 0


def test_a_plot_of_no_column_is_a_mistake(boxtop: Boxtop, tmp_path: Path) -> None:
    copy_run("yolo9t_long", tmp_path / "run1")
    for key in ("", " ", ","):
        called = boxtop("plot", tmp_path, key)
        assert called.code == 2 and "names no column" in called.err


def test_plot_without_an_epoch_says_so(boxtop: Boxtop, tmp_path: Path) -> None:
    (live_run(tmp_path / "run1", epochs=0) / "metrics.jsonl").unlink()
    called = boxtop("plot", tmp_path)
    assert called.code == 0 and "no epochs yet" in called.out


def test_plot_gives_numbers_with_gaps(boxtop: Boxtop, tmp_path: Path) -> None:
    run = live_run(tmp_path / "run1", epochs=2)
    with (run / "metrics.jsonl").open("a") as rows:
        rows.write('{"epoch": 3, "train/loss": null, "metrics/mAP50": 0.5}\n')
    document = json.loads(boxtop("plot", tmp_path, "train/loss", "--json").out)
    assert document["epochs"] == [1, 2, 3]
    assert document["series"] == {"train/loss": [3.0, 1.5, None]}
