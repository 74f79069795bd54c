"""What the follower itself understands of status.json: as tolerant as those who read its copy."""

from __future__ import annotations

import json

import pytest

from tui.links.follower.status_text import parsed, parsed_number, parsed_time
from tui.runs.decode import instant


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30T02:00:00+00:00",
        "2026-11-30T02:00:00Z",
        "2026-11-30T02:00:00",
        "2026-11-30 02:00:00",
        " 2026-11-30T02:00:00.123456+00:00\n",
        "2026-11-30T07:30:00+05:30",
        "2026-11-29T19:00:00-07:00",
        "2026-11-29T19:00:00-0700",
        "2026-11-30T03:00:00+01",
    ],
)
def test_a_time_of_any_zone_is_the_same_moment(text: str) -> None:
    assert parsed_time(text) == 1796004000.0 == int(instant(text) or 0)


@pytest.mark.parametrize("text", ["", "soon", "2026-11-30", "2026-11-30T02:00:00 EST", None, 5, []])
def test_what_is_no_time_is_none(text: object) -> None:
    assert parsed_time(text) == 0.0


def test_numbers_may_be_text_and_of_any_length() -> None:
    assert parsed_number("61.5") == 61.5
    assert parsed_number(parsed(b'{"pid": 4242}')["pid"]) == 4242
    for nothing in (None, True, [], "many", "9" * 65):
        assert parsed_number(nothing) == 0.0
    endless = b'{"elapsed_seconds": ' + b"9" * 5000 + b', "pid": 4242}'
    assert parsed(endless)["pid"] == 4242


def test_marks_around_the_document_do_not_matter() -> None:
    document = json.dumps({"pid": 7}).encode()
    assert parsed(b"\xef\xbb\xbf" + document + b"\0\0\n") == {"pid": 7}
    assert parsed(b"[7]") == parsed(b"{") == {}
