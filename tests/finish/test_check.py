"""What an error means that was raised before anything was sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.actions.errors import ActionError
from tui.actions.finish_check import of_error
from tui.actions.instance_lock import unkept


@pytest.mark.parametrize(
    "error",
    [
        unkept(Path("/data/journal.jsonl"), OSError(28, "No space left")),
        ActionError("lost", "lost"),
    ],
)
def test_it_is_said_once_that_nothing_was_sent(error: ActionError) -> None:
    finding = of_error(error)
    assert finding.text.startswith("nothing was sent: ")
    assert finding.text.count("nothing was sent") == 1
    assert finding.result == "failed"
