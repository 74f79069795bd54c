"""Pushes whose end is not known, as views have them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tui.runs.pending import PendingFile, PendingPush, Sent
from tui.runs.proofs import ProofFile
from tui.watch.unsettled import Unsettled

NOW = 1796004000.0


def push(job: str, at: float) -> PendingPush:
    sent = (
        Sent("best.pt", "best.pt", 9, "0" * 64, 1.0, 1),
        Sent("status.json", "status.json", 9, "0" * 64, 1.0, 1, checkpoint=False),
    )
    return PendingPush(job, "lab", "/root/runs/run1", "my-org/run1", "box", at, sent)


def test_they_come_with_their_age_and_go(tmp_path: Path) -> None:
    proofs = ProofFile(tmp_path / "run1" / "saved.jsonl")
    unsettled = Unsettled(proofs)
    assert unsettled.views(NOW) == ()
    pending = PendingFile(proofs)
    pending.add(push("b", NOW - 10))
    pending.add(push("a", NOW - 5))
    seen = unsettled.views(NOW)
    assert [(one.to, one.names, one.age_s) for one in seen] == [
        ("my-org/run1", ("best.pt",), 10.0),
        ("my-org/run1", ("best.pt",), 5.0),
    ]
    pending.remove("b")
    assert [one.at for one in unsettled.views(NOW)] == [NOW - 5]


def test_the_directory_is_read_only_when_it_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proofs = ProofFile(tmp_path / "saved.jsonl")
    PendingFile(proofs).add(push("a", NOW))
    os.utime(tmp_path, (1.0, 1.0))
    unsettled = Unsettled(proofs)
    assert len(unsettled.views(NOW)) == 1
    with monkeypatch.context() as blind:
        blind.delattr(PendingFile, "all")
        assert len(unsettled.views(NOW + 3)) == 1
    PendingFile(proofs).remove("a")
    assert unsettled.views(NOW) == ()
