"""Runs outside of the roots that are watched: the gate finds them, and lets none of them go."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.actions.gated import ONE, TWO, Rented, lab, saved_run
from tests.onbox.checkpoints import make_weights, write_status
from tui.actions.gate import Judgement, judge
from tui.actions.gate_eyes import BoxEyes, seen_earlier
from tui.actions.gate_facts import BoxFacts, RunFacts
from tui.actions.gate_gather import gather
from tui.actions.gate_survey import Survey
from tui.actions.gate_words import name_of, searched_texts
from tui.boxes import Box, SshTarget
from tui.facts import RunFound
from tui.onbox.elsewhere import LIMIT_SECONDS, Sweep
from tui.runs.mirrors import Mirrors

__all__ = ["lab"]

MARKERS = frozenset([b"status.json", b"results.csv"])


def ended(run: Path) -> Path:
    write_status(run, state="completed", pid=None)
    return run


def facts_of(lab: Rented, earlier: Sequence[str] = ()) -> BoxFacts:
    eyes = BoxEyes(lab.shell, lab.view, lab.proofs, [str(lab.root)], None, earlier)
    return gather("lab", eyes, same_machine=False)


def judged(lab: Rented, earlier: Sequence[str] = ()) -> Judgement:
    return judge(facts_of(lab, earlier), "destroy")


def test_a_run_at_home_that_no_root_leads_to_has_to_be_saved(lab: Rented, home: Path) -> None:
    saved_run(lab)
    run = ended(make_weights(home / "LibreYOLO" / "runs" / "detect" / "exp", best=TWO))
    (refusal,) = judged(lab).refusals
    assert (refusal.kind, refusal.path, refusal.file) == ("unsaved", str(run), "best.pt")
    assert "/detect/exp: best.pt" in refusal.text
    lab.save(run, "best.pt", TWO, lab.home / "copies" / "exp.pt")
    assert judged(lab).passes


def test_of_a_long_path_the_end_is_said() -> None:
    run = RunFacts("/p", "/workspace/" + "long/" * 40 + "run7", None)
    assert len(name_of(run)) == 80
    assert name_of(run).startswith("…") and name_of(run).endswith("/long/run7")
    assert name_of(RunFacts("/p", "run7", None)) == "run7"


def test_a_run_far_below_a_root_at_home_has_to_be_saved(lab: Rented, home: Path) -> None:
    deep = home / "runs" / "a" / "b" / "c" / "d" / "e" / "f" / "g"
    ended(make_weights(deep, best=ONE))
    assert [one.path for one in judged(lab).refusals] == [str(deep)]


def aged(run: Path, hours: float) -> None:
    """Let everything of a run be so old."""
    then = time.time() - hours * 3600
    for path in [*run.iterdir(), *(run / "weights").iterdir()]:
        os.utime(path, (then, then))


@pytest.mark.parametrize(("hours", "may_live"), [(13, False), (11, True), (-1, True)])
def test_a_killed_training_that_nobody_watched_lives_no_more_after_half_a_day(
    lab: Rented, hours: float, may_live: bool
) -> None:
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    run = make_weights(lab.root / "old", best=ONE)
    write_status(run, state="running", pid=gone.pid)
    lab.save(run, "best.pt", ONE, lab.home / "copies" / "best.pt")
    aged(run, hours)
    assert [one.kind for one in judged(lab).refusals] == ["maybe_alive"] * may_live


def test_a_training_that_lives_is_alive_however_long_it_wrote_nothing(lab: Rented) -> None:
    run = make_weights(lab.root / "slow", best=ONE)
    write_status(run, state="running")
    lab.save(run, "best.pt", ONE, lab.home / "copies" / "best.pt")
    aged(run, 48)
    assert [one.kind for one in judged(lab).refusals] == ["alive"]


def test_who_writes_a_run_lives_whatever_its_status_says(lab: Rented) -> None:
    run = saved_run(lab)  # completed, and its process is gone: another trains in its directory
    (run / "train.log").touch()
    with (run / "train.log").open("rb"):
        assert judged(lab).passes
    with (run / "train.log").open("ab"):
        assert [one.kind for one in judged(lab).refusals] == ["alive"]
    assert judged(lab).passes


def test_a_run_that_is_found_twice_is_judged_once(
    lab: Rented, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = saved_run(lab)
    monkeypatch.setenv("HOME", str(lab.home))
    (found,) = facts_of(lab).runs
    assert (found.path, found.trouble) == (str(run), None)


def test_a_run_of_an_earlier_day_counts_as_long_as_it_is_there(lab: Rented, tmp_path: Path) -> None:
    run = ended(make_weights(tmp_path / "data" / "exp", best=ONE))
    assert judged(lab).passes
    (refusal,) = judged(lab, [str(run)]).refusals
    assert (refusal.kind, refusal.path) == ("unsaved", str(run))
    shutil.rmtree(run)
    assert judged(lab, [str(run)]).passes
    run.mkdir()
    assert judged(lab, [str(run)]).passes


def test_the_mirror_of_a_box_knows_its_runs_below_every_root(tmp_path: Path) -> None:
    box = Box("lab", "root@lab", SshTarget("lab"), ("/root/runs",))
    mirror = Mirrors(tmp_path).box(box.kept_as, box.text)
    mirror.claim()
    mirror.run(RunFound(path="/data/exp", id="exp", root="/data"))
    mirror.release()
    assert seen_earlier(tmp_path, box) == ("/data/exp",)
    assert seen_earlier(tmp_path / "other", box) == ()


def test_other_peoples_weights_and_what_is_hidden_are_no_runs(lab: Rented, home: Path) -> None:
    make_weights(home / "some-repository", best=ONE)
    ended(make_weights(home / ".cache" / "run1", best=ONE))
    ended(make_weights(home / "lib" / "site-packages" / "samples" / "run1", best=ONE))
    ended(make_weights(home / "nothing"))
    (home / "loop").symlink_to(home)
    assert judged(lab).passes


@pytest.mark.parametrize("name", ["last.pt", "fresh.pt"])
def test_who_writes_weights_lives_whatever_the_status_says(lab: Rented, name: str) -> None:
    run = saved_run(lab)
    with (run / "weights" / name).open("ab"):
        assert "alive" in [one.kind for one in judged(lab).refusals]
    if name == "last.pt":
        assert judged(lab).passes


def test_the_disks_that_were_searched_besides_are_named() -> None:
    told = [*searched_texts(("/data", "/mnt"), ("/data",))]
    assert told == [
        "looked for runs below /data, /mnt, too, and for trainings at work anywhere",
        "/data: not all of it was searched for runs",
    ]
    assert [*searched_texts((), ())] == []


class Hurried(BoxEyes):
    """Eyes that had no time to look everywhere."""

    def survey(self, runs: Sequence[str], *, widely: bool = False) -> Survey:
        found = super().survey(runs, widely=widely)
        return Survey(found.places, found.troubles, found.same_machine, ("/root",) * widely)


def test_a_place_that_was_not_searched_to_its_end_is_a_note(lab: Rented) -> None:
    saved_run(lab)
    eyes = Hurried(lab.shell, lab.view, lab.proofs, [str(lab.root)])
    judgement = judge(gather("lab", eyes, same_machine=False), "destroy")
    assert judgement.passes
    assert judgement.warnings == ("/root: not all of it was searched for runs",)


def test_a_search_elsewhere_ends_when_it_met_too_much(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.onbox.elsewhere.MAX_DIRECTORIES", 2)
    for number in range(5):
        (home / str(number)).mkdir()
    sweep = Sweep(MARKERS, frozenset())
    assert sweep.below(os.fsencode(home)) == []
    assert sweep.partly == [os.fsencode(home)]


def test_of_a_directory_full_of_data_only_the_beginning_is_read(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.onbox.elsewhere.MAX_ENTRIES", 3)
    for number in range(9):
        (home / "train2017" / str(number)).mkdir(parents=True)
    ended(make_weights(home / "run1", best=ONE))
    ticks = iter(range(1000))
    sweep = Sweep(MARKERS, frozenset(), lambda: next(ticks) / 1000)
    assert sweep.below(os.fsencode(home)) == [os.fsencode(home / "run1")]
    assert sweep.partly == []


def test_a_search_elsewhere_ends_when_its_time_is_over(home: Path) -> None:
    ended(make_weights(home / "a" / "run1", best=ONE))
    late = iter([0.0, 0.0, LIMIT_SECONDS + 1.0])
    sweep = Sweep(MARKERS, frozenset(), lambda: next(late))
    assert sweep.below(os.fsencode(home)) == []
    assert sweep.partly == [os.fsencode(home)]
