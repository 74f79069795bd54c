"""What `boxtop cost` says of stopping and destroying, and what it never says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Boxtop, write_config

CONFIG = """
[box.lab]
ssh = "root@203.0.113.7 -p 41022"
runs = ["/data/runs"]
price_per_hour = 3.4828
disk_gb = 250
storage_gb_month = 0.20

[box.free]
ssh = "root@203.0.113.8"

[box.own]
ssh = "root@203.0.113.9"
price_per_hour = 1.0
stop = "my-stop"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "boxtop.toml"
    path.write_text(CONFIG)
    return path


def words(boxtop: Boxtop, *arguments: object) -> str:
    """Call the verb, check what holds for all it says, and return it on one line."""
    called = boxtop("--ascii", "cost", *arguments)
    assert (called.code, called.err) == (0, "")
    assert called.out.isascii() and "inf" not in called.out and "nan" not in called.out.lower()
    assert max(map(len, called.out.splitlines())) <= 80
    return " ".join(called.out.split())


def document(boxtop: Boxtop, *arguments: object) -> dict[str, Any]:
    called = boxtop("cost", *arguments, "--json")
    assert called.code == 0
    found: dict[str, Any] = json.loads(called.out)
    assert found["schema_version"] == 1
    cost: dict[str, Any] = found["cost"]
    return cost


def test_a_box_of_the_configuration(boxtop: Boxtop, config: Path) -> None:
    told = words(boxtop, "lab", "--config", config, "--rebuild", "1")
    assert "running $3.48/h (user)" in told
    assert "stopped $0.0685/h (computed): 250 GB at $0.20 a GB-month / 730 h" in told
    assert "saves 98 %" in told
    assert "stopping releases the GPUs: somebody else may rent them" in told
    assert "the box may not start again" in told
    assert "the disk bills on: $1.64 a day, $50.00 a month" in told
    assert "whether a stop keeps /data/runs, /root/runs, /workspace/runs, ~/runs is not" in told
    assert "whatever is not saved elsewhere is gone for good" in told
    assert "break-even 14.6 h: stop for a shorter pause; push, then destroy" in told
    assert "compute and disk only; bandwidth, volumes and taxes are not in it" in told


def test_the_guides_box(boxtop: Boxtop, config: Path) -> None:
    rebuild = ("--setup-hours", "0.25", "--gb-in", "43", "--per-gb-in", "0.003")
    told = words(boxtop, "lab", "--config", config, "--provider", "vast", *rebuild)
    assert "stopped $0.0694/h (computed): 250 GB at $0.20 a GB-month / 720 h" in told
    assert "a new box costs $1.00 until it trains (computed): 0.25 h at $3.48/h + 43 GB" in told
    assert "break-even 14.4 h" in told
    cost = document(boxtop, "lab", "--config", config, "--provider", "vast", *rebuild)
    assert round(cost["break_even_h"], 1) == 14.4
    assert round(cost["rebuild"]["usd"], 2) == 1.0 and cost["rebuild"]["source"] == "computed"
    assert round(cost["saved_share"], 2) == 0.98
    assert cost["rate_stopped"]["source"] == "computed" and cost["hours_per_month"] == 720
    assert all(path["survives_stop"] for path in cost["paths"])


@pytest.mark.parametrize(
    ("pause", "advice", "text"),
    [
        ("8", "stop", "for a pause of 8 h: stop (stopping is cheaper up to 14.4 h)"),
        ("24", "destroy", "for a pause of 24 h: push, then destroy (destroying is cheaper"),
        ("14.4", "equal", "for a pause of 14.4 h: either (about equal at 14.4 h)"),
    ],
)
def test_a_pause_is_weighed(boxtop: Boxtop, pause: str, advice: str, text: str) -> None:
    figures = ("--stopped", "0.0694", "--rebuild", "1.00", "--pause", pause)
    told = words(boxtop, *figures)
    assert text in told and "releases the GPUs" in told and "not saved elsewhere" in told
    cost = document(boxtop, *figures)
    assert cost["advice"] == advice and cost["warning"]
    assert cost["rate_stopped"] == {"usd_per_hour": 0.0694, "source": "user"}


def test_before_anything_is_rented(boxtop: Boxtop) -> None:
    told = words(boxtop, "--gb", "250", "--rate", "0.20", "--rebuild", "1.00")
    assert "break-even 14.6 h" in told and "running unknown" in told
    same = words(boxtop, "--gb", "250", "--storage", "0.20", "--rebuild", "1.00")
    assert same == told
    month = words(boxtop, "--gb", "250", "--rate", "0.20", "--hours-per-month", "720")
    assert "/ 720 h" in month
    told = words(boxtop, "--data", "43", "--checkpoints", "7", "--price", "3.48", "--hours", "2")
    assert "disk rent 65 GB: (43 GB data + 7 GB weights) x 1.3, rounded up" in told
    assert "training 2 h cost $6.96 (compute alone)" in told


def test_what_is_not_known_gives_no_advice_and_no_price(boxtop: Boxtop, config: Path) -> None:
    told = words(boxtop, "free", "--config", config, "--pause", "8")
    assert "running unknown" in told and "stopped unknown: it takes --gb and --rate" in told
    assert "the disk bills on, at a price that is not known" in told
    assert "break-even no advice without what a rebuild costs" in told
    assert "for a pause of 8 h: no advice (not enough data" in told
    assert "$" not in told
    cost = document(boxtop, "free", "--config", config, "--pause", "8")
    assert cost["advice"] == "unknown" and cost["break_even_h"] is None
    assert cost["rate_stopped"] == {"usd_per_hour": None, "source": "unknown"}


def test_free_is_only_what_is_known_to_be_free(boxtop: Boxtop) -> None:
    free = ("--gb", "0", "--rate", "0.2", "--rebuild", "1", "--pause", "500")
    assert "break-even none: stopping is free" in words(boxtop, *free)
    assert document(boxtop, *free)["advice"] == "stop"
    rebuilt = ("--stopped", "0.05", "--rebuild", "0", "--pause", "1")
    assert "0 h: rebuilding is free" in words(boxtop, *rebuilt)
    assert document(boxtop, *rebuilt)["advice"] == "destroy"


def test_data_that_nobody_pays_for_needs_no_price(boxtop: Boxtop) -> None:
    figures = ("--price", "4", "--setup-hours", "0.5", "--stopped", "0.1")
    assert document(boxtop, *figures, "--gb-in", "0")["rebuild"]["usd"] == 2.0
    assert document(boxtop, *figures)["rebuild"]["usd"] is None
    assert document(boxtop, *figures, "--gb-in", "5")["rebuild"]["usd"] is None


def test_a_stop_that_deletes_the_runs_says_so(boxtop: Boxtop, config: Path) -> None:
    arguments = ("lab", "--config", config, "--provider", "runpod", "--rebuild", "1", "--pause", 1)
    told = words(boxtop, *arguments)
    assert "a stop DELETES /data/runs, /root/runs: save the weights first" in told
    assert "survives a stop: /workspace/runs" in told
    assert "but this stop deletes where runs lie" in told
    fates = {one["path"]: one["survives_stop"] for one in document(boxtop, *arguments)["paths"]}
    assert fates == {
        **{"/data/runs": False, "/root/runs": False},
        **{"/workspace/runs": True, "~/runs": None},
    }
    one = words(boxtop, "--provider", "runpod", "--path", "/workspace/runs/run1")
    assert "survives a stop: /workspace/runs/run1" in one and "DELETES" not in one
    assert "a network volume is only detached and bills on" in one


def test_a_provider_without_a_stop(boxtop: Boxtop, config: Path) -> None:
    told = words(boxtop, "lab", "--config", config, "--provider", "lambda", "--pause", "8")
    assert "Lambda has no stop" in told and "only a destroy ends the bill" in told
    assert "file systems stay and bill on" in told
    assert "advice" not in told and "releases the GPUs" not in told
    cost = document(boxtop, "lab", "--config", config, "--provider", "lambda", "--pause", "8")
    assert cost["can_stop"] is False and cost["advice"] is None and cost["saved_share"] is None


def test_an_option_outweighs_the_configuration(boxtop: Boxtop, config: Path) -> None:
    cost = document(boxtop, "lab", "--config", config, "--price", "2", "--stopped", "0.07")
    assert cost["rate_running"] == {"usd_per_hour": 2.0, "source": "user"}
    assert cost["rate_stopped"]["usd_per_hour"] == 0.07
    assert document(boxtop, "own", "--config", config)["can_stop"] is True


def test_a_box_whose_address_is_wrong_is_weighed_all_the_same(
    boxtop: Boxtop, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text('[box.gone]\npath = "/no/such/place"\nprice_per_hour = 2\n')
    assert document(boxtop, "gone", "--config", path)["rate_running"]["usd_per_hour"] == 2.0


@pytest.mark.parametrize("value", ["nan", "inf", "-1", "many", "", "1_0", "0x1"])
def test_what_is_no_amount_is_a_mistake(boxtop: Boxtop, value: str) -> None:
    called = boxtop("cost", "--gb", value)
    assert called.code == 2 and called.out == ""
    assert "is no number of 0 or more" in called.err


def test_mistakes(boxtop: Boxtop, config: Path) -> None:
    nothing = boxtop("cost")
    assert nothing.code == 2 and "boxtop cost BOX" in nothing.err
    wrong = boxtop("cost", "labb", "--config", config)
    assert wrong.code == 2 and "did you mean lab?" in wrong.err
    month = boxtop("cost", "--hours-per-month", "0", "--gb", "1")
    assert month.code == 2 and "is no number above 0" in month.err


def test_overflow_is_not_shown_as_infinite(boxtop: Boxtop) -> None:
    told = words(boxtop, "--gb", "1e300", "--rate", "1e300", "--rebuild", "1", "--hours", "1e308")
    assert "stopped unknown" in told
    told = words(boxtop, "--stopped", "5e-324", "--rebuild", "1", "--pause", "1")
    assert "break-even beyond any pause" in told and "for a pause of 1 h: stop" in told


def test_the_runs_of_a_directory_lie_in_it(boxtop: Boxtop, home: Path, tmp_path: Path) -> None:
    write_config(home, f'[box.desk]\npath = "{tmp_path}"\nprice_per_hour = 2\nstop = "true"\n')
    document = json.loads(boxtop("cost", "desk", "--json").out)
    assert [one["path"] for one in document["cost"]["paths"]] == [str(tmp_path)]
