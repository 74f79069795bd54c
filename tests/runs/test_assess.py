"""What is said of a run: figures, words, money, and the right values of the recorded troubles."""

from __future__ import annotations

import pytest

from tests.runs.build import CASES, NOW, PRICE, alive, evidence, gone, log, rows, status
from tui.facts import CheckpointStat, Disk, FileTrouble, Stat
from tui.runs.assess import assess
from tui.runs.model import Best, Checkpoint, Current, Run


def judged(**overrides: object) -> Run:
    return assess(evidence(**{"status": status(), **overrides}))


# -- recorded troubles ------------------------------------------------------


def test_a_run_that_the_kernel_killed() -> None:
    run = assess(evidence(CASES / "RUN-01"))
    assert run.verdict == "dead"
    assert run.headline == "DEAD (was running, epoch 12/100)"
    assert run.reason == "killed by the OOM killer (oom_kill 1)"
    assert run.ended_at == NOW - 1800
    assert run.cost is not None
    assert run.cost.wasted is not None
    assert round(run.cost.wasted, 2) == 1.74


def test_a_full_disk_is_named_and_nothing_is_said_to_hang() -> None:
    run = assess(evidence(CASES / "FILE-13"))
    assert run.verdict == "stalled"
    assert run.reason == "disk full (100 %, 1000 KB left)"
    assert run.warnings[0] == "disk full (100 %, 1000 KB left)"
    assert run.headline.startswith("running? epoch 12/100")
    assert run.age_s == 3000.0
    words = f"{run.reason} {run.headline} {run.warnings} {run.diagnosis}"
    assert not any(word in words for word in ("hung", "hang", "NCCL", "stalled"))


def test_a_traceback_is_shown_with_the_log_it_is_from() -> None:
    at = CASES / "FILE-17"
    run = assess(
        evidence(
            at / "run1",
            console=log((at / "root_train.log").read_bytes()),
            console_path="/root/train.log",
        )
    )
    assert run.verdict == "failed"
    assert run.diagnosis is not None
    error = "RuntimeError: DataLoader worker (pid 77) exited unexpectedly"
    assert run.diagnosis.summary == error
    assert run.diagnosis.excerpt[-1] == error
    assert run.diagnosis.source == "/root/train.log"


def test_ages_are_counted_by_the_boxs_clock() -> None:
    run = assess(evidence(CASES / "FILE-18"))
    assert run.age_s == 40.0
    early = assess(evidence(CASES / "FILE-18", now=NOW - 500))
    assert early.age_s == 0.0
    assert early.verdict == "running"


def test_warming_up() -> None:
    run = assess(evidence(CASES / "RUN-08"))
    assert run.headline == "epoch 1/100 - warming up 6:40"
    assert (run.eta_s, run.eta_text) == (None, "-")
    assert run.verdict == "starting"


def test_zero_is_a_value_and_null_is_none() -> None:
    run = assess(evidence(CASES / "RUN-21"))
    assert run.best == Best("val_loss", 0.0, None)
    assert run.current == Current("val_loss", None)


def test_the_bill_of_a_finished_run_goes_on() -> None:
    run = assess(evidence(CASES / "PROV-07", price_per_hour=PRICE))
    assert run.cost is not None
    assert run.cost.wasted is not None
    assert run.cost.wasted == pytest.approx(11.14, abs=0.01)
    assert run.cost.to_finish is None


# -- figures ----------------------------------------------------------------


def test_metrics_lose_their_prefix() -> None:
    run = judged(
        status=status(current_metric_name="metrics/mAP50-95", best_metric_name="metrics/x")
    )
    assert run.current == Current("mAP50-95", 0.553)
    assert run.best == Best("x", 0.553, 12)


def test_an_epoch_without_validation_shows_the_last_one_that_had_it() -> None:
    quiet = status(validated=False, current_metric=None, current_metric_name=None)
    table = rows(
        {"epoch": 11, "validated": True, "current_metric": 0.5, "current_metric_name": "metrics/m"},
        {"epoch": 12, "validated": False},
    )
    assert judged(status=quiet, metrics=table).current == Current("m", 0.5)
    assert judged(status=quiet).current is None


def test_a_row_that_is_newer_than_the_status_is_believed() -> None:
    table = rows(
        {
            "epoch": 12,
            "train/loss": 0.63,
            "is_best": True,
            "validated": True,
            "current_metric": 0.5,
        },
        {
            "epoch": 13,
            "train/loss": 0.5,
            "is_best": True,
            "validated": True,
            "current_metric": 0.6,
            "current_metric_name": "metrics/m",
        },
    )
    run = judged(metrics=table)
    assert run.epoch == 13
    assert run.train_loss == 0.5
    assert run.current == Current("m", 0.6)
    assert run.best == Best("m", 0.6, 13)


def test_results_csv_serves_where_there_are_no_rows() -> None:
    table = rows({"epoch": 14, "train/loss": 0.4})
    assert judged(results=table).epoch == 14
    assert judged(results=table, metrics=rows({"epoch": 13})).epoch == 13


def test_the_best_of_a_file_without_marks_is_what_its_last_row_names() -> None:
    table = rows({"epoch": 3, "best_metric": 0.7, "best_metric_name": "metrics/m", "best_epoch": 2})
    assert judged(status=None, metrics=table).best == Best("m", 0.7, 2)
    assert judged(status=None, metrics=rows({"epoch": 3, "metrics/m": 0.7})).best is None


def test_the_model_and_the_task_are_named() -> None:
    run = judged()
    assert (run.model, run.task) == ("yolo9s", "detect")
    assert judged(status=status(model_size=None)).model == "yolo9"
    assert judged(status=status(model_family=None, model_size=7, task=[])).model is None


def test_no_token_is_told_in_a_models_name() -> None:
    assert judged(status=status(model_size="hf_" + "Q" * 34)).model == "yolo9hf_***"


def test_an_epoch_beyond_the_plan_is_the_plans_end() -> None:
    assert judged(status=status(current_epoch=5000)).epoch == 100
    assert judged(metrics=rows({"epoch": 9_999_999})).epoch == 100


def test_all_text_is_clean() -> None:
    run = judged(
        status=status(
            model_family="\x1b[31myolo9",
            task="de\ntect",
            state="failed",
            current_epoch=13,
            error={"type": "E\x07", "message": "\x1b]0;x\x07[bold]no[/bold] hf_SECRETtoken"},
            best_metric_name="metrics/\u202em",
        )
    )
    assert run.model == "yolo9s"
    assert run.task == "de\\ntect"
    assert run.reason == "E: [bold]no[/bold] hf_***"
    assert run.best is not None
    assert run.best.name == "\\u202em"


def test_checkpoints_are_listed_and_broken_ones_told_when_the_run_has_ended() -> None:
    weights = (
        CheckpointStat("best.pt", 100, 1.0, 7, True),
        CheckpointStat("last.pt", 50, 2.0, 8, False),
    )
    running = judged(checkpoints=weights, process=alive())
    assert running.checkpoints[0] == Checkpoint("best.pt", 100, 1.0, True)
    assert running.warnings == ()
    dead = judged(checkpoints=weights, process=gone())
    assert "last.pt is not a complete checkpoint" in dead.warnings


# -- warnings ---------------------------------------------------------------


def test_bad_lines_are_counted() -> None:
    at = CASES / "FILE-03"
    run = judged(metrics=evidence().metrics)
    assert run.bad_lines == 0
    table = rows()
    table.feed((at / "metrics_mid.jsonl").read_bytes())
    run = judged(metrics=table)
    assert run.bad_lines == 2
    assert "2 bad lines in the metrics" in run.warnings
    table = rows({"epoch": 1})
    table.feed(b"broken\n")
    assert "1 bad line in the metrics" in judged(metrics=table).warnings


def test_losses_that_were_lost_and_came_back_are_listed() -> None:
    table = rows()
    table.feed((CASES / "FILE-04" / "metrics.jsonl").read_bytes())
    run = judged(metrics=table)
    assert "train/loss not finite in epochs 2, 3, 4, 5" in run.warnings
    assert run.verdict == "running"


@pytest.mark.parametrize(
    ("disk", "said"),
    [
        (Disk("/", 11 * 2**30, 100 * 2**30), ()),
        (Disk("/", 9 * 2**30, 100 * 2**30), ("disk 91 % full (9 GB left)",)),
        (Disk("/", 2 * 2**30, 100 * 2**30), ("disk full (98 %, 2 GB left)",)),
        (Disk("/", 0, 100), ("disk full (100 %, 0 KB left)",)),
        (Disk("/", 0, 0), ()),
        (Disk("/", 50, 100, 0, 1000), ("disk full (100 % of inodes, 0 left)",)),
        (Disk("/", 50, 100, 95, 1000), ("disk 91 % full of inodes (95 left)",)),
        (Disk("/", 50, 100, 0, 0), ()),
    ],
)
def test_a_disk_that_fills_up_is_told(disk: Disk, said: tuple[str, ...]) -> None:
    assert judged(disk=disk, process=alive()).warnings == said


def test_a_full_disk_is_no_news_of_a_run_that_is_done() -> None:
    done = status(state="completed", completed_epochs=100)
    assert judged(status=done, disk=Disk("/", 0, 100)).warnings == ()


def test_troubles_of_other_files_are_told() -> None:
    troubles = {"metrics.jsonl": FileTrouble("/r", "metrics.jsonl", "EIO", Stat(1, 1.0))}
    assert "metrics.jsonl: input/output error" in judged(troubles=troubles).warnings


# -- money ------------------------------------------------------------------


def test_a_running_run_costs_so_far_and_to_finish() -> None:
    run = judged(price_per_hour=2.0, process=alive(), now=NOW)
    assert run.cost is not None
    assert run.cost.so_far == pytest.approx(4.0)
    assert run.cost.to_finish == pytest.approx(2.0 * (5368 - 30) / 3600)
    assert run.cost.wasted is None


def test_a_stalled_run_wastes_since_it_was_last_seen_moving() -> None:
    quiet = status(updated_at="2026-11-30T01:30:00+00:00")
    run = judged(status=quiet, process=alive(), price_per_hour=2.0, clock=NOW + 1800)
    assert run.verdict == "stalled"
    assert run.cost is not None
    assert run.cost.wasted == pytest.approx(2.0)


@pytest.mark.parametrize("price", [None, float("nan"), -1.0])
def test_without_a_price_there_is_no_cost(price: float | None) -> None:
    assert judged(price_per_hour=price).cost is None


def test_without_times_there_is_no_sum() -> None:
    bare = b'{"state": "running", "current_epoch": 3}'
    run = judged(status=bare, price_per_hour=2.0)
    assert run.cost is not None
    assert (run.cost.so_far, run.cost.to_finish, run.cost.wasted) == (None, None, None)
