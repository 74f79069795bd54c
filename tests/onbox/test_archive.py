"""One reading gives CRCs and hash, and no archive costs more than its size."""

from __future__ import annotations

import io
import struct
import threading
import zipfile

import pytest

from tests.onbox.checkpoints import checkpoint, sha256
from tui.onbox import archive
from tui.onbox.archive import digest, examine, reason


def test_one_reading_gives_both_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "PIECE", 1000)
    data = checkpoint(50_000)
    told: list[int] = []
    found = examine(io.BytesIO(data), told.append)
    assert found == (len(data), sha256(data), None)
    assert told[-1] == len(data)
    assert len(told) == -(-len(data) // 1000)
    assert digest(io.BytesIO(data)) == (len(data), sha256(data))


@pytest.mark.parametrize("piece", [1, 7, 64, 4096])
def test_a_wrong_byte_is_found_whatever_the_pieces(
    piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "PIECE", piece)
    data = bytearray(checkpoint(2000))
    assert examine(io.BytesIO(data)).reason is None
    data[1500] ^= 1
    assert str(examine(io.BytesIO(data)).reason).startswith("CRC differs in ")


def test_large_archives_are_understood() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as zipped:
        with zipped.open("a/data.pkl", "w", force_zip64=True) as member:
            member.write(b"x" * 100)
        zipped.writestr("a/data/0", b"y" * 100)
    assert reason(file) is None
    assert examine(file).reason is None
    assert reason(io.BytesIO(as_zip64(file.getvalue()))) is None


def test_headers_without_sizes_are_understood() -> None:
    """Torch writes such: the sizes and the CRC stand behind the bytes."""

    class Stream(io.RawIOBase):
        def __init__(self) -> None:
            self.data = b""

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:  # type: ignore[override]
            self.data += bytes(data)
            return len(data)

    stream = Stream()
    with zipfile.ZipFile(stream, "w") as zipped:
        zipped.writestr("a/data.pkl", b"x" * 100)
        zipped.writestr("a/data/0", b"y" * 100)
    assert stream.data[6] & 8
    assert examine(io.BytesIO(stream.data)).reason is None
    torn = stream.data.replace(b"y" * 100, b"y" * 99 + b"z")
    assert reason(io.BytesIO(torn)) is None
    assert examine(io.BytesIO(torn)).reason == "CRC differs in data/0"


def as_zip64(data: bytes) -> bytes:
    """Return an archive with the end records that more than 4 GB would need."""
    count, length, start = struct.unpack("<HII", data[-12:-2])
    at = len(data) - 22
    record = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, length, start)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, at, 1)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 2**32 - 1, 2**32 - 1, 0)
    return data[:at] + record + locator + end


def test_compressed_members_are_refused_unread() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("a/data.pkl", b"\0" * 10_000_000)
    assert reason(file) == "data.pkl is compressed, which torch never does"


def test_members_that_share_bytes_are_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as zipped:
        zipped.writestr("a/data.pkl", b"x" * 5000)
        info = zipped.infolist()[0]
        zipped.filelist.extend([info] * 1000)
    assert reason(file) == "data.pkl is cut short"


def test_a_directory_without_end_is_refused() -> None:
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 9, 9, 17_000_000, 4, 0)
    data = b"PK\3\4" + bytes(17_000_000) + end
    assert reason(io.BytesIO(data)) == "directory damaged: it does not fit its end record"


def test_stopping_leaves_no_thread() -> None:
    class Enough(Exception):
        pass

    def stop(done: int) -> None:
        raise Enough

    before = threading.active_count()
    with pytest.raises(Enough):
        examine(io.BytesIO(checkpoint()), stop)
    assert threading.active_count() == before
