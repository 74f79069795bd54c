"""Copies and commits that go while the gate looks at the rest: what is gone by its end is lost."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.actions.gated import COMMIT, ONE, TWO, Rented, lab, saved_run
from tests.onbox.checkpoints import sha256
from tui.actions.errors import ActionError
from tui.actions.gate import Judgement, judge
from tui.actions.gate_eyes import BoxEyes, seen_copy
from tui.actions.gate_gather import gather
from tui.actions.gate_survey import Survey
from tui.actions.hub_problem import HubError, HubProblem
from tui.actions.hub_proof import ListedFile
from tui.onbox import archive

__all__ = ["lab"]


def judged(lab: Rented, meanwhile: Callable[[], object]) -> Judgement:
    """Judge a box; something happens after its weights were read, before the last look ends."""

    class Eyes(BoxEyes):
        def survey(self, runs: Sequence[str], *, widely: bool = False) -> Survey:
            found = super().survey(runs, widely=widely)
            if not widely:
                meanwhile()
            return found

    eyes = Eyes(lab.shell, lab.view, lab.proofs, [str(lab.root)], lab.listed and lab.listing)
    return judge(gather("lab", eyes, same_machine=False), "destroy")


def rewritten(copy: Path) -> None:
    """Write other bytes of the same size, and set the old time again."""
    before = copy.stat()
    copy.write_bytes(TWO[: len(ONE)])
    os.utime(copy, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (Path.unlink, "it is not there any more"),
        (rewritten, "it changed since"),
        (lambda copy: copy.rename(copy.with_name("moved")), "it is not there any more"),
    ],
)
def test_a_copy_that_goes_or_changes_after_it_was_hashed_does_not_count(
    lab: Rented, change: Callable[[Path], object], told: str
) -> None:
    saved_run(lab)
    copy = lab.home / "copies" / "run1" / "best.pt"
    assert judged(lab, lambda: None).passes
    (refusal,) = judged(lab, lambda: change(copy)).refusals
    assert (refusal.kind, refusal.file) == ("unsaved", "best.pt")
    assert refusal.text.endswith(f"the copy at {copy} does not count: {told}")


@pytest.mark.parametrize("gone", ["the file", "the commit"])
def test_a_commit_that_goes_while_weights_are_read_does_not_count(lab: Rented, gone: str) -> None:
    run = lab.run("run1", best=ONE)
    lab.save(run, "best.pt", ONE, "hf://my-org/run1/best.pt")
    lab.listed = {"best.pt": ListedFile("best.pt", len(ONE), "0" * 40, sha256(ONE))}
    assert lab.judged().passes
    asked: list[str] = []
    listing = lab.listing

    def once(repo: str, paths: Sequence[str], commit: str) -> list[ListedFile]:
        asked.append(commit)
        if len(asked) == 1:
            return listing(repo, paths, commit)
        if gone == "the file":
            return []
        raise HubError(HubProblem("missing", f"{repo} has no such commit"))

    lab.listing = once  # type: ignore[method-assign]
    (text,) = lab.told()
    assert "does not count" in text and asked == [COMMIT, COMMIT]


def test_a_copy_that_is_replaced_while_it_is_hashed_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, digest = tmp_path / "best.pt", archive.digest
    copy.write_bytes(ONE)

    def hashed(file: object) -> tuple[int, str]:
        found = digest(file)  # type: ignore[arg-type]
        (tmp_path / "fresh").write_bytes(TWO)
        (tmp_path / "fresh").replace(copy)
        return found

    monkeypatch.setattr(archive, "digest", hashed)
    with pytest.raises(ActionError, match="it changed while it was read"):
        seen_copy(str(copy))
