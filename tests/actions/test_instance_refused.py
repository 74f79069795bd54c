"""Whatever stands against a stop, a start or a destroy: nothing arrives that should not."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.actions.instances import ID, Rented, lines, vanish, words
from tests.providers.build import StillClock, make_api
from tests.providers.conftest import served
from tests.providers.fake_http import HTML_503, Canned
from tests.providers.fake_lambda import FakeLambda
from tests.providers.fake_runpod import NO_GPU, FakeRunPod, pod, problem
from tests.providers.fake_vast import RUNNING, STOPPED, FakeVast, row
from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.instance_plan import Bound, NothingToDo, NotPossible
from tui.providers import lambda_, runpod
from tui.providers.base import Action, ProviderError


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Canned(403, {"error": "forbidden", "msg": "no scope"}), "check its scopes"),
        (Canned(429, b"slow down", {"Retry-After": "9"}), "it asks to wait 0:09"),
        (
            Canned(400, {"success": False, "error": "insufficient_credit", "msg": "no credit"}),
            "add credit to the account",
        ),
        (Canned(400, {"msg": "\x1b[2Jbad"}), "or at the provider's page"),
    ],
)
def test_a_refusal_is_told_in_the_vendors_words_with_what_helps(
    rented: Rented, fake: FakeVast, answer: Canned, said: str
) -> None:
    fake.fail(answer, "PUT")
    fake.allow("stop", ID)
    report = rented.act(rented.plan("stop", ID))
    assert report.outcome == "refused" and not report.well
    assert "was NOT stopped" in words(report) and said in words(report)
    assert "\x1b" not in words(report)
    assert rented.journal[-1].outcome == "refused"


def test_a_destroy_of_what_is_gone_by_another_hand_sends_nothing(
    rented: Rented, fake: FakeVast
) -> None:
    plan = rented.plan("destroy", ID)
    vanish(fake)
    report = rented.act(plan, "yolo9s")
    assert report.outcome == "already" and "gone by another hand" in words(report)
    with pytest.raises(NothingToDo, match="lists no such instance"):
        rented.plan("destroy", ID, plan.bound)
    with pytest.raises(NotPossible, match="lists no such instance"):
        rented.plan("stop", ID, plan.bound)


def test_a_404_at_the_destroy_is_gone(rented: Rented, fake: FakeVast) -> None:
    plan = rented.plan("destroy", ID)
    rented.on_look = lambda _: vanish(fake)
    fake.allow("destroy", ID)
    report = rented.act(plan, "yolo9s")
    assert report.outcome == "done"


def test_what_vanishes_while_it_is_stopped_is_said_to_be_gone(
    rented: Rented, fake: FakeVast
) -> None:
    plan = rented.plan("stop", ID)
    fake.fail(Canned(200, {"success": True}), "PUT")
    fake.allow("stop", ID)
    rented.on_wait = lambda _: vanish(fake)
    report = rented.act(plan)
    assert report.outcome == "vanished" and report.well
    assert "vast does not list it any more" in words(report)


def test_what_is_so_already_sends_nothing(rented: Rented, fake: FakeVast) -> None:
    with pytest.raises(NothingToDo, match="running already"):
        rented.plan("start", ID)
    plan = rented.plan("stop", ID)
    fake.rows[0].update(STOPPED)
    with pytest.raises(NothingToDo, match="stopped already"):
        rented.act(plan)


def test_an_action_stays_with_the_id_it_was_asked_for(rented: Rented, fake: FakeVast) -> None:
    plan = rented.plan("destroy", ID)
    fake.rows.insert(0, row(id=9))
    fake.rows.insert(0, row(id=2, label="other"))
    fake.allow("destroy", ID)
    assert rented.act(plan, ID).well
    assert [one["id"] for one in fake.rows] == [2, 9]


def test_a_name_that_two_have_is_typed_as_an_id(rented: Rented, fake: FakeVast) -> None:
    fake.rows.append(row(id=9))
    plan = rented.plan("destroy", ID)
    assert plan.names == (ID, f"vast:{ID}")
    with pytest.raises(ActionError, match="'yolo9s' was typed, not '700001'"):
        rented.act(plan, "yolo9s")


@pytest.mark.parametrize("typed", [None, "", "yolo9", "y", "yes", "700001x", "lab"])
def test_a_destroy_takes_the_typed_name_and_nothing_else(
    rented: Rented, fake: FakeVast, typed: str | None
) -> None:
    plan = rented.plan("destroy", ID)
    with pytest.raises(ActionError, match="was not touched") as refused:
        rented.act(plan, typed)
    assert refused.value.hint == "type yolo9s to destroy it"
    assert rented.journal == []


def test_an_instance_that_is_another_by_now_is_left_alone(rented: Rented, fake: FakeVast) -> None:
    plan = rented.plan("destroy", ID)
    fake.rows[0]["label"] = "precious"
    with pytest.raises(ActionError, match="its name was 'yolo9s' and is 'precious' now"):
        rented.act(plan, "yolo9s")
    fake.rows[0].update(label="yolo9s", gpu_name="H100")
    with pytest.raises(ActionError, match="its GPU was 'RTX 4090' and is 'H100' now"):
        rented.act(plan, "yolo9s")
    with pytest.raises(ActionError, match="its GPU was"):
        rented.plan("destroy", ID, plan.bound)


def test_an_instance_that_was_made_anew_under_its_old_id_is_left_alone(
    rented: Rented, fake: FakeVast
) -> None:
    plan = rented.plan("destroy", ID)
    fake.rows[0]["start_date"] += 2 * 3600
    with pytest.raises(ActionError, match="another of that name: they began 2h00m apart"):
        rented.act(plan, "yolo9s")
    fake.rows[0]["start_date"] = None
    fake.allow("destroy", ID)
    assert rented.act(plan, "yolo9s").outcome == "done"


def test_by_an_old_list_nothing_is_done(rented: Rented, fake: FakeVast) -> None:
    bound = rented.bound(ID)
    rented.accounts.refresh()
    fake.fail(HTML_503, times=9)
    with pytest.raises(ProviderError, match="503"):
        rented.plan("stop", ID, bound)


def test_one_action_on_an_instance_at_a_time(rented: Rented, fake: FakeVast) -> None:
    plan = rented.plan("destroy", ID)
    held, go = threading.Event(), threading.Event()

    def look(_: int) -> None:
        held.set()
        assert go.wait(15)

    rented.on_look = look
    fake.allow("destroy", ID)
    thread = threading.Thread(target=rented.act, args=(plan, "yolo9s"))
    thread.start()
    assert held.wait(15)
    with pytest.raises(ActionError, match="another action on yolo9s"):
        rented.act(plan, "yolo9s")
    go.set()
    thread.join(15)
    assert fake.ledger == [("destroy", ID)]


def test_an_action_that_cannot_be_written_down_is_not_sent(rented: Rented, fake: FakeVast) -> None:
    plan = rented.plan("stop", ID)
    (rented.home / "data").mkdir()
    (rented.home / "data" / "journal.jsonl").mkdir()
    with pytest.raises(ActionError, match="no action goes unrecorded") as refused:
        rented.act(plan)
    assert "--data-dir" in str(refused.value.hint)


def test_an_end_that_cannot_be_written_down_is_told(rented: Rented, fake: FakeVast) -> None:
    plan = rented.plan("stop", ID)
    fake.allow("stop", ID)

    def spoil(_: Cancel) -> None:
        journal = rented.home / "data" / "journal.jsonl"
        journal.unlink()
        journal.mkdir()

    rented.on_wait = spoil
    report = rented.act(plan)
    assert report.outcome == "done"
    assert "how it ended is not recorded" in words(report)


def test_whoever_gives_up_waiting_is_told_that_it_goes_on(rented: Rented, fake: FakeVast) -> None:
    plan = rented.plan("stop", ID)
    fake.allow("stop", ID)
    cancel = Cancel()

    rented.on_wait = Cancel.cancel
    report = rented.act(plan, cancel=cancel)
    assert report.outcome == "unwatched"
    assert "was accepted by vast, and goes on without boxtop" in words(report)
    assert rented.journal[-1].outcome == "unknown"
    fake.rows[0].update(RUNNING)
    with pytest.raises(ActionError, match="cancelled"):
        rented.act(rented.plan("destroy", ID), ID, cancel=cancel)


def test_read_only_forbids_all_three(rented: Rented, fake: FakeVast) -> None:
    plan = rented.plan("stop", ID)
    rented.read_only = True
    with pytest.raises(ActionError, match="--read-only forbids stop"):
        rented.act(plan)
    actions: tuple[Action, ...] = ("stop", "start", "destroy")
    for action in actions:
        with pytest.raises(ActionError, match=f"--read-only forbids {action}"):
            rented.plan(action, ID)


def test_lambda_has_no_stop_and_nothing_stands_in_for_it(tmp_path: Path) -> None:
    for fake in served(FakeLambda()):
        clock = StillClock()
        account = lambda_.Lambda(make_api("lambda", fake.url, lambda_.SPACING, clock))
        rented = Rented(account, clock, tmp_path)
        with pytest.raises(NotPossible, match="has no stop") as refused:
            rented.plan("stop", "0a1b")
        assert "bills until it is destroyed" in str(refused.value.hint) and refused.value.never
        with pytest.raises(NothingToDo):
            rented.plan("start", "0a1b")
        assert "stays and bills on: file system fs" in lines(rented.plan("destroy", "0a1b"))
        fake.allow("destroy", "0a1b")
        assert rented.act(rented.plan("destroy", "0a1b"), "yolo").well


def test_runpod_without_a_free_gpu(tmp_path: Path) -> None:
    for fake in served(FakeRunPod()):
        clock = StillClock()
        account = runpod.RunPod(make_api("runpod", fake.url, runpod.SPACING, clock))
        rented = Rented(account, clock, tmp_path)
        fake.pods[0].update(
            {"status": "EXITED", "actions": ["start", "terminate"], "cost": 0.0, "runtime": None}
        )
        fake.fail(problem(422, "Unprocessable", NO_GPU), "POST", "action")
        fake.allow("start", "abc123pod")
        report = rented.act(rented.plan("start", "abc123pod"))
        assert report.outcome == "refused"
        assert NO_GPU in words(report) and "no GPU is free on its host" in words(report)
        assert "yolo still bills" in words(report)
        assert pod()["id"] == "abc123pod"


def test_a_bound_instance_that_never_was(rented: Rented) -> None:
    with pytest.raises(NothingToDo, match="lists no such instance"):
        rented.plan("destroy", "1", Bound("vast", "1", "1"))
    with pytest.raises(ActionError, match="no provider in use"):
        rented.plan("destroy", "1", Bound("runpod", "1", "1"))


def test_a_list_that_was_asked_for_too_often_closes_no_way_to_a_stop(
    rented: Rented, fake: FakeVast
) -> None:
    bound = rented.bound(ID)
    rented.accounts.refresh(now=True)
    fake.fail(Canned(429, b"slow down", {"Retry-After": "600"}), path="/api/v1/instances")
    plan = rented.plan("stop", ID, bound)
    assert plan.instance.state == "running" and plan.needs == "yes"
    fake.allow("stop", ID)
    report = rented.act(plan)
    assert fake.ledger == [("stop", ID)]
    assert report.outcome == "unconfirmed", "nothing is called done that no list says"
    fake.rows = []
    with pytest.raises(ProviderError) as caught:
        rented.plan("stop", ID, bound)
    assert "it may be asked again in" in (caught.value.hint or "")


def test_no_id_of_another_instance_can_be_typed_for_this_one(
    rented: Rented, fake: FakeVast
) -> None:
    fake.rows = [row(label="700002"), row(id=700002, label="other")]
    assert rented.plan("stop", ID).names == (ID, f"vast:{ID}")
