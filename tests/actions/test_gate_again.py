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
from tui.actions.gate_facts import Seen
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
        (rewritten, None),
        (lambda copy: copy.rename(copy.with_name("moved")), "it is not there any more"),
    ],
)
def test_a_copy_that_goes_or_changes_after_it_was_hashed_does_not_count(
    lab: Rented, change: Callable[[Path], object], told: str | None
) -> None:
    saved_run(lab)
    copy = lab.home / "copies" / "run1" / "best.pt"
    assert judged(lab, lambda: None).passes
    (refusal,) = judged(lab, lambda: change(copy)).refusals
    assert (refusal.kind, refusal.file) == ("unsaved", "best.pt")
    why = f"the copy at {copy} does not count: {told}" if told else f"other bytes lie at {copy} now"
    assert refusal.text.endswith(why)


def backed_up(copy: Path) -> None:
    """Touch a copy as who makes a backup does: a second link, and other permissions."""
    copy.with_name("backup").unlink(missing_ok=True)
    copy.with_name("backup").hardlink_to(copy)
    copy.chmod(0o600)


def test_a_copy_that_is_backed_up_meanwhile_counts(lab: Rented) -> None:
    saved_run(lab)
    copies = lab.home / "copies" / "run1"
    assert judged(lab, lambda: [backed_up(copies / name) for name in ("best.pt", "last.pt")]).passes


@pytest.mark.parametrize("times", [1, 9])
def test_a_copy_that_is_touched_while_it_is_hashed_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    copy, digest = tmp_path / "best.pt", archive.digest
    copy.write_bytes(ONE)
    touches = [*range(times)]

    def hashed(file: object) -> tuple[int, str]:
        found = digest(file)  # type: ignore[arg-type]
        if touches:
            os.utime(copy, (touches[0], touches.pop()))
        return found

    monkeypatch.setattr(archive, "digest", hashed)
    assert seen_copy(str(copy)) == Seen(len(ONE), sha256(ONE))


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


@pytest.mark.parametrize("times", [1, 9])
def test_a_copy_that_is_replaced_while_it_is_hashed_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    copy, digest = tmp_path / "best.pt", archive.digest
    copy.write_bytes(ONE)
    fresh = [bytes([number]) * 100 for number in range(times)]

    def hashed(file: object) -> tuple[int, str]:
        found = digest(file)  # type: ignore[arg-type]
        if fresh:
            (tmp_path / "fresh").write_bytes(fresh.pop())
            (tmp_path / "fresh").replace(copy)
        return found

    monkeypatch.setattr(archive, "digest", hashed)
    if times == 1:
        assert seen_copy(str(copy)).sha256 == sha256(bytes(100))
        return
    with pytest.raises(ActionError, match="it changed while it was read"):
        seen_copy(str(copy))
