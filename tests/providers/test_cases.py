"""The trouble cases of providers, each with its right values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.providers.build import StillClock
from tests.providers.fake_http import LOST, Canned
from tests.providers.fake_vast import FakeVast
from tests.runs.build import CASES
from tui.money import runway, runway_text
from tui.providers.account import Watched
from tui.providers.base import State
from tui.providers.vast import Vast
from tui.providers.vast_rows import instance_of


def load(case: str, name: str) -> Any:  # noqa: ANN401 - JSON
    return json.loads((CASES / case / name).read_bytes())


def at_least(state: State, usd: float, assumed: bool = False) -> tuple[State, float, bool]:
    return state, usd, assumed


STATUS_ROWS = [
    at_least(State.STARTING, 0.0139),  # null
    at_least(State.STARTING, 0.0139),  # loading
    at_least(State.RUNNING, 0.4),
    at_least(State.STOPPED, 0.0139),
    at_least(State.RUNNING, 0.4),  # frozen
    at_least(State.STOPPED, 0.0139),  # exited
    at_least(State.STARTING, 0.4),  # rebooting
    at_least(State.UNREACHABLE, 0.4, True),  # unknown
    at_least(State.UNREACHABLE, 0.4, True),  # offline
    at_least(State.STARTING, 0.4, True),  # created
    at_least(State.RUNNING, 0.4),  # "RUNNING "
    at_least(State.UNKNOWN, 0.4, True),  # defrosting
]


def test_no_status_of_vast_is_shown_as_free() -> None:
    found = [instance_of(row) for row in load("PROV-01", "instances.json")["instances"]]
    assert len(found) == 12
    states = [(one.state, one.rate_now.usd_per_hour, one.rate_assumed) for one in found if one]
    assert states == STATUS_ROWS
    last = found[-1]
    assert last is not None and last.raw_state == "defrosting"
    assert "defrosting" in last.warnings[0]


def test_a_destroy_whose_answer_is_lost_is_confirmed_by_the_list(
    account_vast: Vast, fake_vast: FakeVast
) -> None:
    script = load("PROV-05", "http.json")
    fake_vast.rows = []
    fake_vast.fail(LOST, "DELETE")
    fake_vast.allow("destroy", "1")
    assert account_vast.destroy("1").result == "unconfirmed"
    for step in script[1:3]:
        fake_vast.fail(Canned(200, step["reply"]))
    assert [one.id for one in account_vast.list().instances] == ["1"]
    assert account_vast.list().instances == ()
    assert fake_vast.ledger == [("destroy", "1")]
    fake_vast.fail(Canned(404), "DELETE")
    fake_vast.allow("destroy", "1")
    again = account_vast.destroy("1")
    assert (again.result, again.already) == ("accepted", True)


def test_a_change_goes_to_the_id_and_not_to_its_place_or_label(
    account_vast: Vast, fake_vast: FakeVast, clock: StillClock
) -> None:
    watched = Watched(account_vast, clock)
    fake_vast.rows = load("PROV-06", "list_t0.json")["instances"]
    shown = watched.refresh().seen[1].instance
    assert (shown.id, shown.name) == ("2", "box2")
    fake_vast.rows = load("PROV-06", "list_t1.json")["instances"]
    after = watched.refresh(now=True).seen
    assert [one.instance.id for one in after] == ["1", "2", "3", "9"]
    fake_vast.allow("destroy", "2")
    account_vast.destroy(shown.id)
    assert sorted(str(one.instance.id) for one in watched.refresh(now=True).seen) == list("1239")
    assert {str(row["id"]) for row in fake_vast.rows} == {"1", "3", "9"}


def test_the_runway_is_credit_over_all_rates(
    account_vast: Vast, fake_vast: FakeVast, clock: StillClock
) -> None:
    fake_vast.rows = load("PROV-08", "instances.json")["instances"]
    fake_vast.credit = load("PROV-08", "account.json")
    view = Watched(account_vast, clock).refresh()
    burn = sum(rate.usd_per_hour or 0 for rate in view.rates)
    assert round(burn, 4) == 3.5522
    assert view.account is not None
    found = runway(view.account.credit, view.rates, view.account.credit_field or "")
    assert found.seconds == pytest.approx(5.0 / 3.5522 * 3600)
    assert "credit" in runway_text(found, view.account.credit, "credit")


def fault(name: str) -> Canned:
    data = (CASES / "PROV-13" / name).read_bytes()
    if name.endswith(".html"):
        return Canned(503, data)
    body = json.loads(data)
    return Canned(body["status"], body["body"]) if "status" in body else Canned(200, body)


def test_a_fault_of_the_api_never_empties_the_list(
    account_vast: Vast, fake_vast: FakeVast, clock: StillClock
) -> None:
    watched = Watched(account_vast, clock)
    fake_vast.fail(fault("good.json"))
    assert [one.instance.name for one in watched.refresh().seen] == ["box1"]
    clock.now += 100
    fake_vast.fail(fault("429.json"))
    view = watched.refresh()
    assert view.error is not None and view.error.kind == "rate" and "429" in str(view.error)
    asked = fake_vast.count("GET", "/instances/")
    clock.now += 29
    assert watched.refresh(now=True).seen and fake_vast.count("GET", "/instances/") == asked
    clock.now += 2
    fake_vast.fail(fault("503.html"), path="/instances/", times=3)
    view = watched.refresh()
    assert "API error 503" in str(view.error) and "<" not in str(view.error)
    clock.now += 30
    fake_vast.fail(fault("null.json"), path="/instances/")
    view = watched.refresh()
    assert view.error is not None and view.error.kind == "protocol"
    assert [one.instance.name for one in view.seen] == ["box1"]
    assert not view.seen[0].gone_maybe
    assert (view.age_s(clock.now) or 0) > 160


def test_an_instance_is_gone_when_two_good_lists_lack_it(
    account_vast: Vast, fake_vast: FakeVast, clock: StillClock
) -> None:
    watched = Watched(account_vast, clock)
    fake_vast.fail(fault("good.json"))
    watched.refresh()
    fake_vast.fail(fault("empty.json"), path="/instances/", times=2)
    (one,) = watched.refresh(now=True).seen
    assert one.gone_maybe and one.instance.name == "box1"
    view = watched.refresh(now=True)
    assert view.seen == () and view.gone == {"1"} and view.error is None
