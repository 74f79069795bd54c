"""Fleet and providers together: real threads, the demo's account and a vendor on loopback."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.providers.build import StillClock, make_api
from tests.providers.fake_http import HTML_503
from tests.providers.fake_vast import STOPPED, FakeVast, row
from tests.waiting import wait_until
from tests.watch.scripted import ONE_RUN, HeldClock, Script, ScriptedLink
from tui.boxes import Box, InstanceName, SshTarget
from tui.config.settings import BoxSettings
from tui.links.asking import RefusingAsker
from tui.links.base import LinkError
from tui.money import Rate
from tui.providers import vast
from tui.providers.account import Accounts
from tui.providers.base import Account, Listing, Provider
from tui.providers.command import Commands
from tui.providers.demo import BOXES, Demo
from tui.providers.errors import ProviderError
from tui.rented.book import Book
from tui.rented.rental import ASK_AGAIN_SECONDS, Rental
from tui.view import BoxView
from tui.watch.fleet import Fleet


class Lab:
    """A fleet whose links are scripted, and what each was asked to reach."""

    def __init__(self) -> None:
        self.reached: list[Box] = []
        self.script = Script(ONE_RUN)

    def link_for(self, box: Box, _: object) -> ScriptedLink:
        self.reached.append(box)
        return self.script.link()


@contextmanager
def watching(
    lab: Lab, boxes: list[Box], *providers: Provider, data: Path | None = None, **options: object
) -> Iterator[tuple[Fleet, Rental]]:
    fleet = Fleet(boxes, RefusingAsker(), data, clock=HeldClock(), link_for=lab.link_for)
    book = None if data is None else Book(data)
    rental = Rental(fleet, Accounts(providers), roots=("/root/runs",), book=book, **options)  # type: ignore[arg-type]
    rental.start()
    try:
        yield fleet, rental
    finally:
        rental.close()
        fleet.close()


def box_of(fleet: Fleet, name: str) -> BoxView:
    view = fleet.box(name)
    assert view is not None
    return view


def a_vast(fake: FakeVast) -> vast.Vast:
    return vast.Vast(make_api("vast", fake.url, vast.SPACING, StillClock()))


def test_every_instance_of_the_account_is_there_with_what_it_bills() -> None:
    with watching(Lab(), [], Demo()) as (fleet, _):
        wait_until(lambda: len(fleet.boxes()) == len(BOXES))
        wait_until(lambda: all(box.rent and box.rent.runway for box in fleet.boxes()))
        shown = {view.name: view for view in fleet.boxes()}
        rent = shown["demo-4090"].rent
        assert rent is not None
        assert (rent.provider, rent.state, rent.rate_now.usd_per_hour) == ("demo", "running", 0.44)
        assert rent.rate_now.source == "reported"
        assert rent.runway is not None and rent.runway.usd_per_hour is not None
        assert rent.can == {"stop", "destroy"}
        assert rent.cannot["start"] == "it is running already"
        assert shown["demo-4090"].usd_per_hour == 0.44


def test_boxes_that_were_named_alone_are_joined_and_no_other_is_added() -> None:
    named = Box(
        "mine",
        "demo:demo-a100",
        SshTarget("203.0.113.7"),
        instance=InstanceName("demo", "demo-a100"),
    )
    with watching(Lab(), [named], Demo(), adds=False) as (fleet, rental):
        wait_until(lambda: box_of(fleet, "mine").rent is not None)
        assert [view.name for view in fleet.boxes()] == ["mine"]
        assert rental.instance_of("mine") == InstanceName("demo", "demo-a100")


def test_a_box_is_reached_where_its_provider_says_once_it_says_so(fake_vast: FakeVast) -> None:
    lab = Lab()
    with watching(lab, [], a_vast(fake_vast)) as (fleet, _):
        wait_until(lambda: [view.link.state for view in fleet.boxes()] == ["live"])
        assert lab.reached[0].target == SshTarget(
            "198.51.100.7", "root", 41022, host_key_alias="boxtop-vast-700001"
        )


def test_a_stopped_box_waits_and_comes_back_elsewhere(fake_vast: FakeVast) -> None:
    lab = Lab()
    fake_vast.rows = [row(**STOPPED)]
    with watching(lab, [], a_vast(fake_vast)) as (fleet, rental):
        wait_until(lambda: bool(fleet.boxes()) and fleet.boxes()[0].link.error is not None)
        (view,) = fleet.boxes()
        assert view.link.state == "offline"
        assert "it is stopped" in (view.link.error or "")
        assert view.is_off
        assert lab.reached == []
        fake_vast.rows = [row(public_ipaddr="198.51.100.9")]
        rental.ask_soon("vast")
        wait_until(lambda: fleet.boxes()[0].link.state == "live")
        assert lab.reached[-1].target.host == "198.51.100.9"  # type: ignore[union-attr]


@pytest.mark.parametrize(("from_now", "ended_here"), [(290.0, True), (-1000.0, False)])
def test_a_box_that_boxtop_stopped_was_taken_by_nobody_unless_it_was_heard_of_since(
    fake_vast: FakeVast, from_now: float, ended_here: bool
) -> None:
    silent = time.time() + from_now
    with watching(Lab(), [], a_vast(fake_vast), silent_from=lambda _: silent) as (fleet, rental):
        wait_until(lambda: [view.link.state for view in fleet.boxes()] == ["live"])
        (live,) = fleet.boxes()
        assert live.rent is not None and not live.rent.ended_here
        fake_vast.rows = [row(**STOPPED)]
        rental.accounts.refresh(now=True)
        rental.publish()
        wait_until(lambda: fleet.boxes()[0].is_off)
        (view,) = fleet.boxes()
        assert view.rent is not None and view.rent.ended_here is ended_here


def test_a_box_by_its_address_stays_its_instance_when_that_stops_and_when_it_goes(
    fake_vast: FakeVast,
) -> None:
    lab = Box("lab", "root@198.51.100.7", SshTarget("198.51.100.7", "root", 41022))
    with watching(Lab(), [lab], a_vast(fake_vast)) as (fleet, rental):

        def states() -> dict[str, str]:
            rental.accounts.refresh(now=True)
            rental.publish()
            return {box.name: box.rent.state if box.rent else "none" for box in fleet.boxes()}

        wait_until(lambda: states() == {"lab": "running"})
        fake_vast.rows[0].update(STOPPED)
        assert states() == {"lab": "stopped"}
        assert box_of(fleet, "lab").usd_per_hour == pytest.approx(0.0694444)
        fake_vast.rows = []
        states()
        assert states() == {"lab": "gone"}
        assert box_of(fleet, "lab").usd_per_hour == 0.0


def test_a_box_whose_instance_runs_elsewhere_now_is_that_instance_no_more(
    fake_vast: FakeVast,
) -> None:
    lab = Box("lab", "root@198.51.100.7", SshTarget("198.51.100.7", "root", 41022))
    with watching(Lab(), [lab], a_vast(fake_vast), adds=False) as (fleet, rental):
        wait_until(lambda: box_of(fleet, "lab").rent is not None)
        fake_vast.rows[0]["ports"] = {"22/tcp": [{"HostPort": "41999"}]}
        rental.accounts.refresh(now=True)
        rental.publish()
        assert box_of(fleet, "lab").rent is None and rental.instance_of("lab") is None


def test_an_address_that_fails_is_asked_for_anew_and_makes_room_for_the_proxy(
    fake_vast: FakeVast,
) -> None:
    lab = Lab()
    lab.script = Script(LinkError("unreachable", "refused"))
    with watching(lab, [], a_vast(fake_vast)) as (fleet, _):
        wait_until(lambda: fake_vast.count("GET", "/api/v1/instances") >= 2)
        wait_until(lambda: {box.target.host for box in lab.reached} > {"198.51.100.7"}, seconds=30)  # type: ignore[union-attr]
        assert fleet.boxes()[0].rent is not None


def test_an_error_keeps_the_last_list_and_says_its_age(fake_vast: FakeVast) -> None:
    with watching(Lab(), [], a_vast(fake_vast)) as (fleet, rental):
        wait_until(lambda: len(fleet.boxes()) == 1)
        fake_vast.fail(HTML_503, path="/api/v1/instances", times=20)
        rental.ask_soon("vast")
        wait_until(lambda: bool((rent := fleet.boxes()[0].rent) and rent.error), seconds=30)
        rent = fleet.boxes()[0].rent
        assert rent is not None
        assert (rent.state, rent.gone) == ("running", False)
        assert rent.age_s is not None


def test_an_instance_that_two_lists_lack_is_gone_and_its_runs_stay(
    fake_vast: FakeVast, tmp_path: Path
) -> None:
    lab = Lab()
    with watching(lab, [], a_vast(fake_vast), data=tmp_path) as (fleet, rental):
        wait_until(lambda: bool(fleet.boxes()) and len(fleet.boxes()[0].runs) == 1)
        fake_vast.rows = []
        for _ in range(3):
            rental.accounts.refresh(now=True)
            rental.publish()
        wait_until(lambda: (rent := fleet.boxes()[0].rent) is not None and rent.gone)
        (view,) = fleet.boxes()
        assert view.rent is not None and view.usd_per_hour == 0.0
        assert len(view.runs) == 1
        wait_until(lambda: "gone" in (fleet.boxes()[0].link.error or ""))


def test_a_provider_without_a_key_says_so_at_its_boxes() -> None:
    named = Box(
        "mine",
        "vast:1",
        SshTarget(""),
        fault="vast is asked",
        from_provider=True,
        instance=InstanceName("vast", "1"),
    )
    problem = ProviderError("no_key", "vast: no API key", "make one")
    with watching(Lab(), [named], problems={"vast": problem}) as (fleet, _):
        rent = box_of(fleet, "mine").rent
        assert rent is not None
        assert (rent.state, rent.error, rent.hint) == ("unknown", "vast: no API key", "make one")
        wait_until(lambda: box_of(fleet, "mine").link.error == "vast: no API key")


def test_what_is_paid_is_kept(tmp_path: Path) -> None:
    with watching(Lab(), [], Demo(), data=tmp_path) as (fleet, _):
        wait_until(lambda: (tmp_path / "spending.json").is_file())
        assert fleet.boxes()


def test_a_provider_that_errs_in_every_way_ends_nothing() -> None:
    class Wrong(Demo):
        def list(self) -> Listing:
            raise RuntimeError("a fault")

    box = replace(Box("lab", "lab", SshTarget("203.0.113.7")), roots=("/root/runs",))
    with watching(Lab(), [box], Wrong()) as (fleet, rental):
        wait_until(lambda: rental.accounts.view.providers[0].error is not None)
        wait_until(lambda: box_of(fleet, "lab").link.state == "live")


def test_a_credit_that_does_not_come_keeps_no_box_away() -> None:
    go_on = threading.Event()

    class Poor(Demo):
        def account(self) -> Account:
            go_on.wait(30)
            return super().account()

    with watching(Lab(), [], Poor()) as (fleet, _):
        wait_until(lambda: len(fleet.boxes()) == len(BOXES))
        go_on.set()
        wait_until(lambda: all(box.rent and box.rent.credit for box in fleet.boxes()))


def test_boxes_of_an_earlier_session_are_watched_where_no_list_comes(
    fake_vast: FakeVast, tmp_path: Path
) -> None:
    fake_vast.rows = [row(), row(id=2, label="other", **STOPPED)]
    with watching(Lab(), [], a_vast(fake_vast), data=tmp_path) as (fleet, _):
        wait_until(lambda: len(fleet.boxes()) == 2)
    fake_vast.fail(HTML_503, path="/api/v1/instances", times=99)
    lab = Lab()
    with watching(lab, [], a_vast(fake_vast), data=tmp_path) as (fleet, _):
        wait_until(lambda: len(fleet.boxes()) == 2)
        wait_until(lambda: box_of(fleet, "yolo9s").link.state == "live")
        running, stopped = box_of(fleet, "yolo9s").rent, box_of(fleet, "other")
        assert running is not None and stopped.rent is not None
        assert (running.state, running.rate_now) == ("running", Rate(3.4828, "reported"))
        assert running.age_s is not None and "503" in (running.error or "")
        assert stopped.rent.state == "stopped" and not stopped.is_off
        assert stopped.usd_per_hour == 3.4828, "nobody can tell: it is taken for running"
        assert [box.name for box in lab.reached] == ["yolo9s"]


def test_a_box_with_its_own_price_is_paid_once_by_the_instance_that_it_is(
    fake_vast: FakeVast, tmp_path: Path
) -> None:
    lab = Box("lab", "lab", SshTarget("198.51.100.7", "root", 41022), mirror="lab")
    own = Commands({"lab": BoxSettings(price_per_hour=2.0), "desk": BoxSettings(price_per_hour=1)})
    desk = Box("desk", "desk", SshTarget("198.51.100.8"), mirror="desk")

    def marks() -> set[str]:
        try:
            return set(json.loads((tmp_path / "spending.json").read_text())["marks"])
        except OSError:
            return set()

    with watching(Lab(), [lab, desk], a_vast(fake_vast), own, data=tmp_path) as (
        fleet,
        rental,
    ):
        wait_until(lambda: (rent := box_of(fleet, "lab").rent) and rent.provider == "vast")
        rental.ask_soon("command")
        wait_until(lambda: marks() == {"vast:700001", "command:desk"})


def test_links_that_fail_again_and_again_ask_a_provider_once_in_seconds(
    fake_vast: FakeVast,
) -> None:
    clock = StillClock()
    with watching(Lab(), [], a_vast(fake_vast), clock=clock) as (fleet, rental):
        wait_until(lambda: len(fleet.boxes()) == 1)
        wait_until(lambda: fake_vast.count("GET", "users") == 1)
        rental.ask_soon("vast")
        wait_until(lambda: fake_vast.count("GET", "instances") == 2)
        for _ in range(50):
            rental.ask_soon("vast")
        clock.now += ASK_AGAIN_SECONDS
        rental.ask_soon("vast")
        wait_until(lambda: fake_vast.count("GET", "instances") == 3)
    assert fake_vast.count("GET", "instances") == 3
