"""What was told is kept, to be read again by who was away: over restarts, and not for ever."""

from __future__ import annotations

import json
from pathlib import Path

from tests.alerts.scenes import NOW, box, run
from tests.alerts.test_watcher import World
from tui.alerts.event import Event, event
from tui.alerts.past import PAST_MOST, Past, with_events
from tui.config.settings import AlertKind, AlertSettings


def told(kind: AlertKind, name: str = "run1", at: float = 1.0) -> Event:
    return event(kind, "lab", name, f"lab {name} {kind}", at)


def texts(past: Past) -> list[str]:
    return [one.text for one in past.events]


def test_what_was_told_is_there_after_a_restart_and_after_a_crash(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.see(box(run()))
    world.see(box(run("dead", ended_at=NOW)))
    world.watcher._store.close()
    world.watcher = world.open()
    past = world.watcher.past()
    assert [one.kind for one in past.events] == ["dead"]
    assert past.unread == 1 and past.has_trouble


def test_what_somebody_looked_at_is_no_news_after_a_restart(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.see(box(run()))
    world.see(box(run("dead", ended_at=NOW)))
    assert world.watcher.read().unread == 1
    assert world.watcher.read().unread == 0
    world.watcher.close()
    world.watcher = world.open()
    assert (len(world.watcher.past().events), world.watcher.past().unread) == (1, 0)


def test_it_is_kept_in_the_quiet_time_too_and_without_kinds_that_are_off(tmp_path: Path) -> None:
    quiet = AlertSettings(quiet=("00:00", "23:59"), off=("failed",))
    world = World(tmp_path, quiet)
    world.see(box(run(), run(path="/other")))
    world.see(box(run("dead"), run("failed", path="/other")))
    assert [one.kind for one in world.watcher.past().events] == ["dead"]


def test_an_older_boxtops_memory_has_no_past_and_is_kept(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.see(box(run()))
    world.see(box(run("dead", ended_at=NOW)))
    world.watcher.close()
    kept = json.loads((tmp_path / "alerts.json").read_text())
    del kept["past"], kept["unread"]
    (tmp_path / "alerts.json").write_text(json.dumps(kept))
    world.watcher = world.open()
    assert world.watcher.past() == Past()
    world.see(box(run("dead", ended_at=NOW)))
    assert len(world.person.shown) == 1


def test_of_a_runs_bests_the_newest_stands_for_all() -> None:
    past = with_events(Past(), [told("new_best", at=1), told("dead", "run2"), told("new_best")])
    past = with_events(past, [told("new_best", at=3), told("new_best", "run2")])
    assert texts(past) == ["lab run2 dead", "lab run1 new_best", "lab run2 new_best"]
    assert past.unread == 3
    past = with_events(Past(past.events), [told("new_best")])
    assert past.unread == 1


def test_of_too_many_trouble_stays_longest() -> None:
    many = [told("new_best", f"run{n}") for n in range(5)]
    many += [told("completed", f"run{n}") for n in range(PAST_MOST)]
    many += [told("dead", f"run{n}") for n in range(10)]
    past = with_events(Past(), many)
    kinds = [one.kind for one in past.events]
    assert len(kinds) == PAST_MOST == past.unread
    assert kinds.count("dead") == 10 and "new_best" not in kinds
    assert texts(past)[0] == "lab run10 completed"
