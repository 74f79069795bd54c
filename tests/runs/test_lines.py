"""Lines in blocks behave as a list does, whatever is added, taken away and looked at."""

from __future__ import annotations

import random
import sys
import threading
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.runs import lines as module
from tui.runs.lines import BLOCK, Lines

LINE = st.text(st.characters(exclude_characters="\n"), max_size=5)
STEP = st.one_of(
    st.tuples(st.just("append"), st.lists(LINE, max_size=20)),
    st.tuples(st.just("drop"), st.integers(0, 30)),
    st.just(("pop", None)),
)


@pytest.fixture(autouse=True)
def small_blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "small" in request.node.name:
        monkeypatch.setattr(module, "BLOCK", 4)


@given(steps=st.lists(STEP, max_size=25), data=st.data())
def test_small_blocks_are_a_list_to_everybody(steps: list[tuple], data: st.DataObject) -> None:
    kept, plain = Lines(), []
    for name, value in steps:
        match name:
            case "append":
                for line in value:
                    kept.append(line)
                plain += value
            case "drop":
                kept.drop(min(value, len(plain)))
                del plain[: min(value, len(plain))]
            case "pop" if plain and kept._recent:
                assert kept.pop() == plain.pop()
    assert len(kept) == len(plain)
    assert list(kept) == plain
    assert kept == plain
    assert list(reversed(kept)) == plain[::-1]
    for at in range(-len(plain), len(plain)):
        assert kept[at] == plain[at]
    start, stop = data.draw(st.integers(-50, 50)), data.draw(st.integers(-50, 50))
    step = data.draw(st.sampled_from([1, 2, -1, -3]))
    assert kept[start:stop:step] == plain[start:stop:step]
    with pytest.raises(IndexError):
        kept[len(plain)]


def test_the_newest_line_can_always_be_taken_back() -> None:
    kept = Lines()
    for number in range(5 * BLOCK):
        kept.append(str(number))
        assert kept.pop() == str(number)
        kept.append(str(number))
    assert list(islice(reversed(kept), 3)) == ["2559", "2558", "2557"]


def test_a_hundred_thousand_lines_take_little_memory() -> None:
    source, kept, plain = random.Random(1), Lines(), 0
    for number in range(100_000):
        line = (
            f"2026-11-30 02:00:{number % 60:02d} | INFO     | Epoch {number} loss {source.random()}"
        )
        plain += sys.getsizeof(line)
        kept.append(line)
    packed = sum(map(len, kept._blocks)) + sum(map(sys.getsizeof, kept._recent))
    assert packed < plain / 3


def test_readers_see_whole_lines_while_one_writes() -> None:
    kept, stop, wrong = Lines(), threading.Event(), []

    def read() -> None:
        while not stop.is_set():
            seen = list(kept)
            if seen and [int(line) for line in seen] != list(
                range(int(seen[0]), int(seen[-1]) + 1)
            ):
                wrong.append(len(seen))

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(20_000):
        kept.append(str(number))
        if len(kept) > 3000:
            kept.drop(len(kept) - 3000)
    stop.set()
    reader.join()
    assert wrong == []
