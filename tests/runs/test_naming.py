"""Every run of a box has a name of its own, and every such name finds it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.runs.naming import distinct_ids, meant

PARTS = st.lists(st.sampled_from(["A", "B", "run1", "x"]), min_size=1, max_size=4)


def test_an_id_that_no_other_has_stays_as_it_is() -> None:
    assert distinct_ids([("/x/A/run1", "run1"), ("/x/A/exp/run2", "exp/run2")]) == {
        "/x/A/run1": "run1",
        "/x/A/exp/run2": "exp/run2",
    }


def test_the_same_id_below_two_roots_is_told_apart_by_the_end_of_the_path() -> None:
    ids = distinct_ids([("/x/A/run1", "run1"), ("/x/B/run1", "run1"), ("/x/B/run2", "run2")])
    assert list(ids.values()) == ["A/run1", "B/run1", "run2"]
    ids = distinct_ids([("/x/A/runs/run1", "run1"), ("/x/B/runs/run1", "run1")])
    assert list(ids.values()) == ["A/runs/run1", "B/runs/run1"]


def test_an_end_that_is_another_runs_id_is_not_used() -> None:
    ids = distinct_ids([("/r/A/run1", "A/run1"), ("/x/A/run1", "run1"), ("/x/B/run1", "run1")])
    assert list(ids.values()) == ["A/run1", "/x/A/run1", "B/run1"]


@given(st.sets(PARTS.map(lambda parts: "/" + "/".join(parts)), min_size=1, max_size=8), st.data())
def test_every_name_is_distinct_and_finds_its_run(paths: set[str], data: st.DataObject) -> None:
    given_ids = [
        (path, path.split("/", data.draw(st.integers(1, path.count("/"))))[-1])
        for path in sorted(paths)
    ]
    ids = distinct_ids(given_ids)
    assert len(set(ids.values())) == len(paths)
    for path, own in ids.items():
        assert meant(own, ids) == [path]
        assert path in meant(path, ids)


def test_a_name_may_be_a_path_or_the_end_of_one_or_mean_several() -> None:
    ids = distinct_ids([("/x/A/run1", "run1"), ("/x/B/run1", "run1"), ("/x/B/e/run2", "e/run2")])
    assert meant("/x/A/run1", ids) == ["/x/A/run1"]
    assert meant("x/A/run1", ids) == ["/x/A/run1"]
    assert meant("run2", ids) == ["/x/B/e/run2"]
    assert meant("B/e/run2", ids) == ["/x/B/e/run2"]
    assert meant("run1", ids) == ["/x/A/run1", "/x/B/run1"]
    assert meant("run", ids) == []
