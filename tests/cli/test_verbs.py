"""What all verbs have in common: help, options, JSON, and which one is meant without a name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop, write_config
from tests.cli.runs import copy_run, live_run
from tui.cli.commands import VERBS


def test_help_names_every_verb_and_each_has_its_own(boxtop: Boxtop) -> None:
    overview = boxtop("--help")
    assert overview.code == 0
    for verb in VERBS:
        assert f"\n  {verb} " in overview.out
        told = boxtop(verb, "--help")
        assert told.code == 0 and told.err == ""
        assert max(map(len, told.out.splitlines())) <= 90
    files = {path.stem for path in (Path("tui") / "verbs").glob("[a-z]*.py")}
    assert files - {"screen"} == set(VERBS)


def test_help_is_what_people_try_first(boxtop: Boxtop) -> None:
    assert boxtop("help").out == boxtop("--help").out
    assert boxtop("help", "logs").out == boxtop("logs", "--help").out


def test_the_version_is_the_packages(boxtop: Boxtop) -> None:
    assert boxtop("status", "--help").code == 0
    called = boxtop("--ascii", "--version")
    assert (called.code, called.out) == (0, "boxtop 0.1.0\n")


def test_without_a_terminal_no_verb_means_status(
    boxtop: Boxtop, home: Path, tmp_path: Path
) -> None:
    copy_run("yolo9t_long", tmp_path / "run1")
    for arguments in ([tmp_path], ["watch", tmp_path], ["status", tmp_path]):
        called = boxtop(*arguments)
        assert called.code == 0 and "completed  run1  100/100" in called.out
    assert json.loads(boxtop(tmp_path, "--json").out)["schema_version"] == 1
    write_config(home, f'[box.desk]\npath = "{tmp_path}"\n')
    called = boxtop()
    assert called.code == 0 and called.out.split()[0] == "desk"


def test_global_options_stand_before_or_after_the_verb(boxtop: Boxtop, tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text('[box.desk]\npath = "."\n')
    for arguments in (["--config", config, "boxes"], ["boxes", "--config", config]):
        assert boxtop(*arguments).out.startswith("desk  .  ")
    assert boxtop("--read-only", "--no-mouse", "boxes", "--no-color", "--ascii").code == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_for_each_shell(boxtop: Boxtop, shell: str) -> None:
    called = boxtop("completion", shell)
    assert called.code == 0 and "_BOXTOP_COMPLETE" in called.out


def test_every_reading_verb_gives_ascii_json(boxtop: Boxtop, tmp_path: Path) -> None:
    run = live_run(tmp_path / "caf\u00e9")
    (run / "train.log").write_text("caf\u00e9 \u6f22\n")
    for arguments in (["status", tmp_path], ["logs", tmp_path], ["plot", tmp_path], ["boxes"]):
        called = boxtop(*arguments, "--json")
        assert called.code == 0 and called.out.isascii()
        assert json.loads(called.out)["schema_version"] == 1
    for arguments in (["open", "--json"], ["config", "show", "--json"]):
        assert json.loads(boxtop(*arguments).out)["schema_version"] == 1
