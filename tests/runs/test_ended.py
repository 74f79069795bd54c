"""The record that boxtop ended a training: it speaks of that training and of no other."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.runs.build import NOW, status
from tui.runs.decode import instant
from tui.runs.ended import Ended, EndedFile
from tui.runs.proofs import NAME, ProofFile

PID = 4242
BEGAN = instant("2026-11-30T00:00:00+00:00")


def of_pid(pid: int = PID, **fields: object) -> bytes:
    fields.setdefault("started_at", "2026-11-30T00:00:00+00:00")
    return status(pid=pid, **fields)


def record(at: float = NOW, seen: bool = False) -> Ended:
    return Ended(pid=PID, started_at=BEGAN, at=at, seen=seen)


def test_it_explains_the_training_that_was_told_to_end() -> None:
    assert record().explains(of_pid())
    assert record(seen=True).explains(of_pid())


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"{",
        of_pid(PID + 1),
        of_pid(started_at="2026-11-30T01:59:00+00:00"),
    ],
    ids=["no status", "broken", "another pid", "a later training"],
)
def test_it_explains_no_other(content: bytes | None) -> None:
    assert not record(seen=True).explains(content)


def test_who_went_on_writing_was_not_ended_by_it() -> None:
    later = of_pid(updated_at="2026-11-30T02:10:00+00:00")
    assert not record().explains(later)
    assert record(seen=True).explains(later), "its end was seen: the clock may have been set"


def test_a_run_whose_workers_were_left_is_not_called_stopped() -> None:
    left = Ended(pid=PID, started_at=BEGAN, at=NOW, left=((PID, 5), (PID + 1, 6)))
    assert not left.explains(of_pid())
    slow = Ended(pid=PID, started_at=BEGAN, at=NOW, left=((PID, 5),))
    assert slow.explains(of_pid()), "the training itself may end later from the same signal"


def test_it_is_kept_beside_the_proofs(tmp_path: Path) -> None:
    file = EndedFile(ProofFile(tmp_path / "run" / NAME))
    assert file.record() is None
    file.write(record())
    assert file.record() == record()
    file.write(record(seen=True))
    assert file.record() == record(seen=True)
    assert file.path.parent == tmp_path / "run"
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    file.path.write_text("nonsense")
    assert file.record() is None


def test_the_proofs_of_other_runs_have_other_records(tmp_path: Path) -> None:
    places = [EndedFile(ProofFile(tmp_path / f"{name}.jsonl")).path for name in ("aa", "bb")]
    assert len(set(places)) == 2
