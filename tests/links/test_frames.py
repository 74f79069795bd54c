"""Frames: what a follower sends is understood, and nothing else is believed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.facts import (
    Beat,
    Checkpoints,
    CheckpointStat,
    Fact,
    FileBegins,
    FileBytes,
    FileGone,
    FileTrouble,
    FileWhole,
    Hello,
    Notice,
    RunFound,
    RunGone,
    Settled,
    Stat,
    Vitals,
)
from tui.links.base import LinkError
from tui.links.follower.wire import frame
from tui.links.frame_facts import MAX_RUNS
from tui.links.frames import MAX_NOISE, Decoder

CASES = Path(__file__).parent.parent / "data" / "cases"
MARKER = "7f3a9c0d7f3a9c0d"
RUN = b"/root/runs/run1"
STAT = b"20 1796004000.250000000 7 8 420 root"
DIGEST = b"0" * 64


def frames(*parts: tuple[bytes, ...]) -> bytes:
    return b"".join(frame(MARKER.encode(), kind, fields) for kind, *fields in parts)  # type: ignore[arg-type]  # a list serves as well


FOUND = (b"R", RUN, b"run1", b"/root/runs")
ALL = (
    (b"H", b"python", b"1796004000.5", b"root", b"gpubox", b"", b"/root/runs", b"/root/x\xff"),
    FOUND,
    (b"W", RUN, b"status.json", STAT, b'{"state": "running"}\n'),
    (b"B", RUN, b"metrics.jsonl", b"0", DIGEST, b"20", STAT),
    (b"b", RUN, b"metrics.jsonl", b"0", STAT, b"\0\xff\n@@7f3a\n"),
    (b"T", RUN, b"train.log", b"EACCES", STAT),
    (b"g", RUN, b"results.csv"),
    (b"C", RUN, b"9 1796004000.0 3 1 best.pt", b"9 1796004000.0 4 - new\nline.pt"),
    (b"v", b"loadavg", b"0.50 0.40 0.30 1/100 4242"),
    (b"v", b"run", RUN),
    (b"v", b"process", b"4242 alive 1796000000.00 1"),
    (b"V", b"1796004001"),
    (b"h", b"1796004005"),
    (b"S", b"1796004006"),
    (b"N", b"a notice"),
    (b"r", RUN),
)


def decoded(chunks: Iterable[bytes]) -> list[Fact]:
    decoder = Decoder(MARKER)
    facts: list[Fact] = []
    for chunk in chunks:
        facts += decoder.feed(chunk)
    decoder.finish()
    return facts


def test_every_kind_of_frame_becomes_its_fact() -> None:
    facts = decoded([frames(*ALL)])
    stat = Stat(20, 1796004000.25, 7, 8, 0o644, "root")
    assert [fact for fact in facts if not isinstance(fact, Vitals)] == [
        Hello("python", 1796004000.5, "root", "gpubox", ("/root/runs", "/root/x\udcff")),
        RunFound("/root/runs/run1", "run1", "/root/runs"),
        FileWhole("/root/runs/run1", "status.json", b'{"state": "running"}\n', stat),
        FileBegins("/root/runs/run1", "metrics.jsonl", 0, "0" * 64, 20, stat),
        FileBytes("/root/runs/run1", "metrics.jsonl", 0, b"\0\xff\n@@7f3a\n", stat),
        FileTrouble("/root/runs/run1", "train.log", "EACCES", stat),
        FileGone("/root/runs/run1", "results.csv"),
        Checkpoints(
            "/root/runs/run1",
            (
                CheckpointStat("best.pt", 9, 1796004000.0, 3, True),
                CheckpointStat("new\nline.pt", 9, 1796004000.0, 4, None),
            ),
        ),
        Beat(1796004005),
        Settled(1796004006),
        Notice("a notice"),
        RunGone("/root/runs/run1"),
    ]
    vitals = next(fact for fact in facts if isinstance(fact, Vitals))
    assert vitals.load1 == 0.5
    assert vitals.runs[0].process is not None
    assert vitals.runs[0].process.ignores_sigint is True


@given(st.lists(st.integers(1, 40), min_size=1, max_size=200))
@settings(max_examples=50)
def test_facts_are_the_same_however_the_bytes_are_cut(sizes: list[int]) -> None:
    data = b"Last login: yesterday\r\n(base) @@7f" + frames(*ALL)
    chunks, at = [], 0
    for size in sizes:
        chunks.append(data[at : at + size])
        at += size
    assert decoded([*chunks, data[at:]]) == decoded([data])


def test_what_a_login_prints_before_and_between_is_dropped() -> None:
    motd = (CASES / "SSH-14" / "exec_stdout.bin").read_bytes()
    data = motd + frames(FOUND) + b"bashrc says hi\n" + frames((b"h", b"5"))
    assert decoded([data]) == [RunFound("/root/runs/run1", "run1", "/root/runs"), Beat(5)]


def test_another_connections_marker_is_noise() -> None:
    other = frame(b"0" * 16, b"h", (b"1",))
    assert decoded([other + frames((b"h", b"5"))]) == [Beat(5)]


def test_a_reply_that_is_cut_within_a_frame_is_an_error_and_nothing_is_made_of_it() -> None:
    data = frames(FOUND, (b"W", RUN, b"status.json", STAT, b'{"state": "running"}'))
    whole = len(frames(FOUND))
    for end in range(whole + 1, len(data)):
        decoder = Decoder(MARKER)
        assert decoder.feed(data[:end]) == [RunFound("/root/runs/run1", "run1", "/root/runs")]
        with pytest.raises(LinkError, match="reply cut") as raised:
            decoder.finish()
        assert raised.value.kind == "protocol"


def test_a_reply_without_any_frame_is_an_error() -> None:
    decoder = Decoder(MARKER)
    assert decoder.feed((CASES / "SSH-14" / "exec_cut.bin").read_bytes()) == []
    with pytest.raises(LinkError) as raised:
        decoder.finish()
    assert raised.value.kind == "protocol"
    with pytest.raises(LinkError, match="reply cut"):
        Decoder(MARKER).finish()


@pytest.mark.parametrize(
    ("case", "hint"),
    [
        ("SSH-12/exec_reply.txt", "SSH over exposed TCP"),
        ("SSH-13/exec_reply.txt", "touch ~/.no_auto_tmux"),
        ("SSH-13/exec_reply2.txt", "touch ~/.no_auto_tmux"),
    ],
)
def test_a_login_that_runs_no_command_is_known_by_its_words(case: str, hint: str) -> None:
    decoder = Decoder(MARKER)
    assert decoder.feed((CASES / case).read_bytes()) == []
    error = decoder.explain()
    assert error.kind == "no_exec"
    assert error.hint is not None
    assert hint in error.hint
    assert not error.retried


def test_a_login_that_wants_another_user_says_which() -> None:
    decoder = Decoder(MARKER)
    decoder.feed(b'Please login as the user "ubuntu" rather than the user "root".\n\n')
    error = decoder.explain()
    assert error.kind == "no_exec"
    assert "ubuntu" in str(error)


def test_what_a_strange_login_said_is_told_without_its_escapes() -> None:
    decoder = Decoder(MARKER)
    decoder.feed(b"\x1b[31mno space left on device\x1b[0m\n")
    assert "no space left on device" in str(decoder.explain())
    assert "\x1b" not in str(decoder.explain())


@pytest.mark.parametrize(
    "data",
    [
        b"@@7f3a9c0d7f3a9c0d W 1 2\n",
        b"@@7f3a9c0d7f3a9c0d h 9999999\n",
        b"@@7f3a9c0d7f3a9c0d h -1\n",
        b"@@7f3a9c0d7f3a9c0d h 1" + b" 0" * 3000,
        b"@@7f3a9c0d7f3a9c0d h 1\n5x\n",
        b"@@7f3a9c0d7f3a9c0d Q 1\n5\n",
        frames((b"h", b"nan")),
        frames((b"h", b"-1")),
        frames((b"h",)),
        frames((b"W", RUN, b"status.json", STAT, b"of a run that was not announced")),
        frames(FOUND, (b"W", RUN, b"../../.ssh/authorized_keys", STAT, b"ssh-rsa")),
        frames(FOUND, (b"W", RUN, b"best.pt", STAT, b"not a run's file")),
        frames(FOUND, (b"W", RUN, b"status.json", b"x 1 2 3 4 root", b"")),
        frames(FOUND, (b"b", RUN, b"train.log", b"-1", STAT, b"")),
        frames(FOUND, (b"b", RUN, b"train.log", b"9" * 30, STAT, b"")),
        frames(FOUND, (b"B", RUN, b"train.log", b"0", b"abc", b"3", STAT)),
        frames((b"R", b"/root/x", b"x")),
        frames((b"H", b"perl", b"1", b"", b"", b"")),
    ],
)
def test_a_broken_or_hostile_frame_ends_the_connection(data: bytes) -> None:
    decoder = Decoder(MARKER)
    with pytest.raises(LinkError) as raised:
        decoder.feed(data)
        decoder.finish()
    assert raised.value.kind == "protocol"


@pytest.mark.parametrize(
    ("path", "name", "root"),
    [
        (b"/root/x", b"a//./b", b"/root"),
        (b"/root/x", b"./a", b"/root"),
        (b"/root/x", b"a/.", b"/root"),
        (b"/root/x", b"a/", b"/root"),
        (b"/root/x", b"a/../b", b"/root"),
        (b"/root/x", b"../x", b"/root"),
        (b"/root/x", b"..", b"/root"),
        (b"/root/x", b"/root/x", b"/root"),
        (b"/root/x", b"a\0b", b"/root"),
        (b"/root/x", b"", b"/root"),
        (b"/root/x", b"n" * 5000, b"/root"),
        (b"/root/x", b"x", b""),
        (b"runs/run2", b"run2", b"runs"),
        (b"/root/../etc", b"x", b"/root"),
        (b"", b"x", b"/root"),
        (b"/" + b"x" * 5000, b"x", b"/"),
    ],
)
def test_a_run_whose_name_leads_elsewhere_costs_itself_alone(
    path: bytes, name: bytes, root: bytes
) -> None:
    of_it = (
        (b"W", path, b"status.json", STAT, b"{}"),
        (b"b", path, b"metrics.jsonl", b"0", STAT, b"x"),
        (b"C", path, b"9 1 3 1 best.pt"),
        (b"v", b"run", RUN),
        (b"v", b"process", b"7 alive 5 0"),
        (b"v", b"run", path),
        (b"v", b"process", b"8 alive 5 0"),
        (b"V", b"5"),
        (b"g", path, b"metrics.jsonl"),
        (b"r", path),
    )
    facts = decoded([frames(FOUND, (b"R", path, name, root), *of_it, (b"h", b"5"))])
    assert isinstance(facts[1], Notice)
    assert [type(fact) for fact in facts] == [RunFound, Notice, Vitals, Beat]
    vitals = facts[2]
    assert isinstance(vitals, Vitals)
    assert vitals.runs[0].process is not None
    assert [run.process.pid for run in vitals.runs if run.process] == [7]


BAD_ROWS = (
    *(b"", b"9 1 3 1", b"9 1 3 1 ", b"9 1 3 1 ..", b"9 1 3 1 ../best.pt", b"9 1 3 1 a\0b"),
    *(b"x 1 3 1 b.pt", b"-9 1 3 1 b.pt", b"9 inf 3 1 b.pt", b"9 nan 3 1 b.pt", b"9" * 30),
)


@pytest.mark.parametrize("row", BAD_ROWS)
def test_a_bad_row_costs_the_row(row: bytes) -> None:
    facts = decoded([frames(FOUND, (b"C", RUN, row, b"9 -1 4 0 last.pt"))])
    last = CheckpointStat("last.pt", 9, 0.0, 4, False)
    assert facts[1:] == [Checkpoints("/root/runs/run1", (last,))]


def test_a_box_that_never_stops_printing_costs_no_memory() -> None:
    decoder = Decoder(MARKER)
    with pytest.raises(LinkError):
        for _ in range(MAX_NOISE // 1000 + 10):
            decoder.feed(b"x" * 1000)
            assert len(decoder.noise) <= 4096


def test_a_box_that_finds_runs_without_end_is_left() -> None:
    decoder = Decoder(MARKER)
    with pytest.raises(LinkError, match="runs"):
        for number in range(MAX_RUNS + 1):
            path = b"/r/%d" % number
            decoder.feed(frames((b"R", path, b"%d" % number, b"/r")))


def test_a_box_without_python_asks_for_the_shells_source() -> None:
    decoder = Decoder(MARKER)
    assert decoder.feed(b"hello\n@@7f3a9c0d7f3a9c0d sh\n\n") == []
    assert decoder.wants_shell
    assert decoder.feed(frames((b"h", b"5"))) == [Beat(5)]
