"""What `open` lists of the mirrors, shows of one, and removes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.cli.runs import copy_run, live_run
from tests.sshd import SshServer


@pytest.mark.sshd
def test_a_mirror_is_opened_after_the_box_is_gone(
    boxtop: Boxtop, ssh_box: SshServer, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    copy_run("yolo9t_long", tmp_path / "runs" / "run1")
    live_run(tmp_path / "runs" / "run2")
    assert "no mirrors yet" in boxtop("open", "--data-dir", data).out
    boxtop("status", "--data-dir", data, f"ssh://{ssh_box.text}{tmp_path}/runs")
    name = f"127.0.0.1:{ssh_box.port}"
    listed = boxtop("open", "--data-dir", data)
    assert listed.out.startswith(f"ssh://{ssh_box.text}  ")
    assert re.search(r"last seen \d+ s ago\n  run2 +\d KB  changed \d+ s ago\n", listed.out)
    document = json.loads(boxtop("open", "--data-dir", data, "--json").out)
    assert {run["id"] for run in document["boxes"][0]["runs"]} == {"run1", "run2"}
    opened = boxtop("open", "--data-dir", data, f"{name}/run1")
    assert opened.code == 0
    assert "read from its mirror; nothing is connected" in opened.out
    assert "offline, last seen" in opened.out
    document = json.loads(boxtop("open", "--data-dir", data, f"{name}/run1", "--json").out)
    assert document["boxes"][0]["link"]["state"] == "offline"
    assert "completed  run1  100/100" in opened.out
    assert "note: run2 is live" in opened.out and "starting  run2" not in opened.out
    wrong = boxtop("open", "--data-dir", data, f"{name}/run3")
    assert wrong.code == 2 and "has no run 'run3'" in wrong.err


@pytest.mark.sshd
def test_a_finished_runs_mirror_is_removed_and_a_live_ones_is_not(
    boxtop: Boxtop, ssh_box: SshServer, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    copy_run("yolo9t_long", tmp_path / "runs" / "run1")
    live_run(tmp_path / "runs" / "run2")
    boxtop("status", "--data-dir", data, f"ssh://{ssh_box.text}{tmp_path}/runs")
    name = f"127.0.0.1:{ssh_box.port}"

    def remove(run: str, *more: str) -> str:
        called = boxtop("open", "--data-dir", data, f"{name}/{run}", "--remove", *more)
        return called.err + called.out

    assert "nobody is there to say yes" in remove("run1")
    assert "--read-only forbids" in remove("run1", "--yes", "--read-only")
    assert "was running when it was last seen" in remove("run2", "--yes")
    assert f"removed ssh://{ssh_box.text}/run1" in remove("run1", "--yes")
    document = json.loads(boxtop("open", "--data-dir", data, "--json").out)
    assert [run["id"] for run in document["boxes"][0]["runs"]] == ["run2"]
