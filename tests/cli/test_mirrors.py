"""What is kept of boxes, and what is shown of them when they are gone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.cli.runs import copy_run
from tests.conftest import MakeServer, introduce
from tests.sshd import SshServer


def ids(document: str) -> list[list[str]]:
    return [[run["id"] for run in box["runs"]] for box in json.loads(document)["boxes"]]


@pytest.mark.sshd
def test_a_box_that_is_gone_shows_no_runs_of_other_roots(
    boxtop: Boxtop, make_sshd: MakeServer, home: Path, tmp_path: Path
) -> None:
    ssh_box = make_sshd()
    introduce(ssh_box, home)
    copy_run("yolo9t_long", tmp_path / "A" / "run1")
    copy_run("yolo9t_early", tmp_path / "B" / "run2")
    one, other, nobody = (
        f"ssh://{user}@127.0.0.1:{ssh_box.port}{tmp_path}/{root}"
        for user, root in ((ssh_box.user, "A"), (ssh_box.user, "B"), ("no-such-user", "A"))
    )
    assert ids(boxtop("status", one, "--json").out) == [["run1"]]
    refused = boxtop("status", nobody, "--json")
    assert (refused.code, ids(refused.out)) == (4, [[]])
    assert ids(boxtop("status", other, one, "--json").out) == [["run2"], ["run1"]]
    ssh_box.stop()
    assert ids(boxtop("status", one, other, "--json").out) == [["run1"], ["run2"]]
    assert ids(boxtop("status", other, "--json").out) == [["run2"]]
    listed = json.loads(boxtop("open", "--json").out)["boxes"]
    assert [(box["name"], len(box["runs"])) for box in listed] == [(f"ssh://{ssh_box.text}", 2)]


@pytest.mark.sshd
def test_runs_of_the_same_name_below_two_roots_can_each_be_named(
    boxtop: Boxtop, ssh_box: SshServer, tmp_path: Path
) -> None:
    copy_run("yolo9t_long", tmp_path / "A" / "run1")
    copy_run("yolo9t_early", tmp_path / "B" / "run1")
    config = tmp_path / "boxtop.toml"
    config.write_text(f'[box.b]\nssh = "{ssh_box.text}"\nruns = ["{tmp_path}/A", "{tmp_path}/B"]\n')
    called = boxtop("status", "--config", config, "--json", "b")
    assert sorted(ids(called.out)[0]) == ["A/run1", "B/run1"]
    for wanted in ("B/run1", f"{tmp_path}/B/run1"):
        called = boxtop("status", "--config", config, "--json", f"b:{wanted}")
        assert (called.code, ids(called.out)) == (0, [["B/run1"]])
    unclear = boxtop("status", "--config", config, "b:run1")
    assert unclear.code == 2
    assert "b has 2 runs 'run1'" in unclear.err and "A/run1, B/run1" in unclear.err
    assert ids(boxtop("open", "b/A/run1", "--json").out) == [["A/run1"]]
    assert "name one: b/A/run1, b/B/run1" in boxtop("open", "b/run1").err


@pytest.mark.parametrize("place", ["file", "/proc/nothing"])
def test_a_data_directory_that_is_none_is_told(boxtop: Boxtop, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    copy_run("yolo9t_long", tmp_path / "runs" / "run1")
    data = tmp_path / place
    called = boxtop("status", tmp_path / "runs", "--data-dir", data)
    assert called.code == 0 and "run1" in called.out
    assert called.err.startswith("boxtop: nothing is kept of these boxes: ")
    assert called.err.count("\n") == 1
    opened = boxtop("open", "--data-dir", tmp_path / "file")
    assert opened.code == 2 and "file is not a directory" in opened.err


@pytest.mark.sshd
def test_a_mirror_is_completed_by_its_name(
    boxtop: Boxtop, ssh_box: SshServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_run("yolo9t_long", tmp_path / "A" / "run1")
    name = f"ssh://{ssh_box.text}"
    boxtop("status", f"{name}{tmp_path}/A")
    monkeypatch.setenv("_BOXTOP_COMPLETE", "fish_complete")
    for typed, expected in (("ssh", name), (f"{name}/", f"{name}/run1")):
        monkeypatch.setenv("COMP_WORDS", f"boxtop open {typed}")
        monkeypatch.setenv("COMP_CWORD", typed)
        assert f"plain,{expected}\n" in boxtop().out
