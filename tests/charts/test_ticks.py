"""Axis labels can be read aloud."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.charts import ticks


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.0, 1.0, ("0", "0.5", "1.0")),
        (3.1, 17.9, ("5", "10", "15")),
        (0.612, 0.648, ("0.62", "0.64")),
        (0.0, 830.0, ("0", "500")),
        (0.0001, 0.0102, ("0.005", "0.010")),
    ],
)
def test_linear_ticks_step_by_one_two_or_five(
    low: float, high: float, labels: tuple[str, ...]
) -> None:
    assert ticks.linear(low, high, 3).labels == labels


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300), st.integers(2, 12))
def test_linear_ticks_lie_inside_and_never_too_many(a: float, b: float, most: int) -> None:
    low, high = min(a, b), max(a, b)
    shown = ticks.linear(low, high, most)
    assert 1 <= len(shown.positions) <= most
    slack = (high - low) * 1e-6
    assert all(low - slack <= p <= high + slack for p in shown.positions)


@pytest.mark.parametrize(
    ("low", "high", "most", "labels"),
    [
        (1, 100, 6, ("1", "20", "40", "60", "80", "100")),
        (1, 3, 8, ("1", "2", "3")),
        (1, 1, 8, ("1",)),
        (6, 12, 4, ("6", "8", "10", "12")),
    ],
)
def test_epochs_are_whole(low: float, high: float, most: int, labels: tuple[str, ...]) -> None:
    assert ticks.whole(low, high, most).labels == labels


def test_a_logarithmic_axis_names_its_decades() -> None:
    assert ticks.decades(-4, 0, 6).labels == ("0.0001", "0.001", "0.01", "0.1", "1")


@pytest.mark.parametrize(
    ("seconds", "labels"),
    [(90, ("0", "30s", "1m", "1m30")), (7200, ("0", "1h", "2h")), (700_000, ("0", "5d"))],
)
def test_time_is_written_as_durations(seconds: float, labels: tuple[str, ...]) -> None:
    assert ticks.clock(0, seconds, 4).labels == labels


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.01, "0.01"),
        (15.386, "15.39"),
        (150_000, "150k"),
        (2e-6, "2e-6"),
        (1e300, "1e300"),
    ],
)
def test_numbers_are_plain_where_they_can_be(value: float, text: str) -> None:
    assert ticks.number(value) == text


def test_a_span_too_small_for_steps_is_flat() -> None:
    assert len(ticks.linear(5e-324, 5e-324 * 49, 6).labels) == 1
