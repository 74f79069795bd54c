"""What bytes say, line by line: which are rows, and which of their values are values."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runs.build import CASES, RECORDINGS, lines, metrics, rows
from tui.runs.metrics import MAX_EPOCH, Metrics
from tui.runs.rows import MAX_LINE_BYTES


def test_a_torn_last_line_is_held_and_appears_once_when_its_rest_arrives() -> None:
    before = (CASES / "FILE-03" / "metrics_t0.jsonl").read_bytes()
    after = (CASES / "FILE-03" / "metrics_t1.jsonl").read_bytes()
    table = metrics(before)
    assert table.epochs == [1, 2, 3]
    assert table.bad_lines == 0
    assert len(before) - table.held_bytes == before.rindex(b"\n") + 1
    table.feed(after[len(before) :])
    assert table.epochs == [1, 2, 3, 4]
    assert table.held_bytes == 0


def test_broken_lines_in_the_middle_are_skipped_and_counted() -> None:
    table = metrics((CASES / "FILE-03" / "metrics_mid.jsonl").read_bytes())
    assert table.epochs == [1, 3]
    assert table.bad_lines == 2


def test_values_that_are_not_finite_are_no_values() -> None:
    table = metrics((CASES / "FILE-04" / "metrics.jsonl").read_bytes())
    assert table.epochs == [1, 2, 3, 4, 5, 6, 7]
    assert table.series("train/loss") == [1.9, None, None, None, None, None, 0.775]
    assert table.value("metrics/mAP50", 5) == 0.61
    assert table.not_finite_epochs() == [2, 3, 4, 5]
    assert table.bad_lines == 0


@pytest.mark.parametrize(
    ("given", "value"),
    [
        (0.5, 0.5),
        ("0.5", 0.5),
        (3, 3.0),
        (-1.0, -1.0),
        (0.0, 0.0),
        ("abc", None),
        ("", None),
        (True, None),
        (None, None),
        ([1], None),
        ({"a": 1}, None),
        (1e301, None),
        (-1e308, None),
        ("1e400", None),
        ("1_000", None),
        ("nan", None),
    ],
)
def test_only_finite_numbers_and_numeric_strings_are_values(given: object, value: object) -> None:
    assert rows({"epoch": 1, "x": given}).series("x") == [value]


def test_a_loss_without_any_value_is_a_column_and_a_missing_name_is_none() -> None:
    row = {"train/loss": None, "lr": "Infinity", "current_metric_name": None, "validated": None}
    table = rows({"epoch": 1, **row}, {"epoch": 2, **row})
    assert table.names() == ["train/loss", "lr"]
    assert table.series("train/loss") == table.series("lr") == [None, None]


def test_cases_of_strings_and_huge_numbers_have_their_right_points() -> None:
    told = json.loads((CASES / "TUI-16" / "series.json").read_bytes())["y"]
    table = rows(*({"epoch": n, "y": value} for n, value in enumerate(told, 1)))
    assert table.series("y") == [0.5, 0.4, None, None, None, 0.3]
    told = json.loads((CASES / "TUI-12" / "series.json").read_bytes())
    table = rows(*({"epoch": n, "y": value} for n, value in enumerate(told["b"], 1)))
    assert table.series("y") == [None, None, 1.0]
    table = rows(*({"epoch": n, "y": value} for n, value in enumerate(told["c"], 1)))
    assert table.names() == ["y"]
    assert table.series("y") == [None, None]
    told = json.loads((CASES / "TUI-14" / "series.json").read_bytes())
    table = rows(*({"epoch": n, "y": value} for n, value in enumerate(told["y"], 1)))
    assert table.series("y") == [1.0, 0.8, None, 0.5, 0.4]


def test_numbers_that_no_decoder_holds_cost_only_their_own_value() -> None:
    table = metrics(lines('{"epoch": 1, "a": 1e400, "b": ' + "9" * 5000 + ', "c": 2.5}'))
    assert table.epochs == [1]
    assert table.series("a") == [None]
    assert table.series("c") == [2.5]


@pytest.mark.parametrize("epoch", [3, 3.0, "3", "3.0"])
def test_an_epoch_may_be_written_in_any_form_of_a_whole_number(epoch: object) -> None:
    assert rows({"epoch": epoch, "x": 1}).epochs == [3]


@pytest.mark.parametrize(
    "row",
    [
        "{}",
        "[]",
        "null",
        "7",
        '"epoch"',
        "{",
        '{"epoch": 1',
        "\x00\x01",
        '{"epoch": null}',
        '{"epoch": true}',
        '{"epoch": -1}',
        '{"epoch": 1.5}',
        '{"epoch": NaN}',
        '{"epoch": "one"}',
        '{"epoch": [1]}',
        '{"epoch": 1e308}',
        f'{{"epoch": {MAX_EPOCH + 1}}}',
        '{"epoch": ' + "1" * 5000 + "}",
        "[" * 100_000,
        '{"a":' * 50_000,
    ],
)
def test_a_line_that_is_no_row_is_bad_and_harms_no_other(row: str) -> None:
    table = metrics(lines('{"epoch": 1, "x": 1}', row, '{"epoch": 2, "x": 2}'))
    assert table.epochs == [1, 2]
    assert table.series("x") == [1.0, 2.0]
    assert table.bad_lines == 1


def test_blank_lines_and_a_byte_order_mark_are_no_bad_lines() -> None:
    table = metrics(b'\xef\xbb\xbf{"epoch": 1}\r\n\n  \n\x00\x00{"epoch": 2}\n')
    assert table.epochs == [1, 2]
    assert table.bad_lines == 0


def test_an_endless_line_is_dropped_without_being_held() -> None:
    table = Metrics()
    for _ in range(10):
        table.feed(b"x" * (MAX_LINE_BYTES // 4))
    assert table.held_bytes == 10 * (MAX_LINE_BYTES // 4)
    assert table.bad_lines == 0
    table.feed(b'\n{"epoch": 1}\n')
    assert table.bad_lines == 1
    assert table.epochs == [1]


def test_csv_holds_what_jsonl_holds() -> None:
    for name in ("yolo9t_long", "yolo9t_resumed", "yolo9t_early", "yolo9t_killed", "sig_INT"):
        table = metrics((RECORDINGS / name / "metrics.jsonl").read_bytes())
        cells = metrics((RECORDINGS / name / "results.csv").read_bytes(), csv=True)
        assert cells.epochs == table.epochs
        assert set(cells.names()) == set(table.names())
        for column in table.names():
            assert cells.series(column) == table.series(column)
        assert cells.bad_lines == 0
        assert cells.best() == table.best()
        assert cells.current() == table.current()


def test_csv_cells_may_be_empty_flags_are_numbers_and_torn_rows_count() -> None:
    table = metrics(
        b"epoch, train/loss,validated,is_best,current_metric,current_metric_name\r\n"
        b"1,0.5,1,1,0.25,metrics/mAP50\r\n"
        b"2,,0,0,,\r\n"
        b"3,0.4,02,0.3,1,0,0.2,x\r\n"
        b"4,nan,1,0,0.125,metrics/mAP50\r\n"
        b"5,0.2",
        csv=True,
    )
    assert table.epochs == [1, 2, 4]
    assert table.series("train/loss") == [0.5, None, None]
    assert table.not_finite_epochs() == [2, 4]
    assert (table.is_best(1), table.is_best(2)) == (True, False)
    assert (table.is_validated(1), table.is_validated(2)) == (True, False)
    assert table.bad_lines == 1


def test_a_csv_whose_header_widened_is_read_anew_after_a_reset() -> None:
    table = metrics(b"epoch,a\n1,1\n", csv=True)
    table.reset()
    table.feed(b"epoch,a,b\n1,1,\n2,2,20\n")
    assert table.series("a") == [1.0, 2.0]
    assert table.series("b") == [None, 20.0]


def test_a_reset_forgets_the_held_line_too() -> None:
    table = metrics(b'{"epoch": 1, "x"')
    table.reset()
    table.feed(b'{"epoch": 2}\n')
    assert table.epochs == [2]
    assert table.bad_lines == 0


def state_of(table: Metrics) -> object:
    series = [(name, table.series(name)) for name in table.names()]
    flags = [(table.is_best(epoch), table.is_validated(epoch)) for epoch in table.epochs]
    return table.epochs, series, table.bad_lines, table.held_bytes, flags, table.best()


@given(st.lists(st.integers(0, 4200), max_size=8), st.booleans())
def test_the_pieces_the_bytes_come_in_change_nothing(cuts: list[int], csv: bool) -> None:
    name = "results.csv" if csv else "metrics.jsonl"
    data = (RECORDINGS / "yolo9t_early" / name).read_bytes() + b'{"torn": 1'
    pieces = Metrics(csv=csv)
    edges = [0, *sorted(cuts), len(data)]
    for start, end in itertools.pairwise(edges):
        pieces.feed(data[start:end])
    assert state_of(pieces) == state_of(metrics(data, csv=csv))


@given(st.lists(st.binary(max_size=200), max_size=6), st.booleans())
def test_no_bytes_crash_it_and_epochs_stay_increasing(pieces: list[bytes], csv: bool) -> None:
    table = Metrics(csv=csv)
    for piece in pieces:
        table.feed(piece)
    epochs = table.epochs
    assert epochs == sorted(set(epochs))
    assert all(len(table.series(name)) == len(epochs) for name in table.names())
