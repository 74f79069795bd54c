"""What a box tells of processes is believed in nothing unchecked."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.actions.errors import ActionError
from tui.actions.kill_tree import Member, number_of, outcomes_of, seen_of, tree_of, whole

MEMBER = {"pid": 110, "start": 7, "parent": 100, "session": 1, "state": "S", "command": "python"}
LOOK: dict[str, Any] = {
    "top": 110,
    "training": 110,
    "members": [{**MEMBER, "ignores": True}],
    "status": {"state": "running", "error": None},
    "gpus": [{"index": 0, "used": 1, "total": 2}],
    "time": 1796004000.5,
}
KEYS = [*LOOK, "left", "zombies", "kernel", "orphans", "ended", "signals", "error", "pid", "start"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*KEYS, *MEMBER]), inner, max_size=4)
    ),
    max_leaves=12,
)


def test_a_look_is_taken_apart() -> None:
    tree = tree_of(LOOK)
    assert tree.top == tree.training == Member(110, 7, 100, 1, "S", "python", True)
    assert (tree.state, tree.at, tree.gpus[0].total) == ("running", 1796004000.5, 2)
    assert not tree.kernel and not tree.orphans


@pytest.mark.parametrize(
    "members",
    [None, {}, [None], [{}], [{**MEMBER, "pid": 1}], [{**MEMBER, "pid": "110"}],
     [{**MEMBER, "start": -1}], [{**MEMBER, "pid": 1 << 40}]],
)  # fmt: skip
def test_members_without_a_name_are_no_members(members: object) -> None:
    with pytest.raises(ActionError) as wrong:
        tree_of({**LOOK, "members": members})
    assert wrong.value.kind == "protocol"


def test_a_tree_without_its_top_has_changed() -> None:
    with pytest.raises(ActionError) as wrong:
        tree_of({**LOOK, "top": 5})
    assert wrong.value.kind == "changed"


@given(st.dictionaries(st.sampled_from(KEYS), JSON))
def test_nonsense_is_an_error_of_the_box(values: dict[str, Any]) -> None:
    for take in (tree_of, seen_of):
        with suppress(ActionError):
            take({**LOOK, **values})
    outcomes_of(values)


@given(JSON)
def test_numbers_are_numbers(value: object) -> None:
    assert 0 <= whole(value) < 1 << 62
    assert abs(number_of(value)) <= 1e12
