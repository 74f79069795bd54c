"""Which instances boxtop itself ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.actions.instance_deeds import Deeds
from tui.actions.journal import Entry, Journal
from tui.boxes import InstanceName

NAME = InstanceName("vast", "7")


def write(data: Path, *told: tuple[str, str], id: str = "7") -> None:
    for second, (action, outcome) in enumerate(told):
        asked = {"provider": "vast", "id": id}
        at = f"2026-11-30T02:00:{second:02}+00:00"
        Journal(data).add(Entry(at=at, action=action, box="lab", outcome=outcome, asked=asked))


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ([("stop", "asked")], 300),
        ([("stop", "asked"), ("stop", "done")], 31),
        ([("destroy", "asked"), ("destroy", "unknown")], 301),
        ([("stop", "asked"), ("stop", "refused")], None),
        ([("stop", "done"), ("start", "asked")], None),
        ([("start", "done"), ("destroy", "done")], 31),
        ([("stop", "asked"), ("stop", "done"), ("start", "asked"), ("start", "refused")], 31),
        ([("stop", "done"), ("destroy", "asked"), ("destroy", "refused")], 30),
        ([("stop", "asked"), ("destroy", "asked"), ("destroy", "refused")], 300),
        ([("start", "asked"), ("stop", "asked"), ("stop", "refused")], None),
        ([("stop", "done"), ("start", "asked"), ("start", "left")], None),
        ([("kill", "done")], None),
        ([], None),
    ],
)
def test_what_was_done_last_counts_and_is_soon_over_once_a_list_confirmed_it(
    tmp_path: Path, told: list[tuple[str, str]], seconds: int | None
) -> None:
    write(tmp_path, *told)
    at = Deeds(tmp_path).silent_from(NAME)
    assert (None if at is None else at - 1_796_004_000.0) == seconds


def test_what_is_written_later_is_seen_and_other_instances_are_left_alone(tmp_path: Path) -> None:
    deeds = Deeds(tmp_path)
    assert deeds.silent_from(NAME) is None
    write(tmp_path, ("stop", "done"), id="8")
    assert deeds.silent_from(NAME) is None
    write(tmp_path, ("stop", "done"))
    assert deeds.silent_from(NAME) is not None


def test_a_journal_of_another_hand_harms_nothing(tmp_path: Path) -> None:
    asked = {"provider": ["vast"], "id": 7}
    Journal(tmp_path).add(Entry(at="soon", action="stop", box="lab", outcome="done", asked=asked))
    named = {"provider": "vast", "id": "7"}
    Journal(tmp_path).add(Entry(at="soon", action="stop", box="lab", outcome="done", asked=named))
    assert Deeds(tmp_path).silent_from(NAME) is None
