"""Stop, start and destroy over fake vendors: what arrives there, and what is said of it."""

from __future__ import annotations

import pytest

from tests.actions.instances import ID, Rented, lines, words
from tests.providers.fake_http import HTML_503, LOST, Canned
from tests.providers.fake_vast import STOPPED, FakeVast
from tui.actions.instance_plan import NotPossible
from tui.providers.base import Reply


def test_a_plan_says_everything_and_sends_nothing(rented: Rented, fake: FakeVast) -> None:
    fake.rows[0]["volume_info"] = [{"label": "data"}]
    said = lines(rented.plan("destroy", ID))
    for fact in (
        "destroy yolo9s (vast 700001)",
        "GPU: 8 x RTX 4090",
        "state: running",
        "198.51.100.7:41022",
        "age: 1h06m",
        "bills now: $3.48/h (reported)",
        "no weights were found that could be lost",
        "destroying deletes the disk",
        "stays and bills on: volume data",
        "break-even: each hour of setting up a new box costs as much as 50.2 h stopped",
    ):
        assert fact in said
    stop = lines(rented.plan("stop", ID))
    assert stop.count("releases the GPUs") == 1 and "may not start again" in stop
    assert "the disk bills on: $0.0694/h, $1.67 a day, $50.00 a month" in stop
    assert fake.ledger == []


def test_a_stop_is_done_when_the_list_says_so(rented: Rented, fake: FakeVast) -> None:
    rented.run()
    plan = rented.plan("stop", ID)
    assert plan.needs == "yes" and "survives the stop" in lines(plan)
    fake.allow("stop", ID)
    report = rented.act(plan)
    assert report.outcome == "done" and report.well
    assert "yolo9s (vast 700001) is stopped: vast's list says so" in words(report)
    assert "yolo9s still bills $0.069444/h" in words(report)
    asked, done = rented.journal
    assert (asked.action, asked.box, asked.outcome) == ("stop", "yolo9s", "asked")
    assert (done.outcome, done.asked["id"], done.seen["listed"]["state"]) == ("done", ID, "stopped")


def test_a_start_is_done_when_it_runs_and_tells_the_new_address(
    rented: Rented, fake: FakeVast
) -> None:
    fake.rows[0].update(STOPPED)
    plan = rented.plan("start", ID)
    assert "it bills from then on: $3.48/h, $83.59 a day" in lines(plan)
    assert "credit lasts 7h10m ($25.00 at $3.48/h)" in lines(plan)
    fake.allow("start", ID)
    report = rented.act(plan)
    assert report.well and "it is at 198.51.100.7:41022 now" in words(report)


def test_a_queued_start_is_said_to_bill_at_any_hour_and_a_stop_cancels_it(
    rented: Rented, fake: FakeVast
) -> None:
    fake.rows[0].update(STOPPED)
    fake.gpu_taken = True
    fake.allow("start", ID)
    report = rented.act(rented.plan("start", ID))
    assert report.outcome == "queued" and not report.well
    assert "is NOT running: it waits for a GPU" in words(report)
    assert "it may start, and bill $3.48/h (reported), at any hour: a stop cancels" in words(report)
    assert rented.journal[-1].outcome == "left"
    fake.allow("stop", ID)
    assert rented.act(rented.plan("stop", ID)).well


def test_a_start_that_stays_queued_in_the_list_counts_as_queued(
    rented: Rented, fake: FakeVast
) -> None:
    fake.rows[0].update(STOPPED)
    plan = rented.plan("start", ID)
    fake.allow("start", ID)
    fake.fail(Canned(200, {"success": True}), "PUT")
    fake.rows[0].update(intended_status="running")
    bound = plan.bound
    rented.accounts.refresh_one("vast")
    with pytest.raises(NotPossible, match="start is not possible now"):
        rented.act(plan)
    fake.rows[0].update(STOPPED)
    plan = rented.plan("start", ID, bound)

    rented.on_wait = lambda _: fake.rows[0].update(intended_status="running")
    report = rented.act(plan)
    assert report.outcome == "queued"
    assert 30 <= report.seconds < 60


def test_a_destroy_is_done_when_no_list_has_it_any_more(rented: Rented, fake: FakeVast) -> None:
    fake.linger = 3
    fake.allow("destroy", ID)
    report = rented.act(rented.plan("destroy", ID), "yolo9s")
    assert report.outcome == "done" and fake.ledger == [("destroy", ID)]
    assert "is gone: vast's list says so after 0:0" in words(report)


def test_a_destroy_that_leaves_the_row_says_that_it_still_bills(
    rented: Rented, fake: FakeVast
) -> None:
    fake.linger = 10_000
    fake.allow("destroy", ID)
    report = rented.act(rented.plan("destroy", ID), "yolo9s")
    assert report.outcome == "still_there" and 120 <= report.seconds < 130
    assert "STILL EXISTS, still billing, 2:00 after vast accepted the destroy" in words(report)
    assert "yolo9s still bills $3.4828/h" in words(report)
    assert rented.journal[-1].outcome == "left"


def test_a_lost_reply_is_told_by_the_list(rented: Rented, fake: FakeVast) -> None:
    fake.fail(LOST, "DELETE")
    fake.allow("destroy", ID)
    report = rented.act(rented.plan("destroy", ID), "yolo9s")
    assert report.outcome == "done"
    assert "the reply got lost" in words(report)


def test_a_lost_reply_and_a_list_that_shows_nothing_stays_unconfirmed(
    rented: Rented, fake: FakeVast
) -> None:
    fake.fail(HTML_503, "PUT")
    fake.allow("stop", ID)
    report = rented.act(rented.plan("stop", ID))
    assert report.outcome == "unconfirmed" and fake.ledger == [("stop", ID)]
    assert "is UNCONFIRMED" in words(report) and "listed as running" in words(report)
    assert "look again before asking again" in words(report)
    assert rented.journal[-1].outcome == "unknown"


def test_lists_that_fail_after_it_was_sent_leave_it_unconfirmed(
    rented: Rented, fake: FakeVast
) -> None:
    plan = rented.plan("stop", ID)
    fake.allow("stop", ID)
    fake.fail(HTML_503, "GET", "/api/v1/instances", times=500)
    report = rented.act(plan)
    assert report.outcome == "unconfirmed"
    assert "its list cannot be read: vast: API error 503" in words(report)


def test_a_list_that_asks_to_wait_is_left_alone_so_long(rented: Rented, fake: FakeVast) -> None:
    plan = rented.plan("stop", ID)
    fake.allow("stop", ID)
    lists = fake.count("GET", "/api/v1/instances")
    fake.fail(Canned(429, b"too frequent", {"Retry-After": "50"}), "GET", "/api/v1/instances")
    report = rented.act(plan)
    assert report.well and report.seconds >= 50
    assert fake.count("GET", "/api/v1/instances") == lists + 2


def test_one_list_without_the_row_is_no_proof_while_the_instance_answers(
    rented: Rented, fake: FakeVast
) -> None:
    plan = rented.plan("destroy", ID)
    empty = Canned(200, {"success": True, "instances": [], "next_token": None})
    fake.fail(empty, "GET", "/api/v1/instances")
    fake.linger = 2
    fake.allow("destroy", ID)
    report = rented.act(plan, "yolo9s")
    assert report.outcome == "done"
    assert fake.count("GET", "/api/v1/instances") > 2


def test_an_instance_that_answers_no_more_is_not_gone_while_the_list_has_it(
    rented: Rented, fake: FakeVast
) -> None:
    plan = rented.plan("destroy", ID)
    fake.linger = 10_000
    fake.allow("destroy", ID)
    sent = rented.accounts.provider("vast")
    assert sent is not None
    destroy = sent.destroy

    def destroyed(id: str) -> Reply:
        reply = destroy(id)
        fake.fail(Canned(404, {"success": False, "error": "not_found"}), "GET", f"/{ID}", times=500)
        return reply

    sent.destroy = destroyed  # type: ignore[method-assign]
    report = rented.act(plan, "yolo9s")
    assert report.outcome == "still_there"
