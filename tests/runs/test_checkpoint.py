"""Complete checkpoints are told from torn, mixed and foreign ones, without unpickling."""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runs.build import CASES
from tui.runs.checkpoint import CheckpointCheck, check

GOOD = (CASES / "HF-02" / "weights" / "best.pt").read_bytes()


def checked(path: Path, *, full: bool = True) -> CheckpointCheck:
    with path.open("rb") as file:
        return check(file, full=full)


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("HF-01/best_epoch11.pt", None),
        ("HF-01/best_epoch12.pt", None),
        ("HF-01/best_midwrite.pt", "no end record"),
        ("HF-01/best_mixed.pt", "CRC differs in data.pkl"),
        ("HF-02/weights/best.pt", None),
        ("HF-02/weights/last.pt", "no end record"),
        ("HF-02/weights/epoch_10.pt", "0 bytes"),
    ],
)
def test_the_recorded_checkpoints(name: str, reason: str | None, full: bool) -> None:
    assert checked(CASES / name, full=full) == CheckpointCheck(reason is None, reason)


def test_one_wrong_byte_is_found_by_the_full_check() -> None:
    torn = bytearray(GOOD)
    torn[len(GOOD) // 2] ^= 0xFF
    assert not check(io.BytesIO(torn)).complete
    assert (check(io.BytesIO(torn)).reason or "").startswith("CRC differs in ")


def test_other_files_are_no_checkpoints() -> None:
    assert check(io.BytesIO(pickle.dumps({"a": 1}))).reason == "no zip archive"
    assert check(io.BytesIO(b"<html>")).reason == "no zip archive"
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("readme.txt", "hello")
    assert check(other).reason == "no data.pkl"


def test_nothing_of_a_checkpoint_is_ever_unpickled(tmp_path: Path) -> None:
    trap = tmp_path / "trap"

    class Trap:
        def __reduce__(self) -> tuple[object, tuple[Path]]:
            return Path.touch, (trap,)

    path = tmp_path / "last.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(Trap()))
    assert checked(path).complete
    assert not trap.exists()


@pytest.mark.parametrize("full", [True, False])
@given(length=st.integers(0, len(GOOD) - 1))
def test_no_beginning_of_a_checkpoint_is_complete(full: bool, length: int) -> None:
    assert not check(io.BytesIO(GOOD[:length]), full=full).complete


@given(st.integers(0, len(GOOD) - 1), st.integers(1, 255))
def test_damage_never_raises(at: int, flip: int) -> None:
    damaged = bytearray(GOOD)
    damaged[at] ^= flip
    found = check(io.BytesIO(damaged))
    assert found.complete == (found.reason is None)


@given(st.binary(max_size=200))
def test_bytes_of_any_kind_never_raise(data: bytes) -> None:
    assert not check(io.BytesIO(b"PK\x03\x04" + data)).complete
