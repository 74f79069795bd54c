"""Whatever a reply holds: no reader raises, nothing hostile gets through, nothing is free."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.providers import fake_lambda, fake_runpod, fake_vast
from tui.providers import fields, lambda_, runpod_rows, skypilot, vast_rows
from tui.providers.base import Instance, State
from tui.providers.listing import Pile

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["running", "RUNNING ", "EXITED", "active", "\x1b[31m", "1e400", "nan"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)
READERS: list[tuple[Callable[[fields.Row], Instance | None], dict[str, Any]]] = [
    (vast_rows.instance_of, fake_vast.ROW),
    (runpod_rows.instance_of, fake_runpod.POD),
    (lambda_.instance_of, fake_lambda.ROW),
    (skypilot.instance_of, {"name": "a", "status": "UP", "cloud": "AWS", "accelerators": {}}),
]


@pytest.mark.parametrize("number", range(len(READERS)))
@given(data=st.data())
def test_any_value_anywhere_is_survived(number: int, data: st.DataObject) -> None:
    read, good = READERS[number]
    row = dict(good)
    for name in data.draw(st.lists(st.sampled_from(sorted(good)), max_size=6)):
        row[name] = data.draw(JSON)
    one = read(row)
    if one is None:
        return
    assert fields.ident(one.id) == one.id
    for text in (one.name, one.raw_state, one.gpu_name or "", *one.warnings):
        assert text.isprintable()
    if one.state not in (State.STOPPED, State.GONE, State.UNREACHABLE):
        assert one.rate_now.usd_per_hour != 0 or one.rate_running.usd_per_hour == 0


@given(st.lists(JSON, max_size=6))
def test_any_list_of_rows_is_survived(rows: list[object]) -> None:
    for read, good in READERS:
        pile = Pile("x", read)
        pile.add([*rows, good])
        assert pile.listing().instances


@given(JSON)
def test_readers_never_raise(value: object) -> None:
    fields.text(value)
    fields.number(value)
    fields.whole(value)
    fields.port(value)
    fields.host(value)
    fields.moment(value)
    fields.word(value)
    assert fields.raw_word(value).isprintable()
    json.dumps(fields.ident(value))


@pytest.mark.parametrize(
    ("value", "id"),
    [
        (7, "7"),
        (7.0, "7"),
        ("7", "7"),
        (" a-b_c.d ", "a-b_c.d"),
        (7.5, None),
        (-7, None),
        (True, None),
        (None, None),
        ("", None),
        ("..", None),
        ("a/../b", None),
        ("a?b", None),
        ("-a", None),
        ("a\n", "a"),
        ("a\nb", None),
    ],
)
def test_ids(value: object, id: str | None) -> None:
    assert fields.ident(value) == id


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (1796000000.1, 1796000000.1),
        ("1796000000", 1796000000.0),
        ("2026-11-01T00:00:00Z", 1793491200.0),
        ("2026-11-01T01:00:00+01:00", 1793491200.0),
        ("2026-11-01T00:00:00", 1793491200.0),
        (0, None),
        (1796000000000, None),
        ("soon", None),
        ("9999-12-31T23:59:59-23:59", None),
        (None, None),
        (float("nan"), None),
    ],
)
def test_times(value: object, seconds: float | None) -> None:
    assert fields.moment(value) == seconds


@pytest.mark.parametrize("value", ["-oProxyCommand=x", "a b", "", "a;b", "$(x)", None, 7, "a\nb"])
def test_what_is_no_host(value: object) -> None:
    assert fields.host(value) is None


def test_what_is_a_host() -> None:
    for value in ("203.0.113.7", "ssh9.example.test", "2001:db8::5", "::1"):
        assert fields.host(f" {value} ") == value
