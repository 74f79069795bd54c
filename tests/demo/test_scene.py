"""What stands on the demo's boxes, and that the demo goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.waiting import wait_until
from tui.demo import scene
from tui.demo.session import DemoSession


def state(demo: DemoSession, box: str, run: str) -> dict[str, object]:
    path = demo.directory / box / "runs" / run / "status.json"
    read: dict[str, object] = json.loads(path.read_bytes()) if path.exists() else {}
    return read


def runs(demo: DemoSession, box: str) -> list[str]:
    return sorted(path.name for path in (demo.directory / box / "runs").iterdir())


def test_every_run_is_there_from_the_first_moment_on() -> None:
    with DemoSession() as demo:
        names = [box.name for box in demo.boxes]
        assert names == ["demo-a100", "demo-4090", "demo-old"]
        assert [runs(demo, name) for name in names] == [
            ["yolo9t"],
            ["yolo9t-lr", "yolox-nano"],
            ["yolo9t-early"],
        ]
        long = state(demo, "demo-a100", "yolo9t")
        assert (long["state"], long["completed_epochs"]) == ("running", scene.EPOCHS_DONE)
        rows = (demo.directory / "demo-a100" / "runs" / "yolo9t" / "metrics.jsonl").read_bytes()
        assert rows.count(b"\n") >= scene.EPOCHS_DONE
        assert state(demo, "demo-4090", "yolo9t-lr")["state"] == "running"
        assert state(demo, "demo-4090", "yolox-nano")["state"] == "completed"
        early = state(demo, "demo-old", "yolo9t-early")
        assert (early["state"], early["completed_epochs"]) == ("completed", 4)


def test_one_training_dies_while_one_looks() -> None:
    with DemoSession(speed=30) as demo:
        assert demo.boxes
        pid = state(demo, "demo-4090", "yolo9t-lr")["pid"]
        wait_until(lambda: not Path(f"/proc/{pid}").exists(), what="the training died")
        left = state(demo, "demo-4090", "yolo9t-lr")
        assert (left["state"], left["current_epoch"]) == ("running", 5)


def test_a_completed_run_is_followed_by_another_and_old_ones_go() -> None:
    with DemoSession(speed=1000) as demo:
        assert demo.boxes
        wait_until(lambda: "yolo9t3" in runs(demo, "demo-a100"), 60, "the third run")
        second = state(demo, "demo-a100", "yolo9t2")
        assert (second["state"], second["completed_epochs"]) == ("completed", 100)
        wait_until(lambda: "yolo9t" not in runs(demo, "demo-a100"), 60, "the first run is removed")
        assert len(runs(demo, "demo-a100")) <= scene.KEPT_RUNS + 1


@pytest.mark.parametrize("box", scene.BOXES, ids=lambda box: box.name)
def test_prices_are_told_as_the_configuration_s(box: scene.BoxPlan, demo: DemoSession) -> None:
    told = {each.name: each.price_per_hour for each in demo.boxes}
    assert told[box.name] == box.price_per_hour
