"""What was told is remembered, by one boxtop at a time."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.alerts.scenes import NOW, Scene, box, kinds, run
from tui.alerts.event import Event, event
from tui.alerts.memory import Memory, RunMemory
from tui.alerts.store import Store


def test_it_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    memory = Memory(told={"dead:1": 5.0}, runs={"run:1": RunMemory(1.0, 2.0, True, (3, 0.5))})
    Store(tmp_path / "data").save(memory)
    assert Store(tmp_path / "data").load() == memory
    assert stat.S_IMODE((tmp_path / "data" / "alerts.json").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"\xff\xfe", b'{"told": 5}', b'{"version": 99}', b"[" * 100_000],
    ids=["empty", "torn", "list", "bytes", "wrong", "newer", "deep"],
)
def test_a_corrupted_file_is_begun_anew_without_a_storm(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "alerts.json").write_bytes(data)
    memory = Store(tmp_path).load()
    assert memory == Memory()
    old = [run("failed", path=f"/runs/{n}", ended_at=NOW - 86_400) for n in range(50)]
    assert kinds(Scene(memory).see(box(*old), seconds=600)) == []


def test_a_crash_leaves_the_old_file(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.save(Memory(told={"a": 1.0}))
    (tmp_path / ".alerts.json.tmp").write_bytes(b"{ half")
    assert store.load().told == {"a": 1.0}
    store.save(Memory(told={"b": 1.0}))
    assert store.load().told == {"b": 1.0}


def test_of_two_boxtops_one_sends_until_it_ends(tmp_path: Path) -> None:
    first, second = Store(tmp_path), Store(tmp_path)
    assert first.own() and not second.own() and first.own()
    first.close()
    assert second.own() and not first.own()
    second.close()


def test_without_a_place_nothing_is_kept_and_all_is_told(tmp_path: Path) -> None:
    nowhere = Store(None)
    assert nowhere.own() and nowhere.load() == Memory()
    nowhere.save(Memory())
    (tmp_path / "file").write_text("")
    blocked = Store(tmp_path / "file")
    assert blocked.own() and blocked.load() == Memory()
    with pytest.raises(OSError):
        blocked.save(Memory())


def test_the_lock_does_not_go_to_children(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.own()
    assert store._lock is not None and not os.get_inheritable(store._lock)
    store.close()


def told(text: str, at: float) -> Event:
    return event("dead", "lab", None, text, at)


def test_a_boxtop_of_one_box_has_a_part_of_its_own(tmp_path: Path) -> None:
    lab, other, screen = Store(tmp_path, "lab"), Store(tmp_path, "../other"), Store(tmp_path)
    assert lab.own() and other.own() and lab.tells_all() and other.tells_all()
    assert not Store(tmp_path, "lab").own()
    assert screen.own() and not lab.tells_all(), "nobody knows yet of which boxes it tells"
    screen.claim(["../other", "desk"])
    assert lab.tells_all() and not other.tells_all()
    screen.claim(["lab"])
    assert other.tells_all() and not lab.tells_all()
    assert "lab" not in (tmp_path / "alerts.boxes").read_text()
    screen.close()
    assert lab.tells_all()
    lab.save(Memory(told={"a": 1.0}))
    assert Store(tmp_path, "../other").load().told == {"a": 1.0}
    assert {path.parent for path in tmp_path.rglob("*")} == {tmp_path}
    lab.close()
    other.close()


def test_what_a_part_left_is_taken_over_once_nobody_has_it(tmp_path: Path) -> None:
    lab, screen = Store(tmp_path, "lab"), Store(tmp_path)
    lab.own()
    runs = {"run": RunMemory(1.0, 9.0, True)}
    events = told("first", 1.0), told("second", 3.0)
    lab.save(Memory(told={"a": 1.0}, runs=runs, held=[events[1]], past=events, unread=1))
    screen.save(Memory(told={"b": 2.0}, runs={"run": RunMemory(1.0, 2.0)}, past=(told("x", 2.0),)))
    screen.own()
    memory = screen.load()
    assert (memory.told, memory.runs, memory.held) == ({"a": 1.0, "b": 2.0}, runs, [])
    assert [one.text for one in memory.past] == ["x"]
    screen.save(memory)
    assert [one.text for one in screen.past()] == ["first", "x", "second"]
    lab.close()
    memory = screen.load()
    assert memory.held == [events[1]] and memory.unread == 1
    assert [one.text for one in memory.past] == ["first", "x", "second"]
    assert len(list(tmp_path.glob("alerts-*.json"))) == 1, "not before it is kept elsewhere"
    screen.save(memory)
    assert list(tmp_path.glob("alerts-*.json")) == []
    assert screen.load() == memory
    assert lab.own()
    screen.close()
    lab.close()
