"""What was told is remembered, by one boxtop at a time."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.alerts.scenes import NOW, Scene, box, kinds, run
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
