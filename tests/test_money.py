"""Money: the guide's figures, and no advice from what is not known."""

from __future__ import annotations

import json
import math

import pytest

from tests.runs.build import CASES
from tui.money import (
    Rate,
    compare,
    cost_of,
    disk_gb,
    rebuild_cost,
    runway_s,
    saved_share,
    stopped_rate,
)

STORAGE = json.loads((CASES / "PROV-11" / "cases.json").read_bytes())
PAUSES = json.loads((CASES / "PROV-12" / "cases.json").read_bytes())
NO_NUMBERS = [None, "NaN", "many", math.nan, math.inf, -1, True, [1]]


@pytest.mark.parametrize("case", STORAGE)
def test_a_stopped_box_costs_its_allocated_storage(case: dict[str, float]) -> None:
    rate = stopped_rate(None, case["gb"], case["usd_gb_month"])
    assert rate.usd_per_hour is not None
    assert round(rate.usd_per_hour, 4) == case["stopped_per_h"]
    assert rate.source == "computed"


def test_the_guides_box() -> None:
    assert round(stopped_rate(None, 250, 0.20).usd_per_hour or 0, 4) == 0.0685
    measured = stopped_rate(None, 250, 0.20, hours_per_month=720)
    assert round(measured.usd_per_hour or 0, 4) == 0.0694
    rebuild = rebuild_cost(0.25, 3.4828, 43, 0.003)
    assert rebuild is not None
    assert round(rebuild, 2) == 1.00
    advice = compare(rebuild, 0.0694, 8)
    assert round(advice.break_even_h or 0, 1) == 14.4
    share = saved_share(3.4828, 0.0694)
    assert share is not None
    assert round(100 * share) == 98


@pytest.mark.parametrize("pause", [0.0, 0.01, 8.0])
def test_a_rebuild_that_is_free_is_better_than_any_pause(pause: float) -> None:
    found = compare(0, 0.0694, pause)
    assert (found.advice, found.break_even_h, found.reason) == ("destroy", 0, "rebuilding is free")


def test_the_providers_own_figure_comes_first() -> None:
    assert stopped_rate(0.0694, 250, 0.20) == Rate(0.0694, "reported")
    assert stopped_rate(0.0, 250, 0.20) == Rate(0.0, "reported")


@pytest.mark.parametrize("case", PAUSES)
def test_stop_or_destroy(case: dict[str, object]) -> None:
    advice = compare(case["rebuild"], case["stop_rate"], case["gap_h"])
    assert advice.advice == case["advice"]
    expected = case.get("break_even_h")
    found = advice.break_even_h
    assert (None if found is None else round(found, 1)) == expected


@pytest.mark.parametrize("missing", NO_NUMBERS)
def test_a_missing_figure_gives_no_advice_and_no_price(missing: object) -> None:
    assert compare(missing, 0.05, 8).advice == "unknown"
    assert compare(1.0, missing, 8).advice == "unknown"
    assert compare(1.0, 0.05, missing).advice == "unknown"
    assert compare(1.0, missing, 8).break_even_h is None
    assert stopped_rate(None, missing, 0.2) == Rate(None, "unknown")
    assert stopped_rate(None, 250, missing) == Rate(None, "unknown")
    assert rebuild_cost(0.25, missing, 43, 0.003) is None
    assert disk_gb(missing, 10) is None
    assert saved_share(missing, 0.05) is None


def test_a_free_rebuild_beats_even_the_cheapest_storage_but_not_free_storage() -> None:
    assert compare(0, 0.05, 1).advice == "destroy"
    assert compare(0, 0, 1).advice == "stop"


def test_a_time_costs_its_share_of_the_hour() -> None:
    assert cost_of(1800, 3.4828) == pytest.approx(1.7414)
    assert cost_of(0, 3.4828) == 0
    assert cost_of(None, 3.4828) is None
    assert cost_of(1800, None) is None
    assert cost_of(math.nan, 3.4828) is None


def test_the_runway_counts_every_box_of_the_account() -> None:
    assert runway_s(10.0, [2.0, 0.5]) == pytest.approx(4 * 3600)
    assert runway_s(10.0, [2.0, None]) is None
    assert runway_s(None, [2.0]) is None
    assert runway_s(10.0, []) is None
    assert runway_s(10.0, [0.0]) is None
    assert runway_s(-3.0, [2.0]) == 0.0


@pytest.mark.parametrize(
    ("data", "weights", "size"), [(100, 0, 130), (43, 7, 65), (1, 0, 2), (0, 0, 0)]
)
def test_the_disk_has_room_for_a_third_more(data: float, weights: float, size: int) -> None:
    assert disk_gb(data, weights) == size
