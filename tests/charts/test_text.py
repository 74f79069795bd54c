"""A chart for stdout: its legend says nothing that was cut."""

from __future__ import annotations

import pytest

from tui.charts.cells import Role, Run
from tui.charts.text import fit

LEGEND: tuple[Run, ...] = (
    ("losses", Role.TITLE),
    *(("  ", Role.BLANK), ("*", Role.LINE_1), (" train/loss ", Role.LABEL), ("3.405", Role.LINE_1)),
    *(("  ", Role.BLANK), ("* best 0 @ 10", Role.BEST)),
)


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (80, "losses  * train/loss 3.405  * best 0 @ 10"),
        (41, "losses  * train/loss 3.405  * best 0 @ 10"),
        (40, "losses  * train/loss 3.405"),
        (25, "losses  * best 0 @ 10"),
        (20, "losses"),
        (4, "loss"),
        (0, ""),
    ],
)
def test_an_entry_is_shown_whole_or_not_at_all(width: int, shown: str) -> None:
    assert "".join(text for text, _ in fit(LEGEND, width)) == shown


def test_a_legend_shows_no_token_of_a_hostile_column() -> None:
    runs: list[Run] = [("*", Role.LINE_1), (" x/\x1b[31mhf_SECRETsecret ", Role.LABEL)]
    assert "".join(text for text, _ in fit(runs, 80)) == "* x/hf_*** "
