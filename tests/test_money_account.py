"""Money over a run and an account: what was wasted, what a credit and a contract still allow."""

from __future__ import annotations

import json
import math
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runs.build import CASES
from tui.money import (
    DOCUMENTED,
    Figure,
    Rate,
    Terms,
    amount,
    bills_text,
    break_even_h,
    compare,
    contract_outlook,
    cost_of,
    credit_outlook,
    disk_gb,
    hours_per_month,
    hours_text,
    hours_words,
    idle_seconds,
    idle_text,
    rate_now,
    rate_text,
    rebuild_cost,
    run_cost,
    runway,
    runway_s,
    runway_text,
    saved_share,
    stopped_rate,
    survives_stop,
    total,
    usd_text,
)

ANYTHING = st.one_of(
    st.none(), st.floats(), st.integers(), st.text(max_size=6), st.booleans(), st.lists(st.none())
)


def case(name: str, file: str) -> dict[str, object]:
    found: dict[str, object] = json.loads((CASES / name / file).read_bytes())
    return found


def test_a_forgotten_box_says_for_how_long_and_what_it_cost() -> None:
    status, instance = case("PROV-07", "status.json"), case("PROV-07", "instance.json")
    now = float((CASES / "PROV-07" / "now.txt").read_text())
    ended = datetime.fromisoformat(str(status["updated_at"])).timestamp()
    rate = Rate(amount(instance["dph_total"]), "reported")
    idle = idle_seconds(ended, now, True)
    assert idle_text(idle, rate) == "idle 3h12m = $11.14"
    assert bills_text("box1", rate) == "box1 still bills $3.4828/h"
    assert idle_text(idle, Rate()) == "idle 3h12m at an unknown price"
    assert bills_text("box1", Rate()) == "box1 still bills, at an unknown price"
    assert bills_text("box1", Rate(0.0, "reported")) == "box1 bills nothing now"
    assert idle_text(None, rate) is None


def test_only_a_box_that_is_known_to_bill_nothing_wastes_nothing() -> None:
    assert idle_seconds(100.0, 400.0, None) == 300.0
    assert idle_seconds(100.0, 400.0, False) is None
    assert idle_seconds(None, 400.0, True) is None
    assert idle_seconds(500.0, 400.0, True) == 0.0


def test_the_credit_lasts_for_all_boxes_the_stopped_ones_too() -> None:
    account, eta = case("PROV-08", "account.json"), case("PROV-08", "eta.json")["eta_seconds"]
    rows = case("PROV-08", "instances.json")["instances"]
    assert isinstance(rows, list) and isinstance(eta, int)
    rates = [
        Rate(row["dph_total" if row["actual_status"] == "running" else "storage_total_cost"])
        for row in rows
    ]
    found = runway(account["credit"], rates)
    assert round(found.usd_per_hour or 0, 4) == 3.5522
    assert hours_text(found.seconds or 0) == "1h24m"
    assert runway_text(found, account["credit"]) == "credit lasts 1h24m ($5.00 at $3.55/h)"
    outlook = credit_outlook(found, eta)
    assert outlook.level == "alarm"
    assert outlook.text == "credit ends before training does: in 1h24m, ETA 2h30m"
    balance = runway(account["balance"], rates, "balance")
    assert balance.seconds == 0.0
    assert runway_text(balance, -0.4, "balance") == "balance lasts 0m (-$0.40 at $3.55/h)"


def test_an_unknown_credit_or_rate_is_said_and_never_guessed() -> None:
    assert runway(None, [Rate(2.0)]).reason == "the credit of the account is not known"
    found = runway(10.0, [Rate(2.0), Rate()])
    assert found.seconds is None and found.lower_bound == 2.0
    assert found.reason == "the rate of 1 box is not known"
    assert "cannot be told" in runway_text(found, 10.0)
    assert credit_outlook(found, 60).level == "unknown"
    assert runway(10.0, [Rate(), Rate(math.nan)]).reason == "the rates of 2 boxes are not known"
    assert credit_outlook(runway(10.0, [Rate(0.0)]), 60).level == "fine"
    assert runway(math.nan, [Rate(1.0)]).seconds is None
    assert runway(1e300, [Rate(1e-300)]).seconds is None


@pytest.mark.parametrize(
    ("left_h", "eta_h", "level"),
    [
        (100, None, "fine"),
        (23, None, "warning"),
        (100, 50, "fine"),
        (2, 1.5, "alarm"),
        (2, 3, "alarm"),
        (20, 3, "warning"),
        (0, None, "alarm"),
    ],
)
def test_an_end_is_weighed_against_the_eta(left_h: float, eta_h: float | None, level: str) -> None:
    eta = None if eta_h is None else eta_h * 3600
    assert credit_outlook(runway(left_h, [Rate(1.0)]), eta).level == level
    if left_h:
        assert contract_outlook(1e9 + left_h * 3600, 1e9, eta).level == level


def test_a_contract_that_is_over_is_an_alarm_and_an_unknown_one_is_none() -> None:
    assert contract_outlook(1e9, 1e9 + 1, None).level == "alarm"
    assert contract_outlook(None, 1e9, 60).level == "fine"
    assert contract_outlook(math.inf, 1e9, 60).level == "fine"


def test_a_run_is_billed_by_the_rate_of_its_time_and_keeps_the_rates_source() -> None:
    running, now = Rate(3.6, "reported"), Rate(0.36, "computed")
    cost = run_cost(running, now, elapsed_s=1000, eta_s=500, epoch_s=10, idle_s=100)
    assert cost.so_far == Figure(pytest.approx(1.0), "reported")
    assert cost.to_finish == Figure(pytest.approx(0.5), "reported")
    assert cost.per_epoch == Figure(pytest.approx(0.01), "reported")
    assert cost.wasted == Figure(pytest.approx(0.01), "computed")
    nothing = run_cost(Rate(), Rate(), elapsed_s=1, eta_s=None, epoch_s=1, idle_s=1)
    assert {nothing.so_far, nothing.to_finish, nothing.per_epoch, nothing.wasted} == {Figure()}


def test_what_is_billed_now_follows_the_state_and_unknown_is_never_free() -> None:
    running, stopped = Rate(3.0, "reported"), Rate(0.1, "computed")
    assert rate_now("running", running, stopped) == running
    assert rate_now("stopped", running, stopped) == stopped
    assert rate_now("unknown", running, stopped) == running
    assert rate_now("nothing", running, stopped).usd_per_hour == 0.0
    assert rate_now("stopped", running, stopped, 0.2) == Rate(0.2, "reported")
    assert rate_now("stopped", running, Rate()).usd_per_hour is None


def test_a_total_counts_what_is_not_known() -> None:
    assert total([1.0, 2.0]).label == "compute and disk only"
    found = total([1.0, None, math.nan, -1])
    assert (found.usd, found.unknown) == (1.0, 3)
    assert found.label == "compute and disk only, 3 more are not known"
    assert total([None]).usd is None and total([None]).label.endswith("1 more is not known")


def test_each_provider_has_its_month() -> None:
    assert hours_per_month("vast") == hours_per_month("lambda") == 720
    assert hours_per_month("runpod") == hours_per_month() == 730
    assert stopped_rate(None, 250, 0.2, "nonsense") == Rate()
    assert stopped_rate(None, 250, 0.2, 0) == Rate()


@pytest.mark.parametrize(
    ("path", "kept", "survives"),
    [
        ("/root/runs/run1", ("/workspace",), False),
        ("/workspace/runs/run1", ("/workspace",), True),
        ("/workspace", ("/workspace/",), True),
        ("/workspace2/run1", ("/workspace",), False),
        ("/workspace/../root/run1", ("/workspace",), False),
        ("//workspace/run1", ("/workspace",), True),
        ("~/runs", ("/workspace",), None),
        ("/root/runs", ("/",), True),
        ("~/runs", ("/",), True),
        ("/root/runs", (), False),
        ("/root/runs", None, None),
    ],
)
def test_a_path_survives_a_stop_where_its_place_is_kept(
    path: str, kept: tuple[str, ...] | None, survives: bool | None
) -> None:
    assert survives_stop(path, Terms(True, kept)) is survives


def test_what_is_documented() -> None:
    assert survives_stop("/root/runs", DOCUMENTED["runpod"]) is False
    assert survives_stop("/root/runs", DOCUMENTED["vast"]) is True
    assert DOCUMENTED["lambda"].can_stop is False


def test_every_advice_has_its_warning_and_names_what_is_missing() -> None:
    stop, destroy = compare(1.0, 0.0694, 8), compare(1.0, 0.0694, 24)
    assert stop.warning is not None and "releases the GPUs" in stop.warning
    assert destroy.warning is not None and "not saved" in destroy.warning
    nothing = compare(None, "x", 8)
    assert nothing.warning is None
    assert (
        nothing.reason
        == "not enough data: the cost of a rebuild and the stopped rate are not known"
    )


def test_amounts_in_words() -> None:
    assert [usd_text(value) for value in (None, math.nan, 0.0, 0.0685, 11.144, 1234.5, -0.4)] == [
        *("unknown", "unknown", "$0.00", "$0.0685", "$11.14", "$1,234.50", "-$0.40")
    ]
    assert rate_text(Rate(0.0694, "reported")) == "$0.0694/h (reported)"
    assert rate_text(Rate()) == "unknown"
    assert [hours_text(value) for value in (0, 59, 60, 11520, 200_000)] == [
        *("0m", "0m", "1m", "3h12m", "2d7h")
    ]
    assert [hours_words(value) for value in (0.05, 14.41, 288)] == ["3.0 min", "14.4 h", "12 d"]


@given(ANYTHING, ANYTHING, ANYTHING, ANYTHING)
def test_no_input_makes_money_out_of_nothing(a: object, b: object, c: object, d: object) -> None:
    figures = [stopped_rate(a, b, c).usd_per_hour, stopped_rate(None, b, c, d).usd_per_hour]
    figures += [cost_of(a, b), rebuild_cost(a, b, c, d), break_even_h(a, b), saved_share(a, b)]
    figures += [disk_gb(a, b), runway_s(a, [amount(b), amount(c)])]
    assert all(figure is None or math.isfinite(figure) for figure in figures)
    found = compare(a, b, c)
    known = all(amount(value) is not None for value in (a, b, c))
    assert (found.advice != "unknown") == known
    assert found.break_even_h is None or math.isfinite(found.break_even_h)
