"""What boxes cost: seen at any width, and never "all well" while money is wasted."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from tests.screens.feed import LIVE, CannedFeed, completed, dead, running
from tests.screens.recorded import NOW
from tests.screens.watching import NARROW, watching
from tui.money import Rate, Runway
from tui.rent import RentAction, RentView
from tui.runs.model import Cost
from tui.screens.rows import Row
from tui.view import BoxView, LinkView, RunView

CAN = frozenset[RentAction](("stop", "start", "destroy"))
OFFLINE = LinkView("offline", age_s=734.0, error="no answer within 10 s")


def rented(
    name: str,
    *runs: RunView,
    state: str = "running",
    usd: float = 3.48,
    link: LinkView = LIVE,
    **more: Any,  # noqa: ANN401  # any field of the rent
) -> BoxView:
    """A box of an account."""
    rent = RentView(
        "vast",
        name,
        name,
        state,
        rate_now=Rate(usd, "reported"),
        rate_running=Rate(3.48, "reported"),
        rate_stopped=Rate(0.0685, "reported"),
        created_at=NOW - 18_000,
        listed_at=1.0,
        can=CAN,
    )
    return BoxView(name, name, link, runs, rent=replace(rent, **more))


def idle(name: str, usd: float) -> BoxView:
    """A box whose run ended an hour and a half ago, and which bills on."""
    return rented(name, completed().view, usd=usd)


def stopped(state: str = "stopped", usd: float = 0.0685, **more: object) -> BoxView:
    """A box that its provider took while a run was at work."""
    return rented("spot", running().view, state=state, usd=usd, link=OFFLINE, **more)


async def test_all_is_not_well_while_a_box_idles_and_bills() -> None:
    async with watching(CannedFeed([rented("busy", running().view), idle("lazy", 2.0)])) as watch:
        assert "all well" not in watch.text
        assert "▲ lazy idle 1h30m = $3.00" in watch.lines[1]
        assert "busy / coco-9t is done next" in watch.lines[1]


async def test_a_narrow_headline_has_the_waste_and_the_keys_whole() -> None:
    async with watching(CannedFeed([idle("lazy", 2.0)]), (40, 12), charts=False) as watch:
        told = " ".join(" ".join(watch.lines[1:3]).split())
        assert "▲ lazy idle 1h30m = $3.00 S stop, D destroy" in told
        await watch.resize((80, 24))
        assert "lazy idle 1h30m = $3.00  S stop, D destroy" in watch.lines[1]
        assert "runs 1" in watch.lines[2]


async def test_what_a_stopped_box_bills_and_its_keys_are_read_whole() -> None:
    box = rented("spot", state="stopped", usd=0.0685, link=OFFLINE)
    async with watching(CannedFeed([box]), (80, 24), charts=False) as watch:
        told = "its disk bills on: $0.0685/h  : start, D destroy"
        assert told in watch.line("stopped")


async def test_the_dearest_idle_box_is_named_and_the_keys_are_its_own() -> None:
    async with watching(CannedFeed([idle("cheap", 0.2), idle("dear", 4.0)])) as watch:
        assert "dear idle 1h30m = $6.00  select it: S stop, D destroy" in watch.lines[1]
        await watch.press("j")
        await watch.settle()
        assert "dear idle 1h30m = $6.00  S stop, D destroy" in watch.lines[1]
        assert "idle 1h30m = $6.00" in watch.line("│ bills ")
        assert "vast running  S stop, D destroy" in watch.line("│ rented ")


async def test_a_box_that_was_stopped_is_no_waste_that_hides_what_goes_on() -> None:
    off = rented("lazy", completed().view, state="stopped", usd=0.0685, link=OFFLINE)
    async with watching(CannedFeed([rented("busy", running().view), off])) as watch:
        assert "all well" in watch.lines[1]
        await watch.press("G")
        assert "its disk bills on: $0.0685/h" in watch.text and "│ bills " not in watch.text


async def test_a_box_that_bills_and_never_had_a_run_is_named() -> None:
    async with watching(CannedFeed([rented("busy", running().view), rented("forgotten")])) as watch:
        assert "forgotten bills $3.48/h and has no run for 5h00m" in watch.lines[1]
        watch.feed.views[1] = rented("forgotten", created_at=NOW - 300)
        await watch.settle()
        assert "all well" in watch.lines[1]


async def test_a_box_that_bills_and_does_not_answer_is_named() -> None:
    away = rented("away", running().view, link=OFFLINE)
    async with watching(CannedFeed([rented("busy", running().view), away])) as watch:
        assert "▲ away is not reached for 12 min, and still bills $3.48/h" in watch.lines[1]
        watch.feed.views[1] = replace(away, rent=None, price_per_hour=1.5)
        await watch.settle()
        assert "is not reached for 12 min; if it runs, it bills $1.50/h" in watch.lines[1]


async def test_what_is_told_of_a_bill_has_its_age_its_doubts_and_what_was_assumed() -> None:
    old = rented("busy", running().view, error="vast does not answer", age_s=720.0)
    async with watching(CannedFeed([old]), size=(160, 60)) as watch:
        assert "vast does not answer" in watch.text
        assert "what is shown is 12m old" in watch.text
        watch.feed.views[0] = rented(
            "busy", running().view, rate_assumed=True, warnings=("may be taken at any moment",)
        )
        await watch.settle()
        assert "assumed: the state does not tell" in watch.text
        assert "may be taken at any moment" in watch.text
        watch.feed.views[0] = rented("busy", running().view, state="failed", reason="no disk left")
        await watch.settle()
        assert "no disk left" in watch.text


async def test_a_box_that_boxtop_itself_stopped_hides_no_waste_of_others() -> None:
    own = stopped(ended_here=True)
    async with watching(CannedFeed([own, idle("lazy", 2.0)])) as watch:
        assert "▲ lazy idle 1h30m = $3.00" in watch.lines[1]
        assert "○ stopped" in watch.line("spot / coco-9t")


@pytest.mark.parametrize("state", ["stopped", "gone", "queued"])
async def test_a_run_does_not_go_on_when_its_provider_took_the_box(state: str) -> None:
    taken = stopped(state, gone=state == "gone")
    async with watching(CannedFeed([rented("busy", running().view), taken])) as watch:
        assert "1 run live" in watch.lines[0]
        assert f"▲ spot is {state}: coco-9t was at work in epoch 62" in watch.lines[1]
        row = watch.listed[0]
        assert f"○ {state}" in row and "spot / coco-9t" in row and "38:42" not in row
        await watch.press("g")
        assert f"○ {state}  was running, epoch 61/100" in watch.text
        assert "eta" not in watch.line("was running")
        assert "to go" not in watch.text and "°C" not in watch.text


async def test_a_run_goes_on_while_its_box_answers_whatever_the_list_says() -> None:
    taken = replace(stopped(), link=LIVE)
    async with watching(CannedFeed([taken])) as watch:
        assert "1 run live" in watch.lines[0] and "all well" in watch.lines[1]


async def test_what_died_on_a_box_that_is_gone_needs_nobody_any_more() -> None:
    gone = rented("spot", dead().view, state="gone", gone=True, link=OFFLINE)
    async with watching(CannedFeed([gone, rented("busy", running().view)])) as watch:
        assert "needs a person" not in watch.lines[0]
        assert "all well" in watch.lines[1]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("stopped", "its disk bills on: $0.0685/h  : start, D destroy"),
        ("queued", "waits for a GPU: it may start, and bill $3.48/h, at any hour  S cancels that"),
        ("terminating", "bills $0.0685/h until that is done"),
        ("gone", "its provider lists it no more"),
    ],
)
async def test_a_box_that_is_off_says_what_it_costs_and_which_key_helps(
    state: str, words: str
) -> None:
    taken = stopped(state, gone=state == "gone")
    async with watching(CannedFeed([taken]), (160, 40)) as watch:
        assert f"○ {state}" in watch.line(words)
        assert "no way in" not in watch.line(words)


@pytest.mark.parametrize("size", [(40, 12), (60, 16), NARROW])
async def test_the_rate_stands_in_the_header_however_narrow(size: tuple[int, int]) -> None:
    fleet = [rented("a", dead().view), rented("b", link=OFFLINE), rented("c", running().view)]
    async with watching(CannedFeed(fleet), size) as watch:
        assert "$10.44/h" in watch.lines[0]
        assert "▲ 1" in watch.lines[0]


async def test_credit_that_soon_ends_comes_before_counts() -> None:
    box = rented("a", running().view, runway=Runway(3600.0, 3.48))
    async with watching(CannedFeed([box]), (44, 16)) as watch:
        assert "$3.48/h" in watch.lines[0] and "credit 1h00m" in watch.lines[0]
        assert "1 box" not in watch.lines[0]


async def test_each_box_shows_its_price_where_any_is_known() -> None:
    async with watching(CannedFeed([rented("a", running().view), idle("b", 0.44)]), NARROW) as one:
        assert "$/H" in one.line("STATE")
        assert "a / coco-9t" in one.listed[0] and "$3.48" in one.listed[0]
        assert "b / helmets" in one.listed[1] and "$0.44" in one.listed[1]
    unpriced = BoxView("a", "a", LIVE, (running().view,))
    async with watching(CannedFeed([unpriced]), NARROW) as other:
        assert "$/H" not in other.line("STATE")


async def test_the_status_panel_has_both_rates_in_full() -> None:
    async with watching(CannedFeed([rented("a", running().view)])) as watch:
        assert "vast running" in watch.line("│ rented ")
        assert "$3.48/h, $0.0685/h stopped" in watch.line("│ rate ")


async def test_an_opened_run_says_first_what_its_box_wastes_however_small() -> None:
    async with watching(CannedFeed([idle("lazy", 2.0)]), (40, 12)) as watch:
        await watch.press("enter")
        assert "bills idle 1h30m = $3.00" in watch.lines[1]


async def test_the_end_of_a_contract_is_seen_before_it_alarms() -> None:
    later = time.time() + 9 * 86_400 - 60
    async with watching(CannedFeed([rented("busy", running().view, contract_end=later)])) as watch:
        assert "contract ends in 8d23h" in watch.line("rented")
        assert "until" not in watch.text


@pytest.mark.parametrize("size", [(120, 40), (40, 12)])
async def test_a_contract_that_soon_ends_is_said_at_any_width(size: tuple[int, int]) -> None:
    boxes = [rented("busy", running().view, contract_end=NOW + 5 * 3600 + 5)]
    async with watching(CannedFeed(boxes), size=size, charts=False) as watch:
        assert "contract 5h00m" in watch.lines[0]


async def test_a_contract_that_ends_before_the_training_is_a_fact_of_its_own() -> None:
    boxes = [rented("busy", running().view, contract_end=time.time() + 600)]
    async with watching(CannedFeed(boxes)) as watch:
        assert "contract ends in 9m" in watch.line("until")


async def test_what_was_wasted_is_not_what_a_narrow_panel_cuts() -> None:
    cost = Cost(so_far=123.45, to_finish=None, wasted=67.89, per_epoch=0.1234)
    view = completed().view
    run = msgspec.structs.replace(view.run, cost=cost)
    async with watching(CannedFeed([rented("lazy", replace(view, run=run))])) as watch:
        assert "$67.89 wasted  $123.45 so far" in watch.line("cost ")


async def test_a_run_that_failed_says_what_its_box_wastes_since() -> None:
    async with watching(CannedFeed([rented("lab", dead().view, usd=3.0)]), charts=False) as watch:
        assert "dead 41 min ago; idle 41m = $2.05: " in watch.lines[1]


async def test_a_failure_that_somebody_trained_after_hides_no_waste() -> None:
    old = rented("lab", dead().view, running().view)
    assert Row(old, old.runs[0]).needs_a_person
    early = replace(
        old.runs[0],
        run=msgspec.structs.replace(old.runs[0].run, ended_at=old.runs[1].run.started_at - 60.0),
    )
    followed = replace(old, runs=(early, old.runs[1]))
    feed = CannedFeed([followed, idle("lazy", 2.0)])
    async with watching(feed, charts=False) as watch:
        assert "lazy idle 1h30m = $3.00" in watch.lines[1]
        feed.views = [followed]
        await watch.settle()
        assert "drones-s dead" in watch.lines[1]


@pytest.mark.parametrize("size", [(200, 50), (120, 40), (80, 24), (40, 12)])
async def test_an_opened_run_says_what_is_wrong_elsewhere(size: tuple[int, int]) -> None:
    feed = CannedFeed([rented("busy", running().view), rented("lab", dead().view)])
    async with watching(feed, size=size, charts=False) as watch:
        await watch.press("j", "enter")
        assert "▲ lab / drones-s dead" in watch.lines[0]
        assert "busy / coco-9t" in watch.lines[1]
        feed.views = [feed.views[0], idle("lazy", 2.0)]
        await watch.settle()
        assert "▲ lazy idle 1h30m = $3.00" in watch.lines[0]
        feed.views = feed.views[:1]
        await watch.settle()
        assert "busy / coco-9t" in watch.lines[0]


async def test_an_opened_run_says_its_own_trouble_once() -> None:
    async with watching(CannedFeed([rented("lab", dead().view)]), charts=False) as watch:
        await watch.press("enter")
        assert "lab / drones-s" in watch.lines[0] and "▲" not in watch.lines[0]
