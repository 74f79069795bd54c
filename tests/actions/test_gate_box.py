"""The gate over real files: a box's shell, copies on this machine, and what the Hub lists."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.onbox.checkpoints import checkpoint, make_weights, put, sha256, write_status
from tests.onbox.shells import ScriptedShell
from tests.onbox.test_standalone import PYTHONS, OtherPython
from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.gate import Judgement, judge
from tui.actions.gate_eyes import BoxEyes, hub_place, seen_copy
from tui.actions.gate_gather import Pace, gather
from tui.actions.gate_proofs import KeptProofs
from tui.actions.gate_survey import survey
from tui.actions.hub_problem import HubError, HubProblem
from tui.actions.hub_proof import ListedFile
from tui.actions.saving import Saving
from tui.actions.shell import LocalShell, Shell
from tui.actions.snapshot import Rules, list_weights
from tui.facts import RunFound
from tui.onbox.gate import Search
from tui.runs.mirrors import Mirrors
from tui.runs.model import Run
from tui.runs.proofs import Proof, ProofFile, unmirrored_proof_file
from tui.view import BoxView, LinkState, LinkView, RunView

ONE, TWO = checkpoint(20_000, seed=1), checkpoint(20_000, seed=2)
COMMIT = "c" * 40


@dataclass
class Rented:
    """A box that is this machine, judged as if it were another."""

    home: Path
    shell: Shell = field(default_factory=LocalShell)
    link: LinkState = "live"
    followed: list[Run] = field(default_factory=list)
    listed: dict[str, ListedFile] | None = None
    same_machine: bool | None = False
    waited: list[float] = field(default_factory=list)

    @property
    def root(self) -> Path:
        return self.home / "runs"

    def run(self, name: str, *, followed: bool = True, **files: bytes) -> Path:
        """Make a run that completed, and whose process is gone."""
        path = make_weights(self.root / name, **files)
        write_status(path, state="completed", pid=None, completed_epochs=3, start_epoch=1)
        if followed:
            facts = Run(id=name, path=str(path), reported_state="completed", pid_alive=False)
            self.followed.append(facts)
        return path

    def proofs(self, run: str) -> ProofFile:
        return ProofFile(self.home / "proofs" / Path(run).name)

    def view(self) -> BoxView:
        runs = tuple(RunView(run, None, None, None) for run in self.followed)  # type: ignore[arg-type]
        return BoxView("lab", "lab", LinkView(self.link), runs, searched=(str(self.root),))

    def listing(self, repo: str, paths: Sequence[str], commit: str) -> list[ListedFile]:
        assert self.listed is not None
        if commit != COMMIT:
            raise HubError(HubProblem("missing", f"{repo} has no such commit"))
        return [self.listed[path] for path in paths if path in self.listed]

    def save(self, run: Path, name: str, data: bytes, where: Path | str) -> None:
        """Keep a proof, as a push or a pull does, and a copy where it is one of this machine."""
        if isinstance(where, Path):
            where.parent.mkdir(parents=True, exist_ok=True)
            where.write_bytes(data)
        proof = Proof(
            name=name,
            where=str(where),
            sha256=sha256(data),
            bytes=len(data),
            at=1.0,
            commit=COMMIT if isinstance(where, str) else None,
            epoch=3,
            mtime=(run / "weights" / name).stat().st_mtime,
        )
        self.proofs(str(run)).add([proof])

    def judged(self) -> Judgement:
        listing = None if self.listed is None else self.listing
        eyes = BoxEyes(self.shell, self.view, self.proofs, [str(self.root)], listing)
        pace = Pace(sleep=self.waited.append)
        facts = gather("lab", eyes, same_machine=self.same_machine, pace=pace)
        return judge(facts, "destroy")

    def told(self) -> list[str]:
        return [one.text for one in self.judged().refusals]


@pytest.fixture
def lab(tmp_path: Path) -> Rented:
    (tmp_path / "runs").mkdir()
    return Rented(tmp_path)


def saved_run(lab: Rented, name: str = "run1") -> Path:
    run = lab.run(name, best=ONE, last=TWO)
    lab.save(run, "best.pt", ONE, lab.home / "copies" / name / "best.pt")
    lab.save(run, "last.pt", TWO, lab.home / "copies" / name / "last.pt")
    return run


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


@pytest.mark.parametrize("link", ["stale", "offline", "refused", "connecting"])
def test_a_link_that_is_down_is_no_look(lab: Rented, link: LinkState) -> None:
    saved_run(lab)
    lab.link = link
    (text,) = lab.told()
    assert text == f"cannot check lab: its link is {link}"


def test_a_box_that_answers_nonsense_or_nothing(lab: Rented) -> None:
    for says in ('{M}{"place":{"path":1},"re":1}\n', '{M}{"error":{"kind":"x"},"re":1}\n', ""):
        lab.shell = ScriptedShell('\n{M}{"hello":1}\n', says, "")
        (one,) = lab.judged().refusals
        assert one.kind == "unreachable" and one.text.startswith("cannot check lab: ")


def test_bytes_that_were_saved_under_another_name_of_the_box_are_saved(
    lab: Rented, tmp_path: Path
) -> None:
    run = saved_run(lab)
    best, last = lab.proofs(str(run)).all()
    lab.proofs(str(run)).path.unlink()
    data, copy = tmp_path / "data", Path(best.where)
    mirror = Mirrors(data).box("203.0.113.7:41022", "root@203.0.113.7 -p 41022")
    mirror.claim()
    mirror.proofs(mirror.run(RunFound(path="/data/exp", id="exp", root="/data"))).add([best])
    mirror.release()
    unmirrored_proof_file(data, "other", "/exp").add([last])

    def refused() -> list[str | None]:
        roots, kept = [str(lab.root)], KeptProofs(data)
        eyes = BoxEyes(lab.shell, lab.view, lab.proofs, roots, None, (), kept)
        judgement = judge(gather("lab", eyes, same_machine=False), "destroy")
        return [one.file for one in judgement.refusals]

    assert refused() == []
    copy.write_bytes(TWO)
    assert refused() == ["best.pt"]


def test_nobody_knows_where_runs_lie(lab: Rented) -> None:
    eyes = BoxEyes(lab.shell, lambda: BoxView("lab", "lab", LinkView("live")), lab.proofs)
    facts = gather("lab", eyes, same_machine=False)
    assert facts.unreachable == "nobody knows where runs lie on this box"


def test_odd_names_and_the_home_directory(lab: Rented, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = "-rf $(touch pwned) 'q' \"d\"\nline \udcff"
    lab.run(odd, followed=False, best=ONE)
    monkeypatch.setenv("HOME", str(lab.home))
    found = survey(lab.shell, [], ["~/runs", "/nowhere"])
    assert [place.path for place in found.places] == [str(lab.root / odd)]
    assert found.troubles == ()
    assert all("\n" not in text for text in lab.told())


def test_a_directory_that_cannot_be_read_is_told(
    lab: Rented, monkeypatch: pytest.MonkeyPatch
) -> None:
    denied = [lab.root / name for name in ("own", "lost+found")]
    for path in denied:
        path.mkdir()
    scan = os.scandir

    def scandir(path: bytes) -> object:
        if Path(os.fsdecode(path)) in denied:
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    values = {"runs": [], "pruned": [], "markers": [], "depth": 3}
    search = Search({**values, "roots": [str(lab.root), str(denied[0])]})
    assert search.paths() == []
    assert search.troubles == [(os.fsencode(denied[0]), "Permission denied", False)]
    asked = Search({**values, "roots": [str(denied[0])]})
    asked.paths()
    assert asked.troubles == [(os.fsencode(denied[0]), "Permission denied", True)]


def test_a_search_has_an_end_and_says_so(lab: Rented, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.onbox.gate.MAX_DIRECTORIES", 3)
    for number in range(5):
        (lab.root / str(number)).mkdir()
    search = Search({"runs": [], "roots": [str(lab.root)], "pruned": [], "markers": [], "depth": 3})
    search.paths()
    assert [reason for _, reason, _ in search.troubles] == ["too many directories"]


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: path.parents[1].name)
def test_the_search_runs_with_each_python(lab: Rented, python: Path) -> None:
    if tuple(map(int, python.parents[1].name.split(".")[:2])) < (3, 8):
        pytest.skip("too old, which is told")
    run = lab.run("run1", best=ONE)
    found = survey(OtherPython(python), [], [str(lab.root)])
    assert [(place.path, place.weights) for place in found.places] == [(str(run), "there")]
    assert [entry.name for entry in found.places[0].files] == ["best.pt"]


def test_places_at_the_hub() -> None:
    assert hub_place("hf://my-org/run1/a/b.pt") == ("my-org/run1", "a/b.pt")
    for odd in ("hf://my-org/run1", "hf:///x/y", "/home/x/y/z", "hf://a//c"):
        with pytest.raises(ActionError):
            hub_place(odd)


def test_a_copy_whose_path_is_none(tmp_path: Path) -> None:
    with pytest.raises(ActionError):
        seen_copy("a\0b")
    (tmp_path / "copy").write_bytes(ONE)
    assert seen_copy(str(tmp_path / "copy")).sha256 == sha256(ONE)


def test_a_run_without_a_place_for_proofs_has_none(lab: Rented) -> None:
    saved_run(lab)

    def nowhere(run: str) -> ProofFile:
        raise LookupError(run)

    eyes = BoxEyes(lab.shell, lab.view, nowhere, [str(lab.root)])
    facts = gather("lab", eyes, same_machine=False, pace=Pace(sleep=lab.waited.append))
    assert [one.kind for one in judge(facts, "destroy").refusals] == ["unsaved", "unsaved"]
