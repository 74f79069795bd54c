"""What the gate makes of a box that answers oddly, late, in part or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec import structs

from tests.actions.gated import ONE, TWO, Rented, lab, saved_run
from tests.onbox.checkpoints import sha256
from tests.onbox.shells import ScriptedShell
from tests.onbox.test_standalone import PYTHONS, OtherPython
from tui.actions.errors import ActionError
from tui.actions.gate import judge
from tui.actions.gate_eyes import BoxEyes, hub_place, seen_copy
from tui.actions.gate_gather import Pace, gather
from tui.actions.gate_proofs import KeptProofs
from tui.actions.gate_survey import Survey, survey
from tui.actions.snapshot import Weight
from tui.facts import RunFound
from tui.onbox.gate import Search
from tui.runs.mirrors import Mirrors
from tui.runs.proofs import ProofFile, unmirrored_proof_file
from tui.view import BoxView, LinkState, LinkView

__all__ = ["lab"]


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


def test_a_hash_of_what_was_not_read_to_its_end_counts_for_nothing(lab: Rented) -> None:
    saved_run(lab)

    class Hasty(BoxEyes):
        def weights(self, run: str, names: Sequence[str]) -> Sequence[Weight]:
            return [structs.replace(one, complete=None) for one in super().weights(run, names)]

    eyes = Hasty(lab.shell, lab.view, lab.proofs, [str(lab.root)])
    facts = gather("lab", eyes, same_machine=False, pace=Pace(sleep=lab.waited.append))
    assert [one.kind for one in judge(facts, "destroy").refusals] == ["unreadable", "unreadable"]


def test_a_slow_disk_makes_no_look_too_old(lab: Rented) -> None:
    saved_run(lab)
    now = [100.0]

    class Slow(BoxEyes):
        def survey(self, runs: Sequence[str], *, widely: bool = False) -> Survey:
            now[0] += 40.0
            return super().survey(runs, widely=widely)

    eyes = Slow(lab.shell, lab.view, lab.proofs, [str(lab.root)])
    pace = Pace(clock=lambda: now[0], sleep=lab.waited.append)
    judgement = judge(gather("lab", eyes, same_machine=False, pace=pace), "destroy")
    assert judgement.passes and judgement.allows(now[0])
