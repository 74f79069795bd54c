"""boxtop push after the Hub asked to be left alone for a while."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.hub import hub_fixture  # noqa: F401
from tests.hub.faults import Answer
from tests.hub.server import Hub
from tests.onbox.checkpoints import checkpoint, make_weights, write_status

NOT_BEFORE = r"not before \d\d:\d\d, in (1:00:00|59:\d\d)"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = make_weights(tmp_path / "runs" / "run1", best=checkpoint(300_000, 1))
    write_status(path, state="completed", completed_epochs=9, start_epoch=1, total_epochs=9)
    return path


def test_the_time_is_said_and_heeded_by_the_next_push_unless_now(
    boxtop: Boxtop, run: Path, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", hub.token)
    hub.order("whoami", Answer(429, {"error": "slow down"}, {"Retry-After": "3600"}), 20)
    words = ("push", "--data-dir", tmp_path / "data", run, "--yes", "--to")
    called = boxtop(*words, "my-org/exp")
    assert called.code == 6
    assert re.search(f"  {NOT_BEFORE}: then `boxtop push` again", called.err), called.err
    hub.faults.clear()
    asked = len(hub.asked())
    again = boxtop(*words, "My-Org/exp/other")
    assert again.code == 6 and len(hub.asked()) == asked
    told = "the Hub wants My-Org/exp to be left alone: " + NOT_BEFORE
    assert re.search(told, again.err), again.err
    assert "--now tries all the same" in again.err
    assert boxtop(*words, "my-org/another").code == 0
    assert boxtop(*words, "my-org/exp", "--now").code == 0
