"""`boxtop alerts`: the kinds, and a test message through every channel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.alerts.listener import Listener
from tests.cli.conftest import Boxtop, boxtop
from tui.alerts.event import event
from tui.alerts.memory import Memory
from tui.alerts.store import Store
from tui.config.settings import ALERTS

__all__ = ["boxtop"]


def config(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "boxtop.toml"
    path.write_text(f"[alerts]\n{text}\n")
    path.chmod(0o600)
    return path


def test_it_lists_every_kind_and_where_they_go(boxtop: Boxtop, tmp_path: Path) -> None:
    path = config(
        tmp_path,
        "urls = ['ntfy://secret-topic', 'https://example.org/hook']\n"
        "quiet = ['23:00', '07:00']\noff = ['new_best']",
    )
    called = boxtop("--config", path, "alerts")
    assert called == boxtop("alerts", "list", "--config", path)
    rows = {line.split()[0]: line.split()[1] for line in called.out.split("\n\n")[0].splitlines()}
    assert rows == {kind: "off" if kind == "new_best" else "on" for kind in ALERTS}
    assert "ntfy at ntfy.sh, webhook at example.org" in called.out
    assert "quiet from 23:00 to 07:00" in called.out
    assert "secret-topic" not in called.out + called.err and "/hook" not in called.out
    document = json.loads(boxtop("alerts", "list", "--json", "--config", path).out)
    assert document["schema_version"] == 1 and document["kinds"]["new_best"] is False


def test_a_test_goes_through_every_channel(
    boxtop: Boxtop, tmp_path: Path, listener: Listener
) -> None:
    path = config(
        tmp_path, f"urls = ['http://{listener.place}/hook', 'ntfy://{listener.place}/topic']"
    )
    called = boxtop("alerts", "test", "--config", path)
    assert called.code == 0, called
    assert called.out.splitlines() == [
        f"webhook at {listener.place}: taken (200)",
        f"ntfy at {listener.place}: taken (200)",
        "terminal: none here that could show a notification",
    ]
    assert [one.body["title"] for one in listener.taken] == ["boxtop: test"] * 2


def test_it_is_sent_in_the_quiet_time_too(
    boxtop: Boxtop, tmp_path: Path, listener: Listener
) -> None:
    path = config(tmp_path, f"urls = ['http://{listener.place}/']\nquiet = ['00:00', '23:59']")
    assert boxtop("alerts", "test", "--config", path).code == 0
    assert len(listener.taken) == 1


def test_one_that_did_not_take_it_is_named_and_the_others_are_tried(
    boxtop: Boxtop, tmp_path: Path, listener: Listener
) -> None:
    listener.answer(404, b'{"error": "no such hook"}')
    path = config(
        tmp_path, f"urls = ['http://{listener.place}/gone', 'http://{listener.place}/hook']"
    )
    called = boxtop("alerts", "test", "--config", path)
    assert called.code == 6
    assert (
        "not taken: 404: no such ***" in called.out or "not taken: 404: no such hook" in called.out
    )
    assert len(listener.taken) == 2


def test_without_an_address_it_says_how_to_add_one(boxtop: Boxtop) -> None:
    called = boxtop("alerts", "test")
    assert called.code == 0 and "add [alerts] urls to boxtop.toml" in called.err


def test_a_scheme_that_needs_apprise_is_said(
    boxtop: Boxtop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.alerts.check.has_apprise", lambda: False)
    monkeypatch.setitem(__import__("sys").modules, "apprise", None)
    path = config(tmp_path, "urls = ['slack://TokenA/TokenB/TokenC']")
    for words in (("config", "check"), ("alerts", "list")):
        called = boxtop(*words, "--config", path)
        assert "slack:// needs apprise: pip install 'boxtop[notify]'" in called.err
        assert "TokenA" not in called.out + called.err
    assert boxtop("alerts", "test", "--config", path).code == 6


def test_a_look_sends_nothing(boxtop: Boxtop, tmp_path: Path, listener: Listener) -> None:
    from tests.cli.runs import copy_run

    copy_run("yolo9t_killed", tmp_path / "runs" / "run1")
    path = config(tmp_path, f"urls = ['http://{listener.place}/']")
    assert boxtop("status", tmp_path / "runs", "--config", path).code == 3
    assert listener.taken == []


def test_what_was_told_can_be_read_back(boxtop: Boxtop, tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert "nothing was told yet" in boxtop("alerts", "past", "--data-dir", data).err
    told = [event("dead", "lab", f"run{n}", f"lab run{n} is dead", 1_796_004_000.0) for n in (1, 2)]
    Store(data).save(Memory(past=tuple(told), unread=2))
    called = boxtop("alerts", "past", "--data-dir", data)
    assert called.out.splitlines()[0] == "2026-11-30 02:00  dead         lab run1 is dead"
    assert len(boxtop("alerts", "past", "-n", "1", "--data-dir", data).out.splitlines()) == 1
    document = json.loads(boxtop("alerts", "past", "--json", "--data-dir", data).out)
    assert document["schema_version"] == 1
    assert document["alerts"][1]["run"] == "run2"
    assert document["alerts"][1]["at"] == "2026-11-30T02:00:00+00:00"
    assert Store(data).load().unread == 2
