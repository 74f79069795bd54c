"""What is worth a proof that was kept under another name of the box, or of another run."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec import structs

from tests.actions.gated import ONE, Rented, lab
from tests.onbox.checkpoints import sha256
from tui.actions.gate import Judgement, judge
from tui.actions.gate_eyes import BoxEyes
from tui.actions.gate_gather import gather
from tui.actions.gate_proofs import KeptProofs
from tui.actions.gate_survey import Survey
from tui.facts import RunFound
from tui.runs.mirrors import Mirrors
from tui.runs.proofs import Proof, ProofFile

__all__ = ["lab"]


@pytest.fixture
def copy(lab: Rented, tmp_path: Path) -> Path:
    """A copy of the one checkpoint of a box, proven under another name of that."""
    lab.run("run1", best=ONE)
    path = tmp_path / "copies" / "best.pt"
    path.parent.mkdir()
    path.write_bytes(ONE)
    proof = Proof(
        name="best.pt", where=str(path), sha256=sha256(ONE), bytes=len(ONE), at=1.0, mtime=1.0
    )
    mirrored(tmp_path / "data", "exp").add([proof])
    return path


def mirrored(data: Path, run: str) -> ProofFile:
    """Where the proofs of a run lie that was mirrored under another name of the box."""
    mirror = Mirrors(data).box("203.0.113.7:41022", "root@203.0.113.7 -p 41022")
    mirror.claim()
    found = mirror.proofs(mirror.run(RunFound(path=f"/data/{run}", id=run, root="/data")))
    mirror.release()
    return found


def judged(lab: Rented, *, same_machine: bool = False) -> Judgement:
    kept = KeptProofs(lab.home / "data")
    eyes = BoxEyes(lab.shell, lab.view, lab.proofs, [str(lab.root)], None, (), kept)
    return judge(gather("lab", eyes, same_machine=same_machine), "destroy")


def truncated(copy: Path) -> None:
    os.truncate(copy, len(ONE) - 1)


def rewritten_with_its_size_and_time(copy: Path) -> None:
    before = copy.stat()
    copy.write_bytes(bytes(len(ONE)))
    os.utime(copy, ns=(before.st_atime_ns, before.st_mtime_ns))


def moved(copy: Path) -> None:
    copy.rename(copy.with_name("elsewhere.pt"))


def replaced_by_a_directory(copy: Path) -> None:
    copy.unlink()
    copy.mkdir()


def replaced_by_a_link_to_nowhere(copy: Path) -> None:
    copy.unlink()
    copy.symlink_to("nowhere")


def test_a_whole_copy_saves_equal_bytes(lab: Rented, copy: Path) -> None:
    assert judged(lab).passes
    assert not judged(lab, same_machine=True).passes


@pytest.mark.parametrize(
    "lose",
    [
        truncated,
        rewritten_with_its_size_and_time,
        moved,
        replaced_by_a_directory,
        replaced_by_a_link_to_nowhere,
    ],
    ids=lambda lose: lose.__name__,
)
def test_a_copy_that_is_not_what_it_was_saves_nothing(
    lab: Rented, copy: Path, lose: Callable[[Path], None]
) -> None:
    lose(copy)
    (refusal,) = judged(lab).refusals
    assert refusal.kind == "unsaved"
    assert "does not count" in refusal.text or "other bytes lie at" in refusal.text


def test_what_is_no_file_is_not_read(lab: Rented, copy: Path) -> None:
    copy.unlink()
    copy.symlink_to("/dev/null")
    (refusal,) = judged(lab).refusals
    assert refusal.text.endswith("it is no regular file")


def test_a_file_that_nobody_ever_proved_saves_nothing(lab: Rented, tmp_path: Path) -> None:
    lab.run("run1", best=ONE)
    (tmp_path / "copies").mkdir()
    (tmp_path / "copies" / "best.pt").write_bytes(ONE)
    claimed = mirrored(tmp_path / "data", "exp").path
    claimed.parent.mkdir(parents=True, exist_ok=True)
    claimed.write_text(json.dumps({"where": str(tmp_path / "copies" / "best.pt")}) + "\n")
    (refusal,) = judged(lab).refusals
    assert refusal.text.endswith("is saved nowhere")


def test_a_mirror_that_goes_away_while_proofs_are_read_ends_no_look(
    lab: Rented, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vanishing = mirrored(lab.home / "data", "a run that another boxtop removes").path.parent
    scandir = os.scandir

    def scanned(path: object = ".") -> object:
        if str(path) == str(vanishing):
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return scandir(path)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "scandir", scanned)
    assert judged(lab).passes


def test_a_run_that_the_box_says_nothing_of_is_not_saved(lab: Rented, copy: Path) -> None:
    class Silent(BoxEyes):
        def survey(self, runs: Sequence[str], *, widely: bool = False) -> Survey:
            return structs.replace(super().survey(runs, widely=widely), places=())

    eyes = Silent(lab.shell, lab.view, lab.proofs, [str(lab.root)])
    (refusal,) = judge(gather("lab", eyes, same_machine=False), "destroy").refusals
    assert refusal.kind == "unlisted" and refusal.text.endswith("the box did not tell of it")
