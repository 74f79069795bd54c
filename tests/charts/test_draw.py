"""A chart shows what was measured, nothing else, at any size."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from tui.charts.cells import Drawing, Role
from tui.charts.draw import draw
from tui.charts.model import Best, Options, Plot
from tui.charts.series import Series

CASES = Path(__file__).parents[1] / "data" / "cases"
SIZES = [
    (int(w), int(h))
    for w, h in (s.split("x") for s in (CASES / "TUI-09" / "sizes.txt").read_text().split())
]


def series_of(case: str) -> dict[str, list[object]]:
    document: dict[str, list[object]] = json.loads((CASES / case / "series.json").read_text())
    return document


def plot(values: list[object], xs: list[int] | None = None, best: Best | None = None) -> Plot:
    return Plot("loss", xs or list(range(1, len(values) + 1)), (Series("total", values),), best)


def text(drawing: Drawing) -> list[str]:
    return ["".join(part for part, _ in row) for row in drawing.rows]


def columns_with(drawing: Drawing, role: Role) -> set[int]:
    """The columns in which a role is drawn anywhere, axes and labels not counted."""
    found: set[int] = set()
    for row in drawing.rows[:-2]:
        at = 0
        for part, part_role in row:
            if part_role is role:
                found |= set(range(at, at + len(part)))
            at += len(part)
    return found


def test_no_line_is_drawn_over_a_missing_epoch() -> None:
    case = series_of("TUI-14")
    drawn = draw(plot(case["y"], [1, 2, 3, 4, 5]), 60, 14)
    columns = sorted(columns_with(drawn, Role.LINE_1))
    holes = [(a, b) for a, b in pairwise(columns) if b - a > 1]
    assert len(holes) == 1
    (left, right) = holes[0]
    middle = (columns[0] + columns[-1]) / 2
    assert left < middle < right
    assert right - left > 20


@pytest.mark.parametrize(
    ("name", "points"), [("a", 2), ("b", 1), ("d", 2)], ids=["infinity", "huge", "null"]
)
def test_values_that_are_no_numbers_are_gaps(name: str, points: int) -> None:
    values: list[object] = [
        float(v) if v in ("Infinity", "NaN") else v for v in series_of("TUI-12")[name]
    ]
    drawn = draw(plot(values), 60, 14)
    assert sum(row.count("●") for row in text(drawn)) == points


def test_a_series_without_any_number_says_so() -> None:
    drawn = draw(plot([float("nan"), float("nan")]), 60, 14)
    assert any("no data yet" in row for row in text(drawn))


def test_no_epochs_yet_is_said_in_words() -> None:
    assert any("no epochs yet" in row for row in text(draw(plot([]), 60, 14)))


def test_numbers_in_text_count_and_words_do_not() -> None:
    drawn = draw(plot(series_of("TUI-16")["y"]), 61, 14)
    columns = sorted(columns_with(drawn, Role.LINE_1))
    left, right = columns[0], columns[-1]
    step = (right - left) / 5
    assert all(c <= left + step + 1 or c >= right for c in columns)


def test_one_epoch_is_a_visible_point() -> None:
    assert sum(row.count("●") for row in text(draw(plot([0.5]), 40, 10))) == 1


@pytest.mark.parametrize("size", [(0, 0), (0, 5), (5, 0), *SIZES])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_every_size_is_filled_exactly(size: tuple[int, int], ascii_only: bool) -> None:
    width, height = size
    drawn = draw(plot([3.0, None, 2.0, 1.0, -1.0]), width, height, Options(ascii_only=ascii_only))
    assert len(drawn.rows) == (height if width else 0)
    assert all(len(row) == width for row in text(drawn))


def test_epochs_are_whole_numbers_on_the_axis() -> None:
    labels = text(draw(plot([5.0, 4.0, 3.0]), 60, 12))[-1].split()
    assert labels == ["1", "2", "3"]


def test_ticks_are_never_written_with_powers_for_common_values() -> None:
    drawn = text(draw(plot([830.0, 100.0, 12.5]), 60, 14))
    assert not any("e" in row for row in drawn)


def test_log_scale_leaves_out_what_has_no_logarithm_and_says_so() -> None:
    drawn = draw(plot([10.0, 0.0, -1.0, 1.0]), 60, 14, Options(log_y=True))
    assert drawn.note == "2 values <= 0 not drawn"
    assert columns_with(drawn, Role.LINE_1)


def test_log_scale_of_nothing_positive_still_draws_a_panel() -> None:
    drawn = draw(plot([0.0, -1.0]), 60, 14, Options(log_y=True))
    assert any("no data" in row for row in text(drawn))


def test_the_best_epoch_is_marked_and_named() -> None:
    drawn = draw(plot([0.1, 0.4, 0.3], best=Best(2.0, 0.4, "best 0.4 @ 2")), 60, 14)
    assert sum(row.count("◆") for row in text(drawn)) == 1
    assert ("◆ best 0.4 @ 2", Role.BEST) in drawn.title


def test_series_differ_by_sign_and_label_not_by_colour_alone() -> None:
    two = Plot("loss", [1, 2, 3], (Series("box", [3, 2, 1]), Series("cls", [1, 1, 2])))
    drawn = draw(two, 60, 14)
    shown = "".join(text(drawn))
    title = "".join(part for part, _ in drawn.title)
    assert "●" in shown and "■" in shown
    assert "● box 1" in title and "■ cls 2" in title


def test_ascii_charts_hold_no_other_character() -> None:
    drawn = draw(plot([3.0, 2.0, 1.0]), 60, 14, Options(ascii_only=True))
    shown = "".join(text(drawn)) + "".join(part for part, _ in drawn.title)
    assert shown.isascii()
    assert all(mark in shown for mark in "*+-|")


def test_five_thousand_epochs_show_their_extremes() -> None:
    values: list[object] = [1.0] * 5000
    values[2345] = 9.0
    drawn = draw(plot(values), 100, 20)
    top = "".join(part for part, role in drawn.rows[0] + drawn.rows[1] if role is Role.LINE_1)
    assert top.strip()


def test_a_fault_of_the_plotter_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no kernel")

    monkeypatch.setattr("tui.charts.draw.canvas", broken)
    assert any("cannot draw" in row for row in text(draw(plot([1.0, 2.0]), 60, 14)))
