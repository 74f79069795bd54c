"""The text of `boxtop status`: aligned, within 80 columns, harmless, and it says what to do."""

from __future__ import annotations

import re
from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.golden import assert_golden
from tests.report import views
from tui.report.lines import Paper, Span, cells, cut
from tui.report.plain import status_lines
from tui.runs.model import Cost, Run, RunError
from tui.runs.verdict import error_text
from tui.view import BoxView, LinkView, PendingView


def report(*boxes: BoxView, paper: Paper | None = None) -> str:
    return "".join(f"{line}\n" for line in status_lines(boxes, paper or Paper()))


def test_the_whole_report_at_80_columns() -> None:
    assert_golden("status_80.txt", report(*views.ALL))


def test_the_whole_report_in_ascii() -> None:
    text = report(*views.ALL, paper=Paper(ascii_only=True))
    assert text.isascii()
    assert_golden("status_80_ascii.txt", text)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_paper(width: int) -> None:
    for paper in (Paper(width), Paper(width, ascii_only=True)):
        assert max(map(cells, report(*views.ALL, paper=paper).splitlines())) <= width


def test_colour_adds_escapes_and_nothing_else() -> None:
    coloured = report(views.LAB, paper=Paper(colour=True))
    assert "\x1b[" in coloured
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in plain.splitlines()] == report(views.LAB).splitlines()


def test_without_colour_there_is_no_escape() -> None:
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", report(*views.ALL))


def test_tokens_are_masked() -> None:
    assert "hf_abcdef" not in report(*views.ALL)


def test_what_needs_a_person_stands_first_then_what_is_alive_then_the_newest() -> None:
    names = re.findall(r"(?m)^  \S \w+ +(\S+)", report(views.LAB))
    assert names == ["deep/er/run7", "run8", "run13", "run12", "run1"]


def test_a_box_without_runs_says_where_was_looked_and_for_what() -> None:
    text = re.sub(r"\s+", " ", report(views.EMPTY))
    assert "no runs yet; looked below /root/runs /workspace/runs" in text
    assert "holds status.json, metrics.jsonl or results.csv" in text


def test_a_box_that_was_not_read_makes_no_claim_about_its_runs() -> None:
    assert "no runs" not in report(views.REFUSED)


@given(
    st.lists(st.text(alphabet="ab \u6f22\u0301…", max_size=40), max_size=6),
    st.integers(20, 90),
    st.booleans(),
)
def test_flowing_text_keeps_every_word(texts: list[str], width: int, ascii_only: bool) -> None:
    paper = Paper(width, ascii_only)
    lines = list(paper.flow([Span(text) for text in texts], "  ", "    "))
    assert all(cells(line) <= width for line in lines)
    words = "".join("".join(lines).split())
    assert words == "".join("".join(paper.plain(text) for text in texts).split())


@given(st.text(alphabet="ab\u6f22\u0301", max_size=40), st.integers(3, 30))
def test_a_cut_name_fits_and_shows_both_ends(text: str, width: int) -> None:
    short = cut(text, width)
    assert cells(short) <= width
    assert short == text or "…" in short


def test_a_push_that_has_not_ended_is_told() -> None:
    pending = (PendingView("my-org/run1", ("best.pt", "la\nst.pt"), views.NOW, age_s=720.0),)
    run = replace(views.run_view(views.RUNNING), pending=pending)
    text = re.sub(r"\s+", " ", report(BoxView("lab", "lab", LinkView("live"), (run,))))
    told = "a push of best.pt, la\\nst.pt to my-org/run1 has not ended (begun 12 min ago)"
    assert told in text


@pytest.mark.parametrize(
    ("price", "told"),
    [(3.4828, "$3.48/h"), (0.4, "$0.40/h"), (0.0685, "$0.0685/h"), (0, "$0.00/h")],
)
def test_a_boxs_price_is_an_amount_of_money(price: float, told: str) -> None:
    box = BoxView("lab", "lab", LinkView("live"), price_per_hour=price)
    assert told in report(box).splitlines()[0].split()


def test_a_runs_money_says_whose_price_it_is() -> None:
    cost = Cost(0.87075, 5.164, None, 0.0598, "user")
    run = msgspec.structs.replace(views.RUNNING, cost=cost)
    box = BoxView("lab", "root@203.0.113.7", LinkView("live", 1.0), runs=(views.run_view(run),))
    text = " ".join(" ".join(status_lines([box], Paper(120))).split())
    assert "$0.87 so far $5.16 to finish $0.0598 an epoch (user)" in text


def test_an_error_of_any_length_is_told_once() -> None:
    long = RunError("RuntimeError", "first " + "boom " * 200)
    failed = Run(id="r", path="/r", verdict="failed", error=long, reason=error_text(long))
    text = report(BoxView("lab", "lab", LinkView("live"), (views.run_view(failed),)))
    assert text.count("first") == 1
