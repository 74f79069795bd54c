"""The gate over real files: a box's shell, copies on this machine, and what the Hub lists."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec import structs

from tests.actions.gated import ONE, TWO, Rented, lab, saved_run
from tests.onbox.checkpoints import checkpoint, make_weights, put, sha256, write_status
from tui.actions.cancel import Cancel
from tui.actions.gate import judge
from tui.actions.gate_eyes import BoxEyes
from tui.actions.gate_gather import gather
from tui.actions.hub_proof import ListedFile
from tui.actions.saving import Saving
from tui.actions.snapshot import Rules, list_weights
from tui.runs.model import Run

__all__ = ["lab"]


def test_a_pulled_run_may_go(lab: Rented) -> None:
    run = lab.run("run1", best=ONE, last=TWO)
    saving = Saving(lab.shell, lab.proofs, rules=Rules(settle=0.1, spare=0))
    assert [one.kind for one in lab.judged().refusals] == ["unsaved", "unsaved"]
    saving.pull(str(run), ["best.pt", "last.pt"], lab.home / "here", lambda _: None, Cancel())
    judgement = lab.judged()
    assert judgement.passes, judgement.refusals
    assert {one.file for one in judgement.proven} == {"best.pt", "last.pt"}


def test_a_box_without_runs_and_a_run_without_weights_may_go(lab: Rented) -> None:
    assert lab.judged().passes
    lab.run("run1")
    (lab.root / "run2").mkdir()
    assert lab.judged().passes


def test_a_copy_that_was_deleted_or_rewritten_with_its_old_time(lab: Rented) -> None:
    saved_run(lab)
    copy = lab.home / "copies" / "run1" / "best.pt"
    before = copy.stat()
    copy.write_bytes(TWO[: len(ONE)].ljust(len(ONE), b"x"))
    os.utime(copy, ns=(before.st_atime_ns, before.st_mtime_ns))
    (text,) = lab.told()
    assert "was saved, but other bytes lie at" in text
    copy.unlink()
    (text,) = lab.told()
    assert text.endswith("it is not there any more")
    copy.mkdir()
    (text,) = lab.told()
    assert text.endswith(("Is a directory", "it is no regular file"))


def test_a_file_rewritten_in_place_with_size_and_time_of_the_saved_one(lab: Rented) -> None:
    run = saved_run(lab)
    file = run / "weights" / "best.pt"
    before = file.stat()
    other = checkpoint(20_000, seed=3)
    assert len(other) == len(ONE)
    file.write_bytes(other)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = file.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    (text,) = lab.told()
    assert "best.pt" in text and "saved copy of epoch 3" in text


def test_copies_on_this_machine_go_with_it_when_it_is_the_box(lab: Rented) -> None:
    saved_run(lab)
    lab.same_machine = None
    judgement = lab.judged()
    if not Path("/proc/sys/kernel/random/boot_id").exists():
        pytest.skip("nothing tells this machine from another")
    assert [one.kind for one in judgement.refusals] == ["unsaved", "unsaved"]
    assert "it lies on this very box" in judgement.refusals[0].text
    assert judgement.offers == ("push", "override")


def test_the_hub_counts_as_it_lists_now(lab: Rented) -> None:
    run = lab.run("run1", best=ONE)
    lab.save(run, "best.pt", ONE, "hf://my-org/run1/a/best.pt")
    assert "no token" in lab.told()[0]
    lab.listed = {}
    assert lab.told()[0].endswith("the Hub does not list it any more")
    entry = ListedFile("a/best.pt", len(ONE), "0" * 40, sha256(ONE))
    lab.listed = {"a/best.pt": entry}
    assert lab.judged().passes
    lab.listed = {"a/best.pt": ListedFile("a/best.pt", len(ONE), "0" * 40, sha256(TWO))}
    assert "other bytes lie at hf://my-org/run1/a/best.pt" in lab.told()[0]
    lab.listed = {"a/best.pt": ListedFile("a/best.pt", len(ONE), "0" * 40)}
    assert lab.told()[0].endswith("the Hub tells no sha256 of it")


def test_a_run_that_the_view_hides_and_weights_without_a_status(lab: Rented) -> None:
    saved_run(lab)
    lab.run("hidden", followed=False, best=ONE)
    make_weights(lab.root / "a" / "b" / "bare", last=TWO)
    judgement = lab.judged()
    assert [(Path(one.path or "").name, one.kind) for one in judgement.refusals] == [
        ("hidden", "unsaved"),
        ("bare", "maybe_alive"),
        ("bare", "unsaved"),
    ]


def test_a_hidden_run_that_trains(lab: Rented) -> None:
    write_status(make_weights(lab.root / "live"), state="running")
    assert [one.kind for one in lab.judged().refusals] == ["alive"]


def test_a_training_that_began_again_where_the_view_saw_a_dead_one(lab: Rented) -> None:
    write_status(saved_run(lab), state="running")
    assert [one.kind for one in lab.judged().refusals] == ["alive"]


def test_a_training_that_began_again_with_the_pid_of_the_one_before(lab: Rented) -> None:
    run = saved_run(lab)
    write_status(run, state="running", pid=os.getpid())
    lab.followed[0] = structs.replace(lab.followed[0], pid=os.getpid())
    assert [one.kind for one in lab.judged().refusals] == ["alive"]


def test_the_best_behind_hundreds_of_newer_checkpoints(lab: Rented) -> None:
    run = saved_run(lab)
    put(run / "weights" / "best.pt", checkpoint(20_000, seed=4), age=9000)
    for number in range(230):
        put(run / "weights" / f"epoch_{number}.pt", b"x")
    assert [(one.kind, one.file) for one in lab.judged().refusals] == [("unsaved", "best.pt")]
    names = ["best.pt", "../best.pt", "none.pt"]
    found = {one.name: one for one in list_weights(lab.shell, str(run), full=True, names=names)}
    assert found["best.pt"].complete and found["best.pt"].sha256
    assert not found["../best.pt"].complete and not found["none.pt"].complete


def test_where_there_is_neither_best_nor_last_the_newest_counts(lab: Rented) -> None:
    run = lab.run("run1", epoch_10=ONE)
    put(run / "weights" / "epoch_20.pt", TWO, age=5)
    assert [(one.kind, one.file) for one in lab.judged().refusals] == [("unsaved", "epoch_20.pt")]


def test_other_checkpoints_stand_against_nothing_and_are_named(lab: Rented) -> None:
    run = saved_run(lab)
    assert lab.judged().warnings == ()
    put(run / "weights" / "average.pt", TWO, age=1)
    for number in range(1, 4):
        put(run / "weights" / f"epoch_{number}.pt", TWO, age=100 - number)
    judgement = lab.judged()
    assert judgement.passes
    assert judgement.warnings == (
        "run1: average.pt, epoch_3.pt, epoch_2.pt and 1 more would go, too: "
        "whether they are saved was not looked at",
    )


def test_half_a_file_and_one_that_is_none(lab: Rented) -> None:
    run = saved_run(lab)
    put(run / "weights" / "last.pt", TWO[:-30])
    assert "no complete checkpoint (no end record)" in lab.told()[0]
    put(run / "weights" / "last.pt", b"")
    assert "no complete checkpoint (0 bytes)" in lab.told()[0]
    (run / "weights" / "last.pt").unlink()
    (run / "weights" / "last.pt").symlink_to(lab.home / "elsewhere.pt")
    (lab.home / "elsewhere.pt").write_bytes(TWO)
    assert "leads out of the weights" in lab.told()[0]


def test_a_file_that_was_written_this_moment_gets_its_time(lab: Rented) -> None:
    run = saved_run(lab)
    put(run / "weights" / "last.pt", TWO, age=0)
    assert lab.told() == ["run1: last.pt (21 KB) cannot be checked: it is being written"]
    assert lab.waited == [2.5, 2.5]


def test_weights_that_are_a_link_to_nowhere(lab: Rented) -> None:
    run = lab.run("run1")
    (run / "weights").rmdir()
    (run / "weights").symlink_to(lab.home / "unmounted")
    (text,) = lab.told()
    assert text.endswith("weights: it is a link that leads nowhere")


def test_a_run_whose_directory_vanished(lab: Rented) -> None:
    lab.followed.append(Run(id="gone", path=str(lab.root / "gone"), pid_alive=False))
    (text,) = lab.told()
    assert text == "gone: its weights cannot be checked: its directory is not there any more"


def test_one_run_that_two_ways_lead_to_is_judged_once(lab: Rented) -> None:
    run = lab.run("run1", best=ONE)
    (lab.root / "other").symlink_to(run)
    lab.save(run, "best.pt", ONE, lab.home / "copy.pt")
    lab.followed.insert(0, Run(id="other", path=str(lab.root / "other"), pid_alive=None))
    judgement = lab.judged()
    assert [one.kind for one in judgement.refusals] == ["maybe_alive"]
    assert len(judgement.proven) == 1


def test_real_places_decide_what_a_stop_loses(lab: Rented, tmp_path: Path) -> None:
    run = lab.run("run1", best=ONE)
    outside = tmp_path / "outside"
    (run / "weights").rename(outside)
    (run / "weights").symlink_to(outside)
    eyes = BoxEyes(lab.shell, lab.view, lab.proofs, [str(lab.root)])

    def loses(path: str) -> bool:
        return not path.startswith(str(lab.root))

    facts = gather("lab", eyes, loses=loses, same_machine=False)
    assert [one.kind for one in judge(facts, "stop", loses).refusals] == ["unsaved"]
    kept = gather("lab", eyes, loses=lambda path: False, same_machine=False)
    assert judge(kept, "stop", lambda path: False).passes
    assert [one.kind for one in judge(kept, "destroy").refusals] == ["unlisted"]
