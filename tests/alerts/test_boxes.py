"""What is told of boxes, accounts and pushes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.alerts.scenes import NOW, OFFLINE, Scene, box, kinds, rent, run
from tui.actions.transfer import TransferView
from tui.facts import Disk, Gpu
from tui.money import Rate, Runway
from tui.view import BoxView, LinkView

GIB = 1 << 30
HOUR = 3600.0


def test_a_box_that_idles_and_bills_is_told_also_at_the_first_start() -> None:
    done = run("completed", ended_at=NOW - 3 * HOUR)
    (event,) = Scene().see(box(done, price_per_hour=3.48), seconds=1200)
    assert event.kind == "idle"
    assert event.text.startswith("lab is idle: its last run ended 3h03m ago; lab still bills $3.48")


def test_idling_is_told_ten_minutes_after_the_end() -> None:
    scene = Scene()
    scene.see(box(run(), price_per_hour=3.48))
    done = box(run("stopped", ended_at=scene.wall), price_per_hour=3.48)
    assert scene.see(done, seconds=580) == []
    assert kinds(scene.see(done, seconds=60)) == ["idle"]
    assert scene.see(done, seconds=3 * HOUR) == []


def test_a_box_without_any_run_idles_once_that_was_watched_for_ten_minutes() -> None:
    scene = Scene()
    assert scene.see(box(price_per_hour=0.5), seconds=590) == []
    assert kinds(scene.see(box(price_per_hour=0.5), seconds=60)) == ["idle"]


def test_the_next_training_ends_the_idling_and_the_next_idling_is_told() -> None:
    scene = Scene()
    idle = box(run("completed", ended_at=NOW - HOUR), price_per_hour=1.0)
    assert kinds(scene.see(idle, seconds=900)) == ["idle"]
    scene.see(box(run(), price_per_hour=1.0), seconds=300)
    assert kinds(scene.see(idle, seconds=900)) == ["completed", "idle"]


@pytest.mark.parametrize(
    "view",
    [
        box(run("completed", ended_at=NOW - HOUR)),
        box(run("completed", ended_at=NOW - HOUR), price_per_hour=0.0),
        box(run("completed", ended_at=NOW - HOUR), rent=rent(rate_now=Rate(0.0, "reported"))),
        box(run("running"), price_per_hour=1.0),
        box(run("completed", ended_at=NOW - HOUR), price_per_hour=1.0, link=OFFLINE),
        box(price_per_hour=1.0, gpus=(Gpu(0, "A10", 97.0),)),
        box(run("unknown"), price_per_hour=1.0),
    ],
    ids=["no price", "free", "bills nothing", "at work", "not seen", "other work", "not known"],
)
def test_what_does_not_bill_or_is_at_work_does_not_idle(view: BoxView) -> None:
    assert "idle" not in kinds(Scene().see(view, seconds=2 * HOUR))


def test_an_unknown_price_is_not_free() -> None:
    view = box(run("completed", ended_at=NOW - HOUR), rent=rent(rate_now=Rate()))
    (event,) = Scene().see(view, seconds=900)
    assert "at an unknown price" in event.text


def disk(used: float) -> Disk:
    return Disk("/workspace", free=int((100 - used) * GIB), total=100 * GIB)


def test_a_disk_is_told_nearly_full_and_full_each_once() -> None:
    scene = Scene()
    assert scene.see(box(run(), disk=disk(80)), seconds=300) == []
    told = scene.see(box(run(), disk=disk(91)), seconds=300)
    assert [event.text for event in told] == ["lab /workspace: disk 91 % full (9 GB left)"]
    assert kinds(scene.see(box(run(), disk=disk(99)), seconds=300)) == ["disk_full"]
    for used in (80, 91, 99, 95):
        assert scene.see(box(run(), disk=disk(used)), seconds=600) == []


def test_runs_on_one_disk_are_one_alarm() -> None:
    runs = [run(path=f"/runs/{n}") for n in range(5)]
    assert kinds(Scene().see(box(*runs, disk=disk(93)), seconds=300)) == ["disk_full"]


def test_a_disk_that_nobody_writes_to_is_no_alarm() -> None:
    view = box(run("completed", ended_at=NOW), disk=disk(99))
    assert "disk_full" not in kinds(Scene().see(view, seconds=300))


def soon(full_in: float, eta: float | None) -> BoxView:
    view = box(run(eta_s=eta), disk=disk(70))
    return replace(view, runs=(replace(view.runs[0], disk_full_in_s=full_in),))


def test_a_disk_that_is_full_before_the_run_ends_is_told_ahead() -> None:
    (event,) = Scene().see(soon(HOUR, 5 * HOUR), seconds=300)
    assert event.text == "lab /workspace: disk full in 60 min at this rate (30 GB left)"
    assert Scene().see(soon(HOUR, 0.5 * HOUR), seconds=300) == []


def test_a_box_is_told_unreachable_after_five_minutes_with_what_it_bills() -> None:
    scene = Scene()
    scene.see(box(run(), rent=rent()))
    down = box(run(), rent=rent(), link=OFFLINE)
    assert scene.see(down, seconds=290) == []
    (event,) = scene.see(down, seconds=60)
    assert event.kind == "unreachable"
    assert "no answer within 10 s" in event.text
    assert event.text.endswith("still billing $3.48/h (API: running)")
    assert scene.see(down, seconds=HOUR) == []


def test_the_price_in_boxtop_toml_and_an_old_list_are_said_to_be_that() -> None:
    scene = Scene()
    scene.see(box(run(), price_per_hour=3.48))
    (event,) = scene.see(box(run(), price_per_hour=3.48, link=OFFLINE), seconds=400)
    assert event.text.endswith("if it runs, it bills $3.48/h")
    told = scene.see(box(run()), seconds=700)
    unknown = rent(provider="command", state="unknown", raw_state="unknown")
    (event,) = scene.see(box(run(), link=OFFLINE, rent=unknown), seconds=400)
    assert told == [] and event.text.endswith("if it runs, it bills $3.48/h")
    old = rent(rate_now=Rate(), age_s=2 * HOUR)
    down = box(run(), price_per_hour=3.48, link=OFFLINE, rent=old)
    (event,) = Scene().see(down, seconds=400)
    assert event.text.endswith("still billing $3.48/h (API: running 2h00m ago)")


def test_when_no_box_answers_it_may_be_this_machine() -> None:
    scene = Scene()
    boxes = box(run()), replace(box(run()), name="other")
    scene.see(*boxes)
    told = scene.see(*(replace(one, link=OFFLINE) for one in boxes), seconds=400)
    assert kinds(told) == ["unreachable", "unreachable"]
    assert all(event.text.endswith("is this machine online?") for event in told)


def test_a_lost_packet_and_a_link_that_reconnects_are_no_alarm() -> None:
    scene = Scene()
    scene.see(box(run()))
    for _ in range(20):
        assert scene.see(box(run(), link=LinkView("stale", 31.0)), seconds=120) == []
        assert scene.see(box(run()), seconds=10) == []


def test_a_laptop_that_slept_takes_no_box_for_lost() -> None:
    scene = Scene()
    scene.see(box(run()))
    for _ in range(5):
        scene.sleep(8 * HOUR)
        assert scene.see(box(run(), link=LinkView("stale", 8 * HOUR)), seconds=240) == []
    assert scene.see(box(run())) == []


def test_boxtop_that_stood_still_takes_no_box_for_lost() -> None:
    scene = Scene()
    scene.see(box(run()))
    scene.see(box(run(), link=OFFLINE), seconds=200)
    scene.wall += 600
    scene.awake += 600
    assert scene.see(box(run(), link=OFFLINE), seconds=200) == []


def test_a_link_that_flaps_is_told_once() -> None:
    scene = Scene()
    scene.see(box(run()))
    told = []
    for _ in range(10):
        told += scene.see(box(run(), link=OFFLINE), seconds=400)
        told += scene.see(box(run()), seconds=60)
    assert kinds(told) == ["unreachable"]
    scene.see(box(run()), seconds=700)
    assert kinds(scene.see(box(run(), link=OFFLINE), seconds=400)) == ["unreachable"]


def test_a_box_that_never_answered_is_no_alarm_unless_it_bills() -> None:
    assert Scene().see(box(link=OFFLINE, price_per_hour=1.0), seconds=HOUR) == []
    told = Scene().see(box(link=OFFLINE, rent=rent()), seconds=HOUR)
    assert kinds(told) == ["unreachable"]


def test_a_box_that_is_stopped_is_no_alarm_unless_it_was_at_work() -> None:
    scene = Scene()
    scene.see(box(run("stopped"), rent=rent()))
    off = rent(state="stopped", raw_state="exited", rate_now=Rate(0.07, "reported"))
    assert scene.see(box(run("stopped"), rent=off, link=OFFLINE), seconds=HOUR) == []
    scene = Scene()
    scene.see(box(run(), rent=rent()))
    (event,) = scene.see(box(run(), rent=off, link=OFFLINE), seconds=HOUR)
    assert event.text == "lab was at work, and vast says it is exited"
    scene = Scene()
    scene.see(box(run(), rent=rent()))
    own = replace(off, ended_here=True)
    assert scene.see(box(run(), rent=own, link=OFFLINE), seconds=HOUR) == []


def test_what_a_provider_said_in_an_earlier_session_is_no_word_of_now() -> None:
    scene = Scene()
    scene.see(box(run()))
    before = rent(state="stopped", listed_at=None)
    (event,) = scene.see(box(run(), rent=before, link=OFFLINE), seconds=400)
    assert "does not answer" in event.text and "API" not in event.text
    assert Scene().see(lasts(5 * HOUR, listed_at=None), seconds=300) == []


def lasts(seconds: float, **changes: object) -> BoxView:
    runway = Runway(seconds, 3.48)
    return box(run(eta_s=10 * HOUR), rent=rent(runway=runway, credit=5.0, **changes))


def test_credit_that_ends_before_training_is_told_once() -> None:
    scene = Scene()
    (event,) = scene.see(lasts(5 * HOUR), seconds=300)
    assert event.kind == "runway"
    assert event.text == "vast's credit ends before training does: in 5h00m, ETA 10h00m"
    for left in (12.0, 9.0, 13.0, 8.0):
        assert scene.see(lasts(left * HOUR), seconds=600) == []


def test_credit_is_told_within_a_day_and_again_when_it_gets_short() -> None:
    scene = Scene()
    assert scene.see(lasts(30 * HOUR), seconds=300) == []
    assert kinds(scene.see(lasts(20 * HOUR), seconds=300)) == ["runway"]
    assert kinds(scene.see(lasts(9 * HOUR), seconds=300)) == ["runway"]


def test_boxes_of_one_account_are_one_alarm() -> None:
    views = [replace(lasts(5 * HOUR), name=f"box{n}") for n in range(4)]
    assert kinds(Scene().see(*views, seconds=300)) == ["runway"]


def test_a_contract_that_ends_is_told() -> None:
    view = box(run(eta_s=2 * HOUR), rent=rent(contract_end=NOW + HOUR))
    (event,) = Scene().see(view, seconds=120)
    assert event.text.startswith("lab: contract ends before training does")


def push(number: int, state: str, *, automatic: bool, where: str = "org/run12") -> TransferView:
    names = ("best.pt",)
    return TransferView(
        *(number, "push", "lab", "/root/runs/run12", "run12", names, where, state, "401: no"),
        automatic=automatic,
    )


def test_a_push_that_failed_is_told_and_one_by_itself_once_until_one_arrives() -> None:
    scene = Scene()
    failed = [push(1, "failed", automatic=True)]
    (event,) = scene.see(box(run()), transfers=failed)
    assert event.text == "lab run12: push to org/run12 failed: 401: no"
    failed.insert(0, push(2, "failed", automatic=True))
    assert scene.see(box(run()), transfers=failed) == []
    scene.restart()
    assert scene.see(box(run()), transfers=[push(1, "failed", automatic=True)]) == []
    saved = [push(2, "saved", automatic=True)]
    assert scene.see(box(run()), transfers=saved) == []
    assert kinds(scene.see(box(run()), transfers=[push(3, "failed", automatic=True), *saved])) == [
        "push_failed"
    ]


def test_each_push_by_hand_that_failed_is_told() -> None:
    scene = Scene()
    first = push(1, "failed", automatic=False)
    assert kinds(scene.see(box(run()), transfers=[first])) == ["push_failed"]
    second = push(2, "failed", automatic=False)
    assert kinds(scene.see(box(run()), transfers=[second, first])) == ["push_failed"]
    waiting = push(3, "waiting", automatic=False)
    assert scene.see(box(run()), transfers=[waiting, second, first]) == []
