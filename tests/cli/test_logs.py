"""What `logs` prints: the end of a run's log or console, free of escapes."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Boxtop
from tests.cli.runs import CASES, RUNS, copy_run, live_run


def test_logs_print_the_end_of_the_runs_log(boxtop: Boxtop) -> None:
    run = f"{RUNS}:yolo9t_killed"
    called = boxtop("logs", run, "-n", "2")
    log = (RUNS / "yolo9t_killed" / "train.log").read_text().splitlines()
    assert (called.code, called.out.splitlines()) == (0, log[-2:])
    assert "--console shows what its console caught" in called.err
    assert boxtop("logs", run, "-n", "0").out == ""
    console = boxtop("logs", run, "--console", "-n", "1000")
    assert "COCO Eval" in console.out or len(console.out.splitlines()) > len(log)
    document = json.loads(boxtop("logs", run, "-n", "1", "--json").out)
    assert (document["run"], document["log"]) == ("yolo9t_killed", "run")
    assert document["lines"] == log[-1:]


def test_logs_without_a_run_show_the_live_one_and_say_so(boxtop: Boxtop, tmp_path: Path) -> None:
    copy_run("yolo9t_long", tmp_path / "run1")
    live_run(tmp_path / "run12")
    called = boxtop("logs", tmp_path, "-n", "1")
    assert called.out == "line 20\n"
    assert f"showing run12; {tmp_path}:RUN shows another\n  run1\n" in called.err


def test_a_log_that_is_not_there_is_told(boxtop: Boxtop, tmp_path: Path) -> None:
    run = copy_run("yolo9t_long", tmp_path / "run1")
    (run / "train.log").unlink()
    (run / "console.log").unlink()
    called = boxtop("logs", tmp_path)
    assert (called.code, called.out) == (0, "")
    assert "run1 has no train.log yet" in called.err
    assert "no console log of run1 is known" in boxtop("logs", tmp_path, "--console").err


def test_escapes_of_a_log_do_not_reach_the_terminal(boxtop: Boxtop, tmp_path: Path) -> None:
    run = copy_run("yolo9t_long", tmp_path / "run1")
    (run / "train.log").write_bytes((CASES / "FILE-11" / "train.log").read_bytes())
    out = boxtop("logs", tmp_path).out
    assert "green ok" in out and "next line stays visible" in out
    assert not {chr(code) for code in (*range(32), *range(127, 160))} & set(out) - {"\n", "\t"}
