"""One box that is wrong in boxtop.toml costs no other."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.cli.runs import copy_run


@pytest.fixture
def config(tmp_path: Path) -> Path:
    copy_run("yolo9t_long", tmp_path / "runs" / "run1")
    path = tmp_path / "boxtop.toml"
    path.write_text(
        f'[box.desk]\npath = "{tmp_path}/runs"\n\n'
        '[box.usb]\nprice_per_hour = 1.0\npath = "/mnt/not-mounted"\n\n[box.gone]\n'
    )
    return path


def test_the_others_are_shown(boxtop: Boxtop, config: Path) -> None:
    called = boxtop("status", "--config", config)
    assert called.code == 4
    assert "completed  run1" in called.out
    told = "".join(called.out.split())
    assert f"{config}:6:box.usb.path:nosuchdirectory:/mnt/not-mounted" in told
    assert f"{config}:8:box.gonesaysneithersshnorpath" in told
    document = json.loads(boxtop("status", "--config", config, "--json").out)
    states = {box["name"]: box["link"]["state"] for box in document["boxes"]}
    assert states == {"desk": "live", "usb": "refused", "gone": "refused"}


def test_a_box_that_is_right_works_beside_it_and_a_wrong_one_is_a_mistake(
    boxtop: Boxtop, config: Path
) -> None:
    assert boxtop("status", "--config", config, "desk").code == 0
    wrong = boxtop("status", "--config", config, "usb")
    assert wrong.code == 2 and f"{config}:6: " in wrong.err


@pytest.mark.parametrize("verb", [["boxes"], ["config", "check"]])
def test_it_is_named_with_its_line(boxtop: Boxtop, config: Path, verb: list[str]) -> None:
    called = boxtop(*verb, "--config", config)
    assert called.code == 2
    assert "desk" in called.out and "is right" not in called.out
    assert f"{config}:6: box.usb.path" in called.err and f"{config}:8: box.gone" in called.err


def test_the_readmes_own_sample_works(boxtop: Boxtop, tmp_path: Path) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    configuration = readme.split("\n## Configuration\n")[1]
    sample = re.findall(r"```toml\n(.*?)```", configuration, re.DOTALL)[0]
    config = tmp_path / "boxtop.toml"
    config.write_text(sample)
    called = boxtop("boxes", "--config", config)
    assert called.out.startswith("lab ") and "$3.48/h running" in called.out
