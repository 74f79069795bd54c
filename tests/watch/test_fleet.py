"""A fleet follows many boxes; one in trouble delays no other, and everything outlives the link."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.waiting import wait_until
from tests.watch.scripted import BOX, GREETING, ONE_RUN, HeldClock, Script, ScriptedLink
from tui.boxes import Box, SshTarget
from tui.facts import (
    Fact,
    FileBegins,
    FileBytes,
    FileGone,
    FileWhole,
    RunFound,
    RunGone,
    Settled,
    Stat,
)
from tui.links.asking import RefusingAsker
from tui.links.base import LinkError
from tui.runs import files
from tui.view import BoxView
from tui.watch import fleet as module
from tui.watch.fleet import Fleet

RUNS = Path(__file__).parent.parent / "data" / "runs"
PATH = "/root/runs/run1"
WRITTEN = 2_000_000_000.0
"""When the files of recordings were written: after their trainings began."""


def recorded(name: str) -> tuple[Fact, ...]:
    """The facts of a whole recorded run."""
    status = (RUNS / name / files.STATUS).read_bytes()
    metrics = (RUNS / name / files.METRICS).read_bytes()
    head = hashlib.sha256(metrics[:256]).hexdigest()
    stat = Stat(len(metrics), WRITTEN, inode=5)
    return (
        *ONE_RUN[:-1],
        FileWhole(PATH, files.STATUS, status, Stat(len(status), WRITTEN)),
        FileBegins(PATH, files.METRICS, 0, head, 256, stat),
        FileBytes(PATH, files.METRICS, 0, metrics, stat),
        Settled(1000.0),
    )


@contextmanager
def following(
    scripts: dict[str, Script], data: Path | None = None, clock: HeldClock | None = None
) -> Iterator[Fleet]:
    def link_for(box: Box, _: object) -> ScriptedLink:
        return scripts[box.name].link()

    boxes = [replace(BOX, name=name) for name in scripts]
    fleet = Fleet(boxes, RefusingAsker(), data, clock=clock, link_for=link_for)
    try:
        yield fleet
    finally:
        fleet.close()


def box_of(fleet: Fleet, name: str) -> BoxView:
    view = fleet.box(name)
    assert view is not None
    return view


def test_a_dead_box_delays_no_other() -> None:
    hang = threading.Event()

    class Hanging(Script):
        def link(self, *_: object) -> ScriptedLink:
            hang.wait()
            return super().link()

    with following({"dead": Hanging(GREETING), "alive": Script(ONE_RUN)}) as fleet:
        wait_until(lambda: box_of(fleet, "alive").link.state == "live")
        assert box_of(fleet, "dead").link.state == "connecting"
        hang.set()


def test_subscribers_hear_of_a_change_by_the_boxs_name() -> None:
    heard: list[str] = []
    with following({"lab": Script(ONE_RUN)}) as fleet:
        fleet.subscribe(heard.append)
        fleet.reconnect("lab")
        wait_until(lambda: "lab" in heard)


def test_after_a_restart_the_mirror_shows_the_run_before_any_network(tmp_path: Path) -> None:
    with following({"lab": Script(recorded("yolo9t_long"))}, tmp_path) as fleet:
        wait_until(lambda: box_of(fleet, "lab").runs and box_of(fleet, "lab").runs[0].run.epoch)
    refused = LinkError("auth", "the box refuses our key")
    script = Script(refused)
    with following({"lab": script}, tmp_path) as fleet:
        wait_until(lambda: box_of(fleet, "lab").link.state == "refused")
        (run,) = box_of(fleet, "lab").runs
        assert run.run.epoch == 100
        assert run.run.verdict == "completed"
        assert run.run.pid_alive is None
        assert len(run.metrics.epochs) == 100


def test_after_a_restart_the_link_goes_on_where_the_mirror_ends(tmp_path: Path) -> None:
    facts = recorded("yolo9t_killed")
    with following({"lab": Script(facts)}, tmp_path) as fleet:
        wait_until(lambda: box_of(fleet, "lab").runs and box_of(fleet, "lab").runs[0].run.epoch)
    script = Script(GREETING)
    with following({"lab": script}, tmp_path):
        wait_until(lambda: script.requests)
    token = script.requests[0].resume[(PATH, files.METRICS)]
    assert token.offset == (RUNS / "yolo9t_killed" / files.METRICS).stat().st_size


def test_a_mirrored_run_that_the_box_no_longer_has_leaves_the_list(tmp_path: Path) -> None:
    with following({"lab": Script(ONE_RUN)}, tmp_path) as fleet:
        wait_until(lambda: box_of(fleet, "lab").runs)
    with following({"lab": Script(GREETING)}, tmp_path) as fleet:
        wait_until(lambda: box_of(fleet, "lab").link.state == "live")
        wait_until(lambda: not box_of(fleet, "lab").runs)


def test_waking_up_reconnects_every_box_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAKE_CHECK_SECONDS", 0.01)
    clock = HeldClock()
    script = Script(GREETING)
    with following({"lab": script}, clock=clock) as fleet:
        wait_until(lambda: box_of(fleet, "lab").link.state == "live")
        clock.slept += 600.0
        wait_until(lambda: len(script.requests) == 2)


def test_a_box_added_later_is_followed_too() -> None:
    with following({"lab": Script(GREETING)}) as fleet:
        fleet.add(replace(BOX, name="lab", target=SshTarget("ignored")))
        assert [view.name for view in fleet.boxes()] == ["lab"]


def test_a_mirror_that_cannot_be_written_costs_the_mirror_and_not_the_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tui.runs.mirror._append", full)
    with following({"lab": Script(recorded("yolo9t_long"))}, tmp_path) as fleet:
        wait_until(lambda: [view.run.epoch for view in box_of(fleet, "lab").runs] == [100])


def test_two_boxtops_on_one_box_both_show_it(tmp_path: Path) -> None:
    facts = recorded("yolo9t_long")
    with (
        following({"lab": Script(facts)}, tmp_path) as first,
        following({"lab": Script(facts)}, tmp_path) as second,
    ):
        for fleet in (first, second):
            wait_until(lambda f=fleet: box_of(f, "lab").runs)  # type: ignore[misc]


def test_a_finished_run_that_was_asked_for_says_which_one_is_live(tmp_path: Path) -> None:
    done = json.dumps({"state": "completed", "total_epochs": 2, "completed_epochs": 2}).encode()
    runs = [RunFound(f"/root/runs/{name}", name, "/root/runs") for name in ("run1", "run12")]
    live = json.dumps({"state": "running", "total_epochs": 9, "current_epoch": 3}).encode()
    facts: tuple[Fact, ...] = (
        GREETING[0],
        *runs,
        FileWhole("/root/runs/run1", files.STATUS, done, Stat(len(done), 900.0)),
        FileWhole("/root/runs/run12", files.STATUS, live, Stat(len(live), 999.0)),
        GREETING[-1],
    )
    box = replace(BOX, run="run1")
    script = Script(facts)
    fleet = Fleet([box], RefusingAsker(), tmp_path, link_for=lambda *_: script.link())
    wait_until(lambda: box_of(fleet, "lab").notices)
    view = box_of(fleet, "lab")
    fleet.close()
    assert [run.run.id for run in view.runs] == ["run1"]
    assert view.notices == ("run12 is live",)


def test_a_run_that_came_and_went_empty_leaves_nothing_behind(tmp_path: Path) -> None:
    gone = RunGone(PATH)
    with following({"lab": Script((*ONE_RUN[:-1], gone, ONE_RUN[-1]))}, tmp_path) as fleet:
        wait_until(lambda: box_of(fleet, "lab").link.state == "live")
        wait_until(lambda: not list(tmp_path.rglob("run1")))
        assert box_of(fleet, "lab").runs == ()


def test_a_run_that_is_deleted_on_the_box_stays_what_it_was_and_is_kept(tmp_path: Path) -> None:
    gone = [FileGone(PATH, name) for name in (files.METRICS, files.STATUS)]
    stat = Stat(5, 1000.0, inode=9)
    console = [
        FileBegins(PATH, files.CONSOLE, 0, hashlib.sha256(b"late\n").hexdigest(), 5, stat),
        FileBytes(PATH, files.CONSOLE, 0, b"late\n", stat),
    ]
    last = RunFound("/root/runs/run2", "run2", "/root/runs")
    facts = (*recorded("yolo9t_long"), *gone, *console, last)
    with following({"lab": Script(facts)}, tmp_path) as fleet:
        wait_until(lambda: len(box_of(fleet, "lab").runs) == 2)
        (view,) = [run for run in box_of(fleet, "lab").runs if run.run.path == PATH]
        assert view.run.verdict == "completed"
        assert view.metrics.epochs and view.run.epoch == 100
    copies = {path.name for path in tmp_path.rglob("run1/*")}
    assert {files.STATUS, files.METRICS} <= copies and f"{files.STATUS}.1" not in copies


def test_a_file_that_is_gone_is_of_the_past_once_another_comes(tmp_path: Path) -> None:
    facts = recorded("yolo9t_long")
    status = next(fact for fact in facts if isinstance(fact, FileWhole))
    fresh = status.data.replace(b'"completed"', b'"running"')
    begun = (FileGone(PATH, files.METRICS), FileWhole(PATH, files.STATUS, fresh, status.stat))
    with following({"lab": Script((*facts, *begun))}, tmp_path) as fleet:
        wait_until(
            lambda: [run.run.reported_state for run in box_of(fleet, "lab").runs] == ["running"]
        )
        assert box_of(fleet, "lab").runs[0].metrics.epochs == []
    assert {path.name for path in tmp_path.rglob("metrics.jsonl*")} == {"metrics.jsonl.1"}


def test_a_recording_holds_what_the_mirror_had_before(tmp_path: Path) -> None:
    facts = recorded("yolo9t_killed")
    with following({"lab": Script(facts)}, tmp_path / "data") as fleet:
        wait_until(lambda: box_of(fleet, "lab").runs and box_of(fleet, "lab").runs[0].run.epoch)
    script = Script(ONE_RUN)
    fleet = Fleet(
        [BOX],
        RefusingAsker(),
        tmp_path / "data",
        link_for=lambda *_: script.link(),
        record=tmp_path / "recorded",
    )
    timeline = tmp_path / "recorded" / "lab" / "run1" / "timeline.jsonl"
    wait_until(lambda: timeline.exists() and timeline.stat().st_size)
    fleet.close()
    (event,) = map(json.loads, timeline.read_text().splitlines())
    assert (event["file"], event["op"]) == (files.METRICS, "replace")
    assert event["data"].encode() == (RUNS / "yolo9t_killed" / files.METRICS).read_bytes()
