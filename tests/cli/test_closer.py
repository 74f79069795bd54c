"""A run that was named: which is live beside it, and what there is before its first status."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop, write_config
from tests.cli.runs import copy_run, live_run
from tests.sshd import SshServer
from tui.boxes import Box, LocalTarget
from tui.cli.closer import beside_its_own


def write_fresh(run: Path) -> None:
    run.mkdir(parents=True)
    (run / "train_config.yaml").write_text("model: yolo9\nepochs: 30\n")


@pytest.mark.sshd
@pytest.mark.parametrize("form", ["/run1", ":run1"])
def test_the_live_run_beside_one_that_was_named_over_ssh_is_told(
    boxtop: Boxtop, ssh_box: SshServer, tmp_path: Path, form: str
) -> None:
    copy_run("yolo9t_long", tmp_path / "run1")
    os.utime(tmp_path / "run1" / "status.json", (1, 1))
    live_run(tmp_path / "run12")
    target = f"ssh://{ssh_box.text}{tmp_path}{form}"
    called = boxtop("status", target)
    assert called.code == 0
    assert "note: run12 is live" in called.out
    assert "completed  run1  100/100" in called.out and "starting  run12" not in called.out
    document = json.loads(boxtop("status", target, "--json").out)
    assert [run["id"] for run in document["boxes"][0]["runs"]] == ["run1"]
    assert "has no run 'run13'" in boxtop("status", f"{target.removesuffix(form)}:run13").err


@pytest.mark.sshd
@pytest.mark.parametrize("form", ["/run13", ":run13"])
@pytest.mark.parametrize("place", ["here", "box"])
def test_a_run_that_has_but_its_configuration_is_told_when_it_is_named(
    boxtop: Boxtop, ssh_box: SshServer, tmp_path: Path, form: str, place: str
) -> None:
    copy_run("yolo9t_long", tmp_path / "run1")
    write_fresh(tmp_path / "run13")
    where = f"{tmp_path}" if place == "here" else f"ssh://{ssh_box.text}{tmp_path}"
    called = boxtop("status", f"{where}{form}")
    assert called.code == 0 and called.err == ""
    assert "run13" in called.out and "no status and no epochs yet" in called.out
    document = json.loads(boxtop("status", f"{where}{form}", "--json").out)
    (run,) = document["boxes"][0]["runs"]
    assert (run["id"], run["reported_state"], run["epoch"]) == ("run13", None, None)
    assert "run13" not in boxtop("status", where).out


@pytest.mark.sshd
def test_the_whole_path_of_a_run_is_found_outside_of_a_box_s_roots_too(
    boxtop: Boxtop, ssh_box: SshServer, home: Path, tmp_path: Path
) -> None:
    roots, elsewhere = tmp_path / "runs", tmp_path / "elsewhere" / "run7"
    copy_run("yolo9t_long", roots / "run1")
    copy_run("yolo9t_long", elsewhere)
    write_config(home, f'[box.lab]\nssh = "{ssh_box.text}"\nruns = ["{roots}"]\n')
    document = json.loads(boxtop("status", f"lab:{elsewhere}", "--json").out)
    assert [run["path"] for run in document["boxes"][0]["runs"]] == [str(elsewhere)]
    assert "Epoch" in boxtop("logs", f"lab:{elsewhere}/").out
    assert "Epoch" in boxtop("logs", f"lab:{roots}/run1").out
    missing = boxtop("logs", f"lab:{elsewhere}8")
    assert missing.code == 2 and "has no run" in missing.err


def test_an_empty_directory_that_is_named_is_no_run(boxtop: Boxtop, tmp_path: Path) -> None:
    (tmp_path / "run14").mkdir()
    called = boxtop("status", tmp_path / "run14")
    assert called.code == 0 and "no runs yet" in called.out


def test_a_screen_of_one_run_directory_looks_at_its_neighbours_too(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "run1"
    run.mkdir(parents=True)
    named = Box("run1", str(run), LocalTarget(run), (str(run),))
    assert beside_its_own(named) == named
    (run / "status.json").write_text("{}")
    beside = beside_its_own(named)
    assert (beside.target, beside.run) == (LocalTarget(run.parent), "run1")
    root = Box("runs", str(run.parent), LocalTarget(run.parent), (str(run.parent),))
    assert beside_its_own(root) == root
