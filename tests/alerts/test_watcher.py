"""The watcher as a whole: boxes in, messages out, and nothing twice over restarts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.alerts.listener import Listener
from tests.alerts.scenes import NOW, OFFLINE, box, run
from tests.waiting import wait_until
from tui.alerts.channels import channels_of
from tui.alerts.ends import Ended
from tui.alerts.event import Message
from tui.alerts.watcher import LOOK_SECONDS, AlertWatcher
from tui.config.settings import AlertSettings
from tui.view import BoxView


@dataclass
class Person:
    """Who is told."""

    shown: list[tuple[str, bool]] = field(default_factory=list)
    notified: list[Message] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def show(self, message: Message, *, loud: bool) -> None:
        self.shown.append((message.title, loud))

    def notify(self, message: Message) -> None:
        self.notified.append(message)

    def tell(self, line: str) -> None:
        self.told.append(line)


class World:
    """Boxes that a test changes, and clocks that it moves."""

    def __init__(self, data: Path | None, settings: AlertSettings | None = None) -> None:
        self.data = data
        self.settings = settings or AlertSettings()
        self.views: Sequence[BoxView] = ()
        self.wall, self.awake = NOW, 100.0
        self.person = Person()
        self.ends: list[Ended] = []
        self.part: str | None = None
        self.parts: Sequence[str] = ("lab",)
        self.watcher = self.open()

    def open(self) -> AlertWatcher:
        return AlertWatcher(
            self,
            self.settings,
            channels_of(self.settings.urls),
            self.person,
            self.data,
            ends=lambda: self.ends,
            part=self.part,
            parts=lambda: self.parts,
            real=lambda name: name != "recording",
            wall=lambda: self.wall,
            awake=lambda: self.awake,
        )

    def boxes(self) -> tuple[BoxView, ...]:
        return tuple(self.views)

    def see(self, *views: BoxView, seconds: float = 30.0) -> None:
        self.views = views
        for _ in range(round(seconds / LOOK_SECONDS)):
            self.wall += LOOK_SECONDS
            self.awake += LOOK_SECONDS
            self.watcher.look()


def settings(listener: Listener, **changes: object) -> AlertSettings:
    return AlertSettings(urls=(f"http://{listener.place}/hook",), **changes)


def test_it_tells_the_screen_the_desktop_and_the_webhook(
    listener: Listener, tmp_path: Path
) -> None:
    world = World(tmp_path, settings(listener))
    world.see(box(run()))
    world.see(box(run("dead", ended_at=NOW)))
    wait_until(lambda: listener.taken)
    assert world.person.shown == [("boxtop: dead: lab run12", True)]
    assert [one.title for one in world.person.notified] == ["boxtop: dead: lab run12"]
    assert listener.taken[0].body["events"][0]["kind"] == "dead"
    world.watcher.close()


def test_a_restart_tells_nothing_again(listener: Listener, tmp_path: Path) -> None:
    world = World(tmp_path, settings(listener))
    world.see(box(run()))
    world.see(box(run("failed", ended_at=NOW)))
    world.watcher.close()
    world.watcher = world.open()
    world.see(box(run("failed", ended_at=NOW)), seconds=300)
    world.watcher.close()
    assert len(world.person.shown) == len(listener.taken) == 1


def test_a_crash_tells_nothing_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.see(box(run()))
    world.see(box(run("failed", ended_at=NOW)))
    world.watcher._store.close()
    world.watcher = world.open()
    world.see(box(run("failed", ended_at=NOW)), seconds=300)
    assert len(world.person.shown) == 1


def test_the_quiet_time_holds_all_but_the_screen_and_ends_in_one_message(
    listener: Listener, tmp_path: Path
) -> None:
    world = World(tmp_path, settings(listener, quiet=("01:00", "07:00")))
    runs = [run(path=f"/runs/{n}", id=f"run{n}") for n in range(3)]
    world.see(box(*runs))
    ended = [run("dead", path=f"/runs/{n}", id=f"run{n}", ended_at=NOW) for n in range(3)]
    for count in (1, 2, 3):
        world.see(box(*ended[:count], *runs[count:]))
    assert [loud for _, loud in world.person.shown] == [False] * 3
    assert world.person.notified == [] and listener.taken == []
    world.watcher.close()
    world.wall += 6 * 3600
    world.watcher = world.open()
    world.see(box(*ended))
    wait_until(lambda: listener.taken)
    world.watcher.close()
    assert [one.body["title"] for one in listener.taken] == [
        "boxtop: 3 alerts of the quiet time: 3 dead"
    ]


def test_what_no_address_took_is_sent_at_the_next_start(listener: Listener, tmp_path: Path) -> None:
    listener.answer(503)
    world = World(tmp_path, settings(listener))
    world.see(box(run()))
    world.see(box(run("dead", ended_at=NOW)))
    wait_until(lambda: world.person.told)
    world.watcher.close()
    world.watcher = world.open()
    world.see(box(run("dead", ended_at=NOW)), seconds=300)
    wait_until(lambda: len(listener.taken) == 2)
    world.watcher.close()
    assert [one.body["title"] for one in listener.taken] == ["boxtop: dead: lab run12"] * 2
    assert json.loads((tmp_path / "alerts.json").read_text())["held"] == []


def test_kinds_and_the_desktop_can_be_off(tmp_path: Path) -> None:
    world = World(tmp_path, AlertSettings(off=("dead",), desktop=False))
    runs = run(), run(path="/other")
    world.see(box(*runs))
    world.see(box(run("dead"), run("failed", path="/other")))
    assert world.person.shown == [("boxtop: failed: lab run12", True)]
    assert world.person.notified == []


def test_what_happened_in_a_recording_is_no_news(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.see(box(run(), name="recording"))
    world.see(box(run("dead"), name="recording"))
    assert world.person.shown == []


def test_of_two_boxtops_one_sends_and_both_show(listener: Listener, tmp_path: Path) -> None:
    first, second = World(tmp_path, settings(listener)), World(tmp_path, settings(listener))
    for world in (first, second):
        world.see(box(run()))
    for world in (first, second):
        world.see(box(run("dead", ended_at=NOW)))
    first.watcher.close()
    second.see(box(run("dead", ended_at=NOW)), seconds=300)
    second.watcher.close()
    assert len(listener.taken) == 1
    assert len(first.person.shown) == len(second.person.shown) == 1
    assert second.person.notified == []


END = Ended("lab", "pull", "done", "finish line of lab done: the weights were pulled", True)


def test_the_last_look_sends_at_once_and_waits_until_it_is_taken(
    listener: Listener, tmp_path: Path
) -> None:
    world = World(tmp_path, settings(listener))
    world.see(box(run("completed")), seconds=5)
    world.ends = [END]
    world.watcher.last_look(20.0)
    assert [one.body["events"][0]["kind"] for one in listener.taken] == ["finished"]
    world.watcher.close()
    world.watcher = world.open()
    world.see(box(run("completed")), seconds=60)
    world.watcher.last_look(20.0)
    world.watcher.close()
    assert len(listener.taken) == 1


def a_screen_and_a_line(data: Path, settings: AlertSettings) -> tuple[World, World]:
    """Two boxtops with one data directory, the second one of a box alone."""
    screen, line = World(data, settings), World(data, settings)
    line.watcher.close()
    line.part = "lab"
    line.watcher = line.open()
    return screen, line


def test_the_end_of_a_finish_line_is_told_by_whoever_has_it(
    listener: Listener, tmp_path: Path
) -> None:
    screen, line = a_screen_and_a_line(tmp_path, settings(listener))
    for world in (screen, line):
        world.see(box(run()))
    line.ends = [END]
    for world in (screen, line):
        world.see(box(run("dead", ended_at=NOW)))
    wait_until(lambda: len(listener.taken) == 2)
    screen.watcher.close()
    line.see(box(run("failed", path="/other", ended_at=NOW)))
    line.watcher.last_look(20.0)
    line.watcher.close()
    told = [event["kind"] for one in listener.taken for event in one.body["events"]]
    assert sorted(told[:2]) == ["dead", "finished"] and told[2:] == ["failed"]


def test_a_screen_that_watches_other_boxes_silences_nobody(
    listener: Listener, tmp_path: Path
) -> None:
    screen, line = a_screen_and_a_line(tmp_path, settings(listener))
    screen.parts = ("desk",)
    screen.see(box(run(), name="desk"))
    line.see(box(run()))
    line.see(box(run("dead", ended_at=NOW)))
    wait_until(lambda: len(listener.taken) == 1)
    screen.parts = ("desk", "lab")
    screen.see(box(run(), name="desk"), box(run()))
    line.see(box(run("failed", path="/other", ended_at=NOW)))
    for world in (screen, line):
        world.watcher.last_look(20.0)
        world.watcher.close()
    told = [event["kind"] for one in listener.taken for event in one.body["events"]]
    assert told == ["dead"]


def test_a_disk_that_takes_nothing_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    world = World(tmp_path / "file")
    world.see(box(run()))
    world.see(box(run("dead")))
    world.see(box(run(), link=OFFLINE), seconds=400)
    assert len(world.person.shown) == 2
    (told,) = world.person.told
    assert told == f"alerts: what was told cannot be kept in {tmp_path / 'file'}: File exists"


def test_what_is_kept_is_small_json_without_names(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.see(box(run()), box(run(), name="other"))
    world.watcher.close()
    kept = json.loads((tmp_path / "alerts.json").read_text())
    assert len(kept["runs"]) == len(kept["boxes"]) == 2
    assert "/root/runs" not in json.dumps(kept)


def test_an_idle_look_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path)
    world.see(box(run()), seconds=60)
    before = (tmp_path / "alerts.json").stat().st_mtime_ns
    world.see(box(run()), seconds=300)
    assert (tmp_path / "alerts.json").stat().st_mtime_ns == before
