"""The tail of a log: every line a person may read, and nothing that a terminal would obey."""

from __future__ import annotations

import itertools
import sys
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from tests.runs.build import CASES, RECORDINGS, log
from tui.runs.log import CUT_MARK, MAX_LINE, LogTail


def test_characters_split_between_two_reads_are_whole() -> None:
    tail = LogTail()
    for name in ("chunk1.bin", "chunk2.bin"):
        tail.feed((CASES / "FILE-09" / name).read_bytes())
    assert tail.lines[0] == "ok line"
    assert tail.lines[1] == "name: café mod\ufffdle"
    assert tail.lines[2].count("\ufffd") == 2
    assert "\0" not in tail.lines[2]
    assert len(tail.lines) == 4


def test_terminal_escapes_leave_only_their_text() -> None:
    tail = log((CASES / "FILE-11" / "train.log").read_bytes())
    assert list(tail.lines) == [
        "green ok",
        "after title",
        "after clip",
        "cleared",
        "\ufffd31mc1 raw",
        "c1 utf8",
        "sixel",
        "bell backspace del",
        "link",
        "unfinished ",
        "next line stays visible",
    ]


def test_brackets_are_shown_character_for_character() -> None:
    data = (CASES / "FILE-12" / "train.log").read_bytes()
    assert list(log(data).lines) == data.decode().splitlines()
    assert len(log(data).lines) == 13


def test_bars_collapse_to_their_last_state() -> None:
    tail = log("\r 10%|#   |\r 50%|##  |\r100%|####|\nnext\n")
    assert list(tail.lines) == ["100%|####|", "next"]
    assert list(log("a\rb\rc").lines) == ["c"]


def test_a_bar_shows_its_state_while_it_runs_and_keeps_its_number() -> None:
    tail = log("first\n")
    for percent in range(0, 101, 10):
        tail.feed(f"\r{percent:3}%|bar|".encode())
        assert tail.lines[1] == f"{percent:3}%|bar|"
        assert tail.is_open
    tail.feed(b"\n")
    assert list(tail.lines) == ["first", "100%|bar|"]
    assert not tail.is_open


def test_line_ends_of_windows_and_a_final_carriage_return_lose_no_text() -> None:
    assert list(log("one\r\ntwo\r\n").lines) == ["one", "two"]
    split = log("one\r")
    assert list(split.lines) == ["one"]
    split.feed(b"\ntwo")
    assert list(split.lines) == ["one", "two"]


def test_only_newlines_end_lines() -> None:
    assert list(log("a\x0bb\x0cc\u2028d\x85e\n").lines) == ["abc de"]


def test_a_last_line_without_newline_is_shown_and_completed() -> None:
    tail = log("whole\nhal")
    assert list(tail.lines) == ["whole", "hal"]
    tail.feed(b"f")
    assert list(tail.lines) == ["whole", "half"]
    tail.feed(b"\n")
    assert list(tail.lines) == ["whole", "half"]
    tail.feed(b"\n")
    assert list(tail.lines) == ["whole", "half", ""]


def test_a_long_line_is_cut_with_a_mark() -> None:
    assert log("y" * MAX_LINE + "\n").lines[0] == "y" * MAX_LINE
    assert log("y" * (MAX_LINE + 1)).lines[0] == "y" * MAX_LINE + CUT_MARK
    wide = log("é" * 100_000 + "\nnext\n")
    assert list(wide.lines) == ["é" * MAX_LINE + CUT_MARK, "next"]


def test_a_line_of_fifty_megabytes_costs_no_memory() -> None:
    tail = LogTail()
    piece = b"y" * 1_000_000
    tail.feed(piece)
    tracemalloc.start()
    for _ in range(49):
        tail.feed(piece)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3_000_000
    assert tail.lines[-1] == "y" * MAX_LINE + CUT_MARK


def test_bars_without_end_cost_no_memory() -> None:
    tail = LogTail()
    tracemalloc.start()
    for number in range(5_000):
        tail.feed(b"\r%6d it/s [00:00<?]" % number)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 100_000
    assert list(tail.lines) == ["  4999 it/s [00:00<?]"]


def test_the_oldest_lines_go_first_and_first_says_how_many() -> None:
    tail = LogTail(max_lines=3)
    tail.feed(b"".join(b"line %d\n" % number for number in range(10)))
    assert list(tail.lines) == ["line 7", "line 8", "line 9"]
    assert tail.first == 7
    tail.feed(b"line 1")
    assert list(tail.lines) == ["line 8", "line 9", "line 1"]
    assert tail.first == 8
    tail.feed(b"0\n")
    assert list(tail.lines) == ["line 8", "line 9", "line 10"]
    assert tail.first == 8


def test_a_hundred_thousand_lines_stay_small() -> None:
    line = b"2026-11-30 02:00:00 | INFO     | step %09d loss 0.1234 " + b"x" * 40 + b"\n"
    tail = LogTail()
    tail.feed(b"".join(line % number for number in range(110_000)))
    assert len(tail.lines) == 100_000
    assert tail.first == 10_000
    held = sys.getsizeof(tail.lines) + sum(map(sys.getsizeof, tail.lines))
    assert held < 20_000_000


def test_tokens_in_a_log_are_masked() -> None:
    tail = log((CASES / "HF-10" / "log_lines.txt").read_bytes())
    shown = "\n".join(tail.lines)
    assert "QQQQ" not in shown
    assert "0123456789abcdef0123" not in shown
    assert len(tail.lines) == 4


def test_revision_changes_with_the_content_and_only_then() -> None:
    tail = LogTail()
    before = tail.revision
    tail.feed(b"")
    assert tail.revision == before
    tail.feed(b"x")
    assert tail.revision > before
    seen = tail.revision
    tail.reset()
    assert tail.revision > seen
    assert list(tail.lines) == []
    assert tail.first == 1


def test_a_reset_forgets_half_characters_and_half_lines() -> None:
    tail = log(b"half caf" + b"\xc3")
    tail.reset()
    tail.feed(b"\xa9 new\n")
    assert list(tail.lines) == ["\ufffd new"]


@given(st.lists(st.integers(0, 1800), max_size=10))
def test_the_pieces_the_bytes_come_in_change_nothing(cuts: list[int]) -> None:
    data = (RECORDINGS / "sig_INT" / "console.log").read_bytes()[-900:]
    data += (CASES / "FILE-11" / "train.log").read_bytes() + "\r10%\r\r\n20% é\r".encode() * 9
    tail = LogTail()
    edges = [0, *sorted(cuts), len(data)]
    for start, end in itertools.pairwise(edges):
        tail.feed(data[start:end])
    whole = log(data)
    assert list(tail.lines) == list(whole.lines)
    assert (tail.first, tail.is_open) == (whole.first, whole.is_open)


@given(st.lists(st.binary(max_size=80), max_size=8))
def test_no_bytes_crash_it_or_reach_a_terminal(pieces: list[bytes]) -> None:
    tail = LogTail(max_lines=5)
    for piece in pieces:
        tail.feed(piece)
    assert len(tail.lines) <= 5
    for line in tail.lines:
        assert not any((ord(c) < 32 and c != "\t") or 0x7F <= ord(c) < 0xA0 for c in line)
    whole = log(b"".join(pieces), max_lines=5)
    assert list(tail.lines) == list(whole.lines)


def test_the_numbers_of_lines_go_on_when_the_log_begins_anew() -> None:
    tail = LogTail()
    tail.feed(b"one\ntwo\nhal")
    tail.reset()
    tail.feed(b"new\n")
    assert (tail.first, list(tail.lines)) == (3, ["new"])
