"""The gate, tried to fail: each way of losing weights is refused in the right words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tui.actions.gate import FRESH_SECONDS, Judgement, judge
from tui.actions.gate_facts import BoxFacts, BoxFile, FoundRun, RunFacts, Seen, Witness
from tui.money import DOCUMENTED, survives_stop
from tui.runs.model import Run
from tui.runs.proofs import Proof

NOW, OLD = "a" * 64, "b" * 64
SIZE = 107_374_182
COMMIT = "c" * 40
HUB = "hf://my-org/run1/weights/best.pt"
HERE = "/home/me/weights/run1/best.pt"


def proof(sha256: str = NOW, *, hub: bool = True, epoch: int | None = 52, at: float = 1.0) -> Proof:
    return Proof(
        name="best.pt",
        where=HUB if hub else HERE,
        sha256=sha256,
        bytes=SIZE,
        at=at,
        commit=COMMIT if hub else None,
        epoch=epoch,
        mtime=1.0,
    )


def witness(sha256: str = NOW, *, hub: bool = True, epoch: int | None = 52) -> Witness:
    return Witness(proof(sha256, hub=hub, epoch=epoch), Seen(SIZE, sha256))


def best(*witnesses: Witness, sha256: str | None = NOW, epoch: int | None = 52) -> BoxFile:
    return BoxFile("best.pt", "whole", SIZE, sha256, None, epoch, witnesses)


def run1(*files: BoxFile, alive: bool | None = False, place: str = "/root/runs/run1") -> RunFacts:
    return RunFacts(place, "run1", alive, (place, f"{place}/weights"), files)


def box(*runs: RunFacts) -> BoxFacts:
    return BoxFacts("lab", 100.0, runs)


def refused(facts: BoxFacts, kind: str) -> str:
    """Judge a destroy, and return the words of its one refusal, which the name alone overrides."""
    judgement = judge(facts, "destroy")
    assert [one.kind for one in judgement.refusals] == [kind]
    assert not judgement.passes and not judgement.allows(100.0)
    assert not judgement.allows(100.0, "LAB") and not judgement.allows(100.0, "")
    assert judgement.allows(100.0, "lab")
    assert judgement.offers[-1] == "override"
    return judgement.refusals[0].text


@pytest.mark.parametrize("hub", [True, False], ids=["hub", "here"])
def test_it_passes_when_each_checkpoint_is_saved_as_it_is_now(hub: bool) -> None:
    judgement = judge(box(run1(best(witness(hub=hub)))), "destroy")
    assert judgement.passes and judgement.allows(100.0) and judgement.offers == ()
    (proven,) = judgement.proven
    assert (proven.where, proven.sha256, proven.size) == (HUB if hub else HERE, NOW, SIZE)
    assert proven.text == f"run1: best.pt (102 MB, epoch 52) is saved at {HUB if hub else HERE}"


def test_a_judgement_grows_old() -> None:
    judgement = judge(box(), "destroy")
    assert judgement.allows(100.0 + FRESH_SECONDS)
    assert not judgement.allows(100.1 + FRESH_SECONDS) and not judgement.allows(99.0)


def test_never_saved() -> None:
    text = refused(box(run1(best())), "unsaved")
    assert text == "run1: best.pt (102 MB, epoch 52) is saved nowhere: 52 epochs would be lost"
    (one,) = judge(box(run1(best())), "destroy").refusals
    assert (one.size, one.epochs, one.offers) == (SIZE, 52, ("push", "pull", "override"))
    assert (one.run, one.path, one.file) == ("run1", "/root/runs/run1", "best.pt")


def test_saved_and_trained_on_since() -> None:
    text = refused(box(run1(best(witness(OLD, epoch=40)))), "unsaved")
    assert text == (
        "run1: best.pt (102 MB, epoch 52) has 12 epochs more than its saved copy of epoch 40 "
        f"at {HUB}"
    )
    assert judge(box(run1(best(witness(OLD, epoch=40)))), "destroy").refusals[0].epochs == 12


def test_rewritten_with_the_same_size_and_epoch() -> None:
    text = refused(box(run1(best(witness(OLD)))), "unsaved")
    assert "was written again since its saved copy of epoch 52" in text


def test_the_local_copy_is_gone() -> None:
    gone = Witness(proof(hub=False), None, "it is not there any more")
    text = refused(box(run1(best(gone))), "unsaved")
    assert text.endswith(f"the copy at {HERE} does not count: it is not there any more")


def test_the_local_copy_is_another_file_now() -> None:
    other = Witness(proof(hub=False), Seen(SIZE, OLD))
    assert f"other bytes lie at {HERE} now" in refused(box(run1(best(other))), "unsaved")
    shorter = Witness(proof(hub=False), Seen(SIZE - 1, NOW))
    assert "other bytes" in refused(box(run1(best(shorter))), "unsaved")


def test_bytes_that_nobody_saw_saved_there_do_not_count() -> None:
    put_there = Witness(proof(OLD, hub=False), Seen(SIZE, NOW))
    assert "other bytes lie at" in refused(box(run1(best(put_there))), "unsaved")


def test_the_hub_does_not_list_it_any_more_or_cannot_be_asked() -> None:
    for reason in ("the Hub does not list it any more", "the Hub cannot be reached"):
        text = refused(box(run1(best(Witness(proof(), None, reason)))), "unsaved")
        assert text.endswith(reason)


def test_a_proof_that_was_not_looked_at_again_is_worth_nothing() -> None:
    assert "does not count" in refused(box(run1(best(Witness(proof())))), "unsaved")
    kept = replace(witness(), reason="the answer was cut")
    refused(box(run1(best(kept))), "unsaved")


def test_a_commit_that_is_none_is_no_commit() -> None:
    nameless = Witness(Proof(**{**_fields(proof()), "commit": "main"}), Seen(SIZE, NOW))
    refused(box(run1(best(nameless))), "unsaved")


def _fields(one: Proof) -> dict[str, object]:
    return {name: getattr(one, name) for name in one.__struct_fields__}


def test_copies_on_the_box_itself_are_no_help() -> None:
    facts = replace(box(run1(best())), copies_count=False)
    assert judge(facts, "destroy").offers == ("push", "override")


def test_half_a_file() -> None:
    damaged = BoxFile("last.pt", "damaged", SIZE, None, "no end record")
    text = refused(box(run1(damaged)), "damaged")
    assert text == (
        "run1: last.pt (102 MB) is no complete checkpoint (no end record): it cannot be saved"
    )
    assert judge(box(run1(damaged)), "destroy").offers == ("override",)


def test_a_damaged_file_is_not_excused_by_a_proof_of_its_bytes() -> None:
    refused(box(run1(replace(best(witness()), state="damaged"))), "damaged")


@pytest.mark.parametrize("reason", ["it is being written", "permission denied: best.pt", None])
def test_a_file_that_cannot_be_read(reason: str | None) -> None:
    unread = BoxFile("best.pt", "unknown", SIZE, None, reason, None, (witness(),))
    text = refused(box(run1(unread)), "unreadable")
    assert text.startswith("run1: best.pt (102 MB) cannot be checked: ")
    assert text.endswith(reason or "not told")


def test_a_whole_file_without_a_hash_or_a_size_is_not_known() -> None:
    for odd in (best(witness(), sha256=None), replace(best(witness()), size=None)):
        refused(box(run1(odd)), "unreadable")


def test_an_empty_file_is_no_checkpoint_that_anything_proves() -> None:
    empty = Proof(**{**_fields(proof()), "bytes": 0})
    file = replace(best(Witness(empty, Seen(0, NOW))), size=0)
    assert judge(box(run1(file)), "destroy").refusals


def test_alive_and_perhaps_alive() -> None:
    saved = best(witness())
    assert "its process is still alive" in refused(box(run1(saved, alive=True)), "alive")
    text = refused(box(run1(saved, alive=None)), "maybe_alive")
    assert text == "run1: nobody can tell that its training has ended"
    assert judge(box(run1(saved, alive=True)), "destroy").offers == ("kill", "override")


def test_weights_that_cannot_be_listed() -> None:
    text = refused(box(replace(run1(), trouble="permission denied: weights")), "unlisted")
    assert text == "run1: its weights cannot be checked: permission denied: weights"


def test_a_box_that_cannot_be_reached() -> None:
    facts = BoxFacts("lab", 100.0, (run1(),), unreachable="timed out")
    assert refused(facts, "unreachable") == "cannot check lab: timed out; last seen there: run1"
    nothing = BoxFacts("lab", 100.0, unreachable="timed out")
    assert refused(nothing, "unreachable") == "cannot check lab: timed out"


def test_a_place_that_cannot_be_looked_at() -> None:
    text = refused(replace(box(), unseen=("/root/runs/old: Permission denied",)), "unseen")
    assert text == "cannot look everywhere for runs: /root/runs/old: Permission denied"


def test_every_run_counts_and_one_saved_file_saves_no_other() -> None:
    last = replace(best(witness(OLD)), name="last.pt")
    hidden = RunFacts("/root/runs/old", "/root/runs/old", None, ("/root/runs/old",), (best(),))
    judgement = judge(box(run1(best(witness()), last), hidden), "destroy")
    assert [(one.run, one.kind, one.file) for one in judgement.refusals] == [
        ("run1", "unsaved", "last.pt"),
        ("/root/runs/old", "maybe_alive", None),
        ("/root/runs/old", "unsaved", "best.pt"),
    ]
    assert judgement.offers == ("push", "pull", "again", "override")
    assert len(judgement.proven) == 1


def test_a_box_without_a_name_has_no_override() -> None:
    judgement = judge(replace(box(run1(best())), box=""), "destroy")
    assert not judgement.allows(100.0, "")


def test_what_a_box_says_is_made_harmless() -> None:
    evil = replace(run1(best()), name="run\x1b[2J\nX", trouble="hf_secretsecret \x1b]0;x\x07")
    judgement = judge(box(evil), "destroy")
    assert all("\x1b" not in one.text and "\n" not in one.text for one in judgement.refusals)
    assert "secretsecret" not in str(judgement)[: str(judgement).find("path=")]
    assert all("secretsecret" not in one.text for one in judgement.refusals)


def runpod(path: str) -> bool | None:
    survives = survives_stop(path, DOCUMENTED["runpod"])
    return None if survives is None else not survives


def stop(*runs: RunFacts) -> Judgement:
    return judge(box(*runs), "stop", runpod)


def test_a_stop_is_judged_only_where_it_loses_the_runs_place() -> None:
    assert not stop(run1(best())).passes
    assert stop(run1(best(), place="/workspace/runs/run1")).passes
    assert judge(box(run1(best())), "stop", lambda path: False).passes
    assert not judge(box(run1(best())), "stop", lambda path: None).passes
    assert not judge(box(run1(best())), "stop").passes
    assert not judge(box(run1(best(), place="/workspace/run1")), "destroy", runpod).passes


def test_a_run_whose_weights_are_a_link_out_of_the_kept_place_is_judged() -> None:
    linked = replace(
        run1(best(), place="/workspace/run1"), places=("/workspace/run1", "/root/weights")
    )
    assert not stop(linked).passes
    assert not stop(replace(linked, places=())).passes


def test_a_stop_of_a_live_run_on_a_kept_disk_is_a_warning() -> None:
    judgement = stop(run1(best(), alive=True, place="/workspace/run1"))
    assert judgement.passes
    assert judgement.warnings == (
        "run1 is training: a stop ends it; what it wrote stays on the box's disk",
    )


def test_a_box_that_cannot_be_reached_may_be_stopped_where_its_whole_disk_is_kept() -> None:
    facts = BoxFacts("lab", 100.0, unreachable="timed out", unseen=("/x: denied",))
    assert judge(facts, "stop", lambda path: False).passes
    assert not judge(facts, "stop", runpod).passes
    assert not judge(facts, "destroy", lambda path: False).passes


@pytest.mark.parametrize(
    ("pid_alive", "state", "alive"),
    [
        (True, "running", True),
        (True, "completed", True),
        (False, "running", False),
        (None, "completed", False),
        (None, "failed", False),
        (None, "running", None),
        (None, None, None),
        (None, "paused", None),
    ],
)
def test_only_a_process_that_is_gone_or_a_last_word_means_dead(
    pid_alive: bool | None, state: str | None, alive: bool | None
) -> None:
    run = Run(id="run1", path="/r", pid_alive=pid_alive, reported_state=state, pid=7, epoch=3)
    assert FoundRun.of(run) == FoundRun("/r", "run1", alive, state, 7, 3)
