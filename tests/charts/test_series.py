"""Values are smoothed and reduced without inventing or hiding anything."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.charts.series import Segment, numbers, reduce, segments, smooth


def test_smoothing_starts_at_the_first_value() -> None:
    assert smooth([4.0, 4.0, 4.0], 0.9) == pytest.approx([4.0, 4.0, 4.0])


def test_smoothing_leaves_gaps_where_they_are() -> None:
    smoothed = smooth([1.0, None, 3.0], 0.5)
    assert smoothed[1] is None
    assert smoothed[2] == pytest.approx((0.5 * 0.5 * 1.0 + 0.5 * 3.0) / 0.75)


def test_no_smoothing_changes_nothing() -> None:
    assert smooth([1.0, None, 9.0], 0.0) == [1.0, None, 9.0]


def test_an_epoch_that_was_never_to_be_validated_is_no_gap() -> None:
    values = [0.1, None, 0.3, None, 0.5]
    assert len(segments([1, 2, 3, 4, 5], values)) == 3
    assert segments([1, 2, 3, 4, 5], values, frozenset({1, 3})) == [
        Segment((1, 3, 5), (0.1, 0.3, 0.5))
    ]


def test_reduction_keeps_a_gap_between_columns() -> None:
    xs = list(range(1000))
    values: list[float | None] = [None if 400 <= x < 600 else 1.0 for x in xs]
    parts = reduce(segments(xs, values), 0, 999, 50)
    assert len(parts) == 2
    assert parts[0].xs[-1] < 400
    assert parts[1].xs[0] >= 600


@given(
    st.lists(st.floats(-1e300, 1e300) | st.none(), min_size=1, max_size=600),
    st.integers(1, 40),
)
def test_reduction_keeps_the_extremes_and_the_last_value(
    values: list[float | None], columns: int
) -> None:
    xs = list(range(len(values)))
    parts = reduce(segments(xs, values), 0, len(values), columns)
    kept = [y for part in parts for y in part.ys]
    known = [v for v in values if v is not None]
    assert (min(kept, default=None), max(kept, default=None)) == (
        min(known, default=None),
        max(known, default=None),
    )
    assert kept[-1:] == known[-1:]
    assert all(a < b for p in parts for a, b in pairwise(p.xs))


@given(st.lists(st.floats() | st.text() | st.booleans() | st.none() | st.integers()))
def test_numbers_are_finite_or_missing(values: list[object]) -> None:
    assert all(n is None or (math.isfinite(n) and abs(n) <= 1e300) for n in numbers(values))


def test_truth_values_are_no_numbers() -> None:
    assert numbers([True, "0.5", "abc", "1e400", 10**400, 2]) == [None, 0.5, None, None, None, 2.0]
