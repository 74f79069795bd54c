"""The table of metrics: what the file says, however the bytes come."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runs.build import CASES, RECORDINGS, metrics, rows
from tui.runs.metrics import MAX_COLUMNS, MAX_EPOCH, Metrics
from tui.runs.rows import MAX_LINE_BYTES


def lines(*texts: str) -> bytes:
    return "".join(text + "\n" for text in texts).encode()


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


def test_the_last_row_of_an_epoch_wins() -> None:
    table = metrics((CASES / "FILE-06" / "metrics.jsonl").read_bytes())
    assert table.epochs == list(range(1, 13))
    losses = dict(zip(table.epochs, table.series("train/loss"), strict=True))
    assert (losses[8], losses[9], losses[10]) == (13.0, 14.0, 15.0)
    assert table.resumed_at == [8]
    assert losses[7] == 0.775  # one row only: untouched by the resume


def test_a_replaced_row_leaves_nothing_of_the_old_one() -> None:
    table = rows(
        {"epoch": 1, "train/loss": 2.0, "metrics/mAP50": 0.5, "is_best": True, "validated": True},
        {"epoch": 1, "train/loss": None},
    )
    assert table.series("metrics/mAP50") == [None]
    assert table.series("train/loss") == [None]
    assert not table.is_best(1)
    assert not table.is_validated(1)
    assert table.not_finite_epochs() == [1]


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


def test_cases_of_strings_and_huge_numbers_have_their_right_points() -> None:
    told = json.loads((CASES / "TUI-16" / "series.json").read_bytes())["y"]
    table = rows(*({"epoch": n, "y": value} for n, value in enumerate(told, 1)))
    assert table.series("y") == [0.5, 0.4, None, None, None, 0.3]
    told = json.loads((CASES / "TUI-12" / "series.json").read_bytes())
    table = rows(*({"epoch": n, "y": value} for n, value in enumerate(told["b"], 1)))
    assert table.series("y") == [None, None, 1.0]
    table = rows(*({"epoch": n, "y": value} for n, value in enumerate(told["c"], 1)))
    assert "y" not in table.names()
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


def test_a_megabyte_of_keys_does_not_make_a_megabyte_of_columns() -> None:
    row = {"epoch": 1, **{f"key{number}": number for number in range(50_000)}}
    table = rows(row, {"epoch": 2, "y" * 5000: 1.0})
    assert len(table.names()) == MAX_COLUMNS
    assert table.epochs == [1, 2]


def test_keys_that_appear_later_are_aligned_with_the_epochs() -> None:
    table = rows({"epoch": 1, "a": 1}, {"epoch": 2, "a": 2, "b": 20}, {"epoch": 3, "b": 30})
    assert table.series("a") == [1.0, 2.0, None]
    assert table.series("b") == [None, 20.0, 30.0]
    assert table.series("never") == [None, None, None]
    assert table.names() == ["a", "b"]


def test_rows_out_of_order_are_brought_into_order() -> None:
    table = rows({"epoch": 5, "a": 5}, {"epoch": 2, "a": 2}, {"epoch": 3, "b": 3})
    assert table.epochs == [2, 3, 5]
    assert table.series("a") == [2.0, None, 5.0]
    assert table.series("b") == [None, 3.0, None]
    assert table.last_epoch == 3
    table.feed(lines('{"epoch": 4, "a": 4}'))
    assert table.epochs == [2, 3, 4, 5]
    assert table.series("a") == [2.0, None, 4.0, 5.0]
    assert table.recent(2) == [3, 4]


def test_the_same_value_under_two_names_is_offered_once() -> None:
    table = metrics((RECORDINGS / "yolo9t_long" / "metrics.jsonl").read_bytes())
    assert "metrics/mAP50(B)" in table.names()
    assert "metrics/mAP50(B)" not in table.distinct_names()
    assert "metrics/mAP50" in table.distinct_names()
    assert rows({"epoch": 1, "metrics/mAP50(B)": 0.5}).distinct_names() == ["metrics/mAP50(B)"]


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


def test_best_is_where_the_kept_rows_say_so() -> None:
    table = metrics((CASES / "RUN-18" / "metrics.jsonl").read_bytes())
    best = table.best()
    assert best is not None
    assert (best.epoch, best.value, best.name) == (2, 0.4, "mAP50_95")
    resumed = rows(
        {"epoch": 1, "is_best": True, "validated": True, "current_metric": 0.1},
        {"epoch": 2, "is_best": True, "validated": True, "current_metric": 0.9},
        {"epoch": 2, "is_best": False, "validated": True, "current_metric": 0.05},
    )
    again = resumed.best()
    assert again is not None
    assert (again.epoch, again.value) == (1, 0.1)


def test_the_watched_metric_is_that_of_the_last_validated_epoch() -> None:
    table = metrics((RECORDINGS / "yolo9t_long" / "metrics.jsonl").read_bytes())
    current = table.current()
    assert current is not None
    assert (current.epoch, current.name) == (100, "metrics/mAP50-95")
    early = rows(
        {"epoch": 2, "validated": True, "current_metric": 0.0, "current_metric_name": "m"},
        {"epoch": 3, "validated": False, "current_metric": None, "current_metric_name": None},
    ).current()
    assert early is not None
    assert (early.epoch, early.value, early.name) == (2, 0.0, "m")


def test_revision_changes_with_the_content_and_only_then() -> None:
    table = Metrics()
    seen = [table.revision]
    for piece in (b'{"epoch": 1', b', "x": 1}\n', b"broken\n", b"\n"):
        table.feed(piece)
        seen.append(table.revision)
    assert seen[1] == seen[0]
    assert seen[2] > seen[1]
    assert seen[3] > seen[2]
    assert seen[4] == seen[3]
    table.reset()
    assert table.revision > seen[4]
    assert table.epochs == []
    assert table.names() == []


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


ROWS = st.fixed_dictionaries(
    {"epoch": st.one_of(st.integers(0, 12), st.floats(), st.text(max_size=3), st.none())},
    optional={
        "train/loss": st.one_of(st.floats(), st.text(max_size=4), st.booleans(), st.none()),
        "is_best": st.one_of(st.booleans(), st.integers(0, 1)),
        "validated": st.booleans(),
        "current_metric": st.floats(),
        "current_metric_name": st.one_of(st.none(), st.text(max_size=5), st.integers()),
    },
)


@given(st.lists(ROWS, max_size=20))
def test_the_table_equals_a_plain_dictionary_of_last_rows(found: list[dict[str, object]]) -> None:
    table = rows(*found)
    last: dict[int, dict[str, object]] = {}
    for row in found:
        epoch = row["epoch"]
        if isinstance(epoch, float | int) and 0 <= epoch <= MAX_EPOCH and epoch == int(epoch):
            last[int(epoch)] = row
    numeric = {epoch for epoch in table.epochs if epoch in last}
    assert set(last) <= set(table.epochs)
    for epoch in numeric:
        loss = last[epoch].get("train/loss")
        if isinstance(loss, float) and abs(loss) < 1e300:
            assert table.value("train/loss", epoch) == loss


def test_a_table_stays_as_it_was_while_rows_arrive() -> None:
    metrics = Metrics()
    metrics.feed(b'{"epoch": 1, "train/loss": 3.0}\n')
    table = metrics.table()
    metrics.feed(b'{"epoch": 2, "train/loss": 2.0, "lr/new": 1.0}\n')
    assert table.epochs == [1]
    assert table.names() == ["train/loss"]
    assert table.series("train/loss") == [3.0]
    assert table.series("lr/new") == [None]


def test_lists_that_were_read_do_not_change_when_rows_arrive() -> None:
    metrics = Metrics()
    metrics.feed(b'{"epoch": 1, "train/loss": 3.0}\n')
    epochs, losses = metrics.epochs, metrics.series("train/loss")
    metrics.feed(b'{"epoch": 1, "train/loss": 9.0}\n{"epoch": 2, "train/loss": 2.0}\n')
    assert (epochs, losses) == ([1], [3.0])
