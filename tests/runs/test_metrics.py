"""The table of metrics: one row of each epoch, in order, and what is best in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.runs.build import CASES, RECORDINGS, lines, metrics, rows
from tui.runs.metrics import MAX_COLUMNS, MAX_EPOCH, Metrics


def test_the_last_row_of_an_epoch_wins() -> None:
    table = metrics((CASES / "FILE-06" / "metrics.jsonl").read_bytes())
    assert table.epochs == list(range(1, 13))
    losses = dict(zip(table.epochs, table.series("train/loss"), strict=True))
    assert (losses[8], losses[9], losses[10]) == (13.0, 14.0, 15.0)
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
