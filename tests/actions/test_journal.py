"""The journal: one line for each action, whole lines only, for its owner's eyes."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from tui.actions.journal import Entry, Journal, now_text


def entry(box: str = "lab", outcome: str = "done") -> Entry:
    return Entry(at=now_text(), action="kill", box=box, run="/root/runs/a\udc80", outcome=outcome)


def test_entries_are_appended_and_read_back(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "data")
    assert list(journal.entries()) == []
    journal.add(entry())
    Journal(tmp_path / "data").add(entry("other", "left"))
    assert [(one.box, one.outcome) for one in journal.entries()] == [
        ("lab", "done"),
        ("other", "left"),
    ]
    assert next(journal.entries()).run == "/root/runs/a\udc80"
    assert stat.S_IMODE(journal.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(journal.path.parent.stat().st_mode) == 0o700
    for line in journal.path.read_text().splitlines():
        assert list(json.loads(line))[:4] == ["at", "action", "box", "run"]


def test_a_line_is_seen_onto_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[bytes] = []
    journal = Journal(tmp_path)
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(journal.path.read_bytes()))
    journal.add(entry("one"))
    assert len(synced) == 1 and b'"one"' in synced[0]


def test_a_torn_line_costs_itself_alone(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.add(entry("one"))
    with journal.path.open("ab") as file:
        file.write(b'{"at": "2026-')
    assert [one.box for one in journal.entries()] == ["one"]
    journal.add(entry("two"))
    assert [one.box for one in journal.entries()] == ["one", "two"]


def test_times_are_utc() -> None:
    assert now_text(1796004000.0) == "2026-11-30T02:00:00+00:00"
