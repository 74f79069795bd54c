"""A part goes on where it ended, never leaves its directory, and gets its name when proven."""

from __future__ import annotations

import errno
import itertools
import os
import random
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.onbox.checkpoints import checkpoint, sha256
from tui.actions.errors import ActionError
from tui.actions.pull_part import Note, Part, _merged

DATA = checkpoint()
HASH = sha256(DATA)


def part_of(directory: Path, name: str = "best.pt", data: bytes = DATA) -> Part:
    return Part(directory, name, len(data), sha256(data))


def fill(part: Part, block: int = 10_000) -> None:
    for start, end in part.missing(block):
        part.write(start, DATA[start:end])
    part.came(0, len(DATA))


def test_a_part_becomes_the_file_when_it_is_proven(tmp_path: Path) -> None:
    (tmp_path / "best.pt").write_bytes(b"an older one")
    with part_of(tmp_path) as part:
        assert part.done == 0
        fill(part)
        assert (tmp_path / "best.pt").read_bytes() == b"an older one"
        part.prove(lambda done: None)
        assert part.finish() == tmp_path / "best.pt"
    assert (tmp_path / "best.pt").read_bytes() == DATA
    assert [entry.name for entry in tmp_path.iterdir()] == ["best.pt"]


def test_what_came_is_taken_up_for_the_same_bytes_alone(tmp_path: Path) -> None:
    with part_of(tmp_path) as part:
        part.write(50_000, DATA[50_000:60_000])
        part.came(50_000, 60_000)
        part.write(0, DATA[:20_000])
        part.came(0, 20_000)
        part.save_note()
    with part_of(tmp_path) as again:
        assert again.done == 30_000
        assert list(again.missing(25_000)) == [
            (20_000, 45_000),
            (45_000, 50_000),
            (60_000, 85_000),
            (85_000, len(DATA)),
        ]
    with part_of(tmp_path, data=DATA + b"x") as other:
        assert other.done == 0


def test_a_damaged_part_is_thrown_away(tmp_path: Path) -> None:
    with part_of(tmp_path) as part:
        fill(part)
        part.write(5000, b"wrong")
        with pytest.raises(ActionError, match="arrived damaged: its hash is not") as raised:
            part.prove(lambda done: None)
    assert raised.value.kind == "damaged"
    assert not (tmp_path / "best.pt").exists()
    with part_of(tmp_path) as again:
        assert again.done == 0


def test_a_file_that_is_no_checkpoint_is_refused_with_the_right_hash_too(tmp_path: Path) -> None:
    torn = DATA[:-30]
    with Part(tmp_path, "best.pt", len(torn), sha256(torn)) as part:
        part.write(0, torn)
        part.came(0, len(torn))
        with pytest.raises(ActionError, match="arrived damaged: no end record"):
            part.prove(lambda done: None)


@pytest.mark.parametrize("kind", ["symlink", "hardlink", "fifo", "dangling"])
def test_what_lies_in_the_way_leads_nowhere(kind: str, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    directory = tmp_path / "to"
    directory.mkdir()
    for name in ("best.pt.part", "best.pt.part.json", "best.pt.part.json.new"):
        way = directory / name
        if kind == "symlink":
            way.symlink_to(victim)
        elif kind == "dangling":
            way.symlink_to(tmp_path / "new")
        elif kind == "hardlink":
            way.hardlink_to(victim)
        else:
            os.mkfifo(way)
    (directory / "best.pt").symlink_to(victim)
    with part_of(directory) as part:
        fill(part)
        part.save_note()
        part.prove(lambda done: None)
        part.finish()
    assert victim.read_bytes() == b"precious"
    assert not (tmp_path / "new").exists()
    assert (directory / "best.pt").read_bytes() == DATA
    assert not (directory / "best.pt").is_symlink()


def test_a_part_that_was_exchanged_is_not_named(tmp_path: Path) -> None:
    with part_of(tmp_path) as part:
        fill(part)
        (tmp_path / "best.pt.part").unlink()
        (tmp_path / "best.pt.part").write_bytes(b"other")
        with pytest.raises(ActionError, match="somebody put another file in its place"):
            part.finish()
    assert not (tmp_path / "best.pt").exists()


@pytest.mark.parametrize(
    "name", ["../x.pt", "/etc/x.pt", "", ".", "..", ".hidden.pt", "a\0b", "a/b"]
)
def test_a_name_never_leaves_the_directory(name: str, tmp_path: Path) -> None:
    with pytest.raises(ActionError) as raised:
        Part(tmp_path, name, 1, "")
    assert raised.value.kind == "refused"


def test_two_pulls_of_one_file_do_not_mix(tmp_path: Path) -> None:
    with part_of(tmp_path), pytest.raises(ActionError, match="another pull of best") as raised:
        part_of(tmp_path)
    assert raised.value.kind == "busy"
    part_of(tmp_path).close()


def test_the_same_file_is_known_again(tmp_path: Path) -> None:
    with part_of(tmp_path) as part:
        assert not part.is_there()
        (tmp_path / "best.pt").write_bytes(DATA[:-1] + b"x")
        assert not part.is_there()
        (tmp_path / "best.pt").write_bytes(DATA)
        assert part.is_there()


def test_a_full_disk_is_said_in_words_and_keeps_the_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with part_of(tmp_path) as part:
        part.write(0, DATA[:50_000])
        part.came(0, 50_000)
        with monkeypatch.context() as patched:
            patched.setattr(os, "pwrite", full)
            with pytest.raises(ActionError, match=r"no room in .* for best\.pt: ") as raised:
                part.write(50_000, DATA[50_000:])
        part.save_note()
    assert raised.value.kind == "disk_full"
    assert raised.value.hint is not None
    with part_of(tmp_path) as again:
        assert again.done == 50_000


def test_a_file_that_cannot_fit_is_not_begun(tmp_path: Path) -> None:
    with Part(tmp_path, "best.pt", 1 << 60, "") as part, pytest.raises(ActionError) as raised:
        part.need_room()
    assert raised.value.kind == "disk_full"


@given(st.lists(st.tuples(st.integers(-9, 99), st.integers(-9, 99)), max_size=20))
def test_spans_are_those_of_a_set(spans: list[tuple[int, int]]) -> None:
    covered = {at for start, end in spans if 0 <= start < end <= 90 for at in range(start, end)}
    merged = _merged(spans, 90)
    assert {at for start, end in merged for at in range(start, end)} == covered
    assert all(one[1] < two[0] for one, two in itertools.pairwise(merged))


@given(st.binary(max_size=100) | st.just(msgspec.json.encode(Note(len(DATA), HASH, [(5, 2**70)]))))
def test_a_note_of_any_kind_does_no_harm(
    tmp_path_factory: pytest.TempPathFactory, note: bytes
) -> None:
    directory = tmp_path_factory.mktemp("to")
    (directory / "best.pt.part").write_bytes(random.Random(1).randbytes(1000))
    (directory / "best.pt.part.json").write_bytes(note)
    with part_of(directory) as part:
        assert part.done <= 1000
