"""A root that cannot be searched is an error of the box, unless every box has it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.watch.scripted import BOX, Script
from tui.facts import Hello, Notice, Settled
from tui.links.asking import RefusingAsker
from tui.report.document import status_document
from tui.report.exit_code import exit_code
from tui.report.lines import Paper
from tui.report.plain import status_lines
from tui.watch.look import look
from tui.watch.notices import NOTICES_KEPT, Notices


@pytest.mark.parametrize(
    ("root", "place", "code"),
    [("/data/runs", "/data/runs", 4), ("~/runs", "/home/a/runs", 4), ("/root/runs",) * 2 + (0,)],
)
def test_a_root_that_cannot_be_searched(root: str, place: str, code: int, tmp_path: Path) -> None:
    line = f"cannot search {place}: Permission denied"
    script = Script((Hello("python", 1000.0, searched=(place,)), Notice(line), Settled(1000.0)))
    box = replace(BOX, roots=(root,))
    views = look([box], RefusingAsker(), None, link_for=lambda *_: script.link())
    assert exit_code(views) == code
    assert status_document(views, 0.0)["boxes"][0]["notices"] == [line]
    text = "\n".join(status_lines(views, Paper(100)))
    assert text.count(line) == 1
    assert ("no runs yet" in text) == (code == 0)


def test_a_directory_below_a_root_is_a_notice() -> None:
    notices = Notices()
    notices.add("cannot search /data/runs/x: Permission denied")
    assert list(notices.unsearched(["/data/runs"], ["/data/runs"])) == []


def test_each_line_is_kept_once_and_not_without_end() -> None:
    notices = Notices()
    for number in range(100):
        notices.add(f"line {number // 2}")
    assert notices.told() == tuple(f"line {number}" for number in range(50))[-NOTICES_KEPT:]
