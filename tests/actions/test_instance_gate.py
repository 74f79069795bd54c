"""The gate in front of a stop and a destroy: each way of losing weights ends with nothing sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.actions.instances import BEST, ID, NEXT, Rented, lines, words
from tests.actions.plans import a_plan
from tests.onbox.checkpoints import put, write_status
from tests.providers.build import StillClock, make_api
from tests.providers.conftest import served
from tests.providers.fake_runpod import FakeRunPod
from tests.providers.fake_vast import STOPPED, FakeVast
from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.gate import Judgement, Loses, Refusal, judge
from tui.actions.gate_facts import BoxFacts, RunFacts
from tui.actions.instance_gate import check_gate
from tui.actions.instance_plan import Consent, GateRefused
from tui.actions.journal import Entry, Journal
from tui.clock import Clock
from tui.providers import runpod
from tui.providers.base import Instance
from tui.providers.demo import Demo

POD = "abc123pod"


@pytest.fixture
def pods() -> Iterator[FakeRunPod]:
    yield from served(FakeRunPod())


@pytest.fixture
def pod(pods: FakeRunPod, tmp_path: Path) -> Iterator[Rented]:
    clock = StillClock()
    account = runpod.RunPod(make_api("runpod", pods.url, runpod.SPACING, clock))
    yield Rented(account, clock, tmp_path)
    account.close()


def refused(rented: Rented, typed: str | None = "yolo9s") -> GateRefused:
    """Try to destroy it, and return why that was refused."""
    plan = rented.plan("destroy", ID)
    with pytest.raises(GateRefused) as caught:
        rented.act(plan, typed)
    return caught.value


def test_saved_weights_let_a_destroy_through_with_their_proof(
    rented: Rented, fake: FakeVast
) -> None:
    rented.save(rented.run())
    plan = rented.plan("destroy", ID)
    assert plan.needs == "name" and not plan.refused
    assert "gate: run1: best.pt" in lines(plan) and "is saved at" in lines(plan)
    fake.allow("destroy", ID)
    assert rented.act(plan, "yolo9s").outcome == "done"
    asked, done = rented.journal
    proven = {one["file"]: one for one in asked.asked["gate"]["proven"]}
    assert set(proven) == {"best.pt", "last.pt"} and len(proven["best.pt"]["sha256"]) == 64
    assert done.asked["override"] is None and done.outcome == "done"


def test_a_look_before_this_machine_slept_lets_nothing_through(
    rented: Rented, monkeypatch: pytest.MonkeyPatch
) -> None:
    rented.save(rented.run())
    plan = rented.plan("destroy", ID)
    steady, slept = Clock.steady, [0.0]
    monkeypatch.setattr(Clock, "steady", lambda self: steady(self) + slept[0])
    add = Journal.add

    def slow(self: Journal, entry: Entry) -> None:
        slept[0] = 3600.0
        add(self, entry)

    monkeypatch.setattr(Journal, "add", slow)
    report = rented.act(plan, "yolo9s")
    assert report.outcome == "refused" and "the look at it is too old" in words(report)


def test_unsaved_weights_refuse_a_destroy(rented: Rented) -> None:
    rented.run()
    plan = rented.plan("destroy", ID)
    assert "saved nowhere: 3 epochs would be lost" in lines(plan) or "saved nowhere" in lines(plan)
    assert "what helps: push the weights now, pull them now, or type yolo9s" in lines(plan)
    error = refused(rented)
    assert [one.kind for one in error.judgement.refusals] == ["unsaved", "unsaved"]
    assert "2 things stand against a destroy" in str(error)
    assert error.hint == "what helps: boxtop push, boxtop pull"
    assert rented.journal == []


def test_weights_written_again_since_they_were_saved(rented: Rented) -> None:
    run = rented.run()
    rented.save(run)
    put(run / "weights" / "last.pt", NEXT)
    (refusal,) = refused(rented).judgement.refusals
    assert refusal.file == "last.pt" and "saved" in refusal.text


def test_weights_that_are_written_between_the_dialog_and_the_typed_name(rented: Rented) -> None:
    run = rented.run()
    rented.save(run)
    plan = rented.plan("destroy", ID)
    assert not plan.refused
    put(run / "weights" / "best.pt", NEXT)
    with pytest.raises(GateRefused):
        rented.act(plan, "yolo9s")
    with pytest.raises(GateRefused, match="not what was agreed to: run1: best") as caught:
        rented.act(plan, "yolo9s", lose=True)
    assert caught.value.changed


def test_a_training_that_lives(rented: Rented) -> None:
    run = rented.run(alive=True)
    rented.save(run)
    (refusal,) = refused(rented).judgement.refusals
    assert refusal.kind == "alive" and "still alive" in refusal.text


def test_a_damaged_checkpoint_and_a_run_that_nobody_follows(rented: Rented) -> None:
    rented.save(rented.run())
    put(rented.run("run2") / "weights" / "best.pt", BEST[:1000])
    rented.run("hidden")
    rented.followed.pop()
    kinds = {
        (one.run or "").rsplit("/", 1)[-1]: one.kind for one in refused(rented).judgement.refusals
    }
    assert set(kinds) == {"run2", "hidden"}
    assert "damaged" in {one.kind for one in refused(rented).judgement.refusals}


def test_a_copy_that_is_not_there_any_more(rented: Rented) -> None:
    rented.save(rented.run())
    (rented.home / "copies" / "run1" / "best.pt").unlink()
    (refusal,) = refused(rented).judgement.refusals
    assert refusal.text.endswith("it is not there any more")


def test_a_box_that_cannot_be_reached(rented: Rented, fake: FakeVast) -> None:
    rented.unreachable = "connection refused"
    plan = rented.plan("destroy", ID)
    assert "cannot check lab: connection refused" in lines(plan)
    with pytest.raises(GateRefused):
        rented.act(plan, "yolo9s")
    rented.unreachable = "timed out"
    fake.allow("destroy", ID)
    assert rented.act(plan, "yolo9s", lose=True).outcome == "done"
    assert rented.journal[-1].asked["override"] == "yolo9s"


def test_a_box_that_answers_again_has_to_be_looked_at(rented: Rented) -> None:
    rented.run()
    rented.unreachable = "connection refused"
    plan = rented.plan("destroy", ID)
    rented.unreachable = None
    with pytest.raises(GateRefused, match="not what was agreed to") as caught:
        rented.act(plan, "yolo9s", lose=True)
    assert caught.value.changed


def test_a_stopped_box_is_not_even_asked(rented: Rented, fake: FakeVast) -> None:
    rented.save(rented.run())
    fake.rows[0].update(STOPPED)
    plan = rented.plan("destroy", ID)
    assert "cannot check yolo9s: it is stopped" in lines(plan)
    assert "last seen there: run1" in lines(plan)
    assert "what helps: start it and look again" in lines(plan)
    assert rented.looks == 0
    with pytest.raises(GateRefused):
        rented.act(plan, "yolo9s")
    fake.allow("destroy", ID)
    assert rented.act(plan, "yolo9s", lose=True).well


def test_the_typed_name_loses_what_was_listed_and_the_journal_keeps_it(
    rented: Rented, fake: FakeVast
) -> None:
    run = rented.run()
    plan = rented.plan("destroy", ID)
    for typed in (None, "lab", "yolo9"):
        with pytest.raises(ActionError, match="was not touched"):
            rented.act(plan, typed, lose=True)
    write_status(run, state="completed", pid=None, completed_epochs=4, start_epoch=1)
    put(run / "weights" / "last.pt", NEXT)
    fake.allow("destroy", ID)
    assert rented.act(plan, "yolo9s", lose=True).outcome == "done"
    asked = rented.journal[0].asked
    assert asked["override"] == "yolo9s" and len(asked["gate"]["refusals"]) == 2


def test_a_stop_that_keeps_the_disk_needs_no_saved_weights(rented: Rented, fake: FakeVast) -> None:
    rented.run(alive=True)
    plan = rented.plan("stop", ID)
    told = lines(plan)
    assert plan.needs == "yes" and "is training: a stop ends it" in told
    assert told.index("is training: a stop ends it") < told.index("GPU: ")
    fake.allow("stop", ID)
    looks = rented.looks
    assert rented.act(plan).well and rented.looks == looks


def test_a_training_that_began_while_a_stop_was_asked_for_is_not_ended(
    rented: Rented, fake: FakeVast, monkeypatch: pytest.MonkeyPatch
) -> None:
    rented.run()
    plan = rented.plan("stop", ID)
    rented.run("run2", alive=True)
    steady = Clock.steady
    monkeypatch.setattr(Clock, "steady", lambda self: steady(self) + 60.0)
    with pytest.raises(GateRefused, match=r"not what was agreed to: run2 is training") as caught:
        rented.act(plan)
    assert caught.value.changed and rented.journal == []
    fake.allow("stop", ID)
    assert rented.act(rented.plan("stop", ID)).well


def training(alive: bool | None, **more: Any) -> RunFacts:  # noqa: ANN401
    return RunFacts("/runs/run1", "run1", alive, ("/runs/run1",), **more)


@pytest.mark.parametrize(("shown", "now"), [(True, None), (None, True)])
def test_a_training_that_was_shown_is_the_same_when_it_is_known_better_or_worse(
    shown: bool | None, now: bool | None
) -> None:
    then, later = (
        judge(BoxFacts("lab", at, (training(alive),)), "stop", lambda _: False)
        for at, alive in ((1.0, shown), (60.0, now))
    )
    assert check_gate(a_plan("stop", then), later, Consent()).judgement is later


def test_more_checkpoints_of_a_training_are_no_other_loss_than_was_agreed_to() -> None:
    then, later = (
        judge(BoxFacts("lab", at, (training(True, others=("1.pt",), others_count=count),)), "stop")
        for at, count in ((1.0, 1), (60.0, 2))
    )
    consent = Consent("yolo9s", lose_weights=True)
    assert check_gate(a_plan("stop", then), later, consent).typed == "yolo9s"


def test_a_stop_is_sent_all_the_same_when_its_box_answers_no_more(
    rented: Rented, fake: FakeVast, monkeypatch: pytest.MonkeyPatch
) -> None:
    rented.run()
    plan = rented.plan("stop", ID)
    rented.unreachable = "no answer"
    steady = Clock.steady
    monkeypatch.setattr(Clock, "steady", lambda self: steady(self) + 60.0)
    fake.allow("stop", ID)
    assert rented.act(plan).well


def test_a_stop_that_wipes_the_runs_path_is_refused_like_a_destroy(pod: Rented) -> None:
    run = pod.run()
    plan = pod.plan("stop", POD)
    assert plan.needs == "name"
    assert f"a stop DELETES run1 ({run})" in lines(plan)
    assert "Type" not in lines(plan)
    with pytest.raises(ActionError, match="was not touched: nothing was typed"):
        pod.act(plan)
    with pytest.raises(GateRefused, match="2 things stand against a stop"):
        pod.act(plan, "yolo")


def test_a_stop_whose_weights_are_saved_needs_a_yes_alone(pod: Rented, pods: FakeRunPod) -> None:
    pod.save(pod.run())
    plan = pod.plan("stop", POD)
    assert plan.needs == "yes"
    pods.allow("stop", POD)
    assert pod.act(plan).well
    assert len(pod.journal[0].asked["gate"]["proven"]) == 2


def test_weights_that_appear_after_a_yes_to_a_stop_that_wipes_them(pod: Rented) -> None:
    plan = pod.plan("stop", POD)
    assert plan.needs == "yes" and "no weights were found" in lines(plan)
    pod.run()
    with pytest.raises(GateRefused):
        pod.act(plan)


def test_an_instance_that_boxtop_itself_runs_on(
    rented: Rented, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAST_CONTAINERLABEL", f"C.{ID}")
    rented.unreachable = "no answer"
    plan = rented.plan("destroy", ID)
    assert plan.here and "boxtop itself runs on this instance" in lines(plan)


def test_the_demo_can_be_played_to_its_end(tmp_path: Path) -> None:
    clock = StillClock()
    demo = Rented(Demo(clock=clock), clock, tmp_path)
    demo.run()
    ids = {one.name: one.id for one in demo.provider.list().instances}
    taken, free = ids["demo-4090"], ids["demo-a100"]
    assert demo.act(demo.plan("stop", taken)).well
    assert demo.act(demo.plan("start", taken)).outcome == "queued"
    assert demo.act(demo.plan("stop", taken)).well
    started = demo.act(demo.plan("start", taken))
    assert started.well and f"demo-4090 (demo {taken}) runs" in words(started)
    plan = demo.plan("destroy", free)
    with pytest.raises(GateRefused):
        demo.act(plan, "demo-a100")
    assert demo.act(plan, "demo-a100", lose=True).outcome == "done"


PATHS = st.sampled_from(["/runs/a", "/runs/b"])
FILES = st.sampled_from(["best.pt", "last.pt"])
KINDS = st.sampled_from(["unsaved", "alive", "maybe_alive", "damaged", "unreadable", "unreachable"])
REFUSALS = st.lists(
    st.builds(
        lambda kind, path, file, text: Refusal(kind, text, ("override",), path, path, file),
        KINDS,
        PATHS,
        FILES,
        st.sampled_from(["epoch 1", "epoch 2"]),
    ),
    max_size=4,
)


@given(REFUSALS, REFUSALS, st.booleans(), st.sampled_from([None, "yolo9s", ID, "other"]))
@settings(max_examples=300)
def test_nothing_passes_that_was_neither_proven_nor_agreed_to(
    shown: list[Refusal], found: list[Refusal], lose: bool, typed: str | None
) -> None:
    plan = a_plan("destroy", Judgement("lab", "destroy", 0.0, tuple(shown)))
    now = Judgement("lab", "destroy", 1.0, tuple(found))
    known = {(one.kind, one.path, one.file) for one in shown}
    agreed = lose and typed in ("yolo9s", ID)
    may = not found or (agreed and all((one.kind, one.path, one.file) in known for one in found))
    try:
        passed = check_gate(plan, now, Consent(typed, lose))
    except GateRefused as error:
        assert not may and error.judgement is now
    else:
        assert may and passed.typed == (typed if found else None)
        assert passed.allows(1.0)


def test_a_stop_that_loses_what_is_in_memory_asks_for_the_name_and_looks_again(
    rented: Rented, fake: FakeVast
) -> None:
    run = rented.run()
    real = rented.look

    def in_memory(instance: Instance, loses: Loses | None, cancel: Cancel) -> BoxFacts:
        facts = real(instance, None, cancel)
        moved = tuple(replace(one, places=("/dev/shm/runs/run1",)) for one in facts.runs)
        return replace(facts, runs=moved)

    rented.look = in_memory  # type: ignore[method-assign]
    plan = rented.plan("stop", ID)
    assert plan.needs == "name" and plan.refused
    assert "a stop DELETES run1" in lines(plan)
    with pytest.raises(ActionError):
        rented.act(plan)
    with pytest.raises(GateRefused):
        rented.act(plan, "yolo9s")
    rented.save(run)
    fake.allow("stop", ID)
    assert rented.act(plan, "yolo9s").outcome == "done"
