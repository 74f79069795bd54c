"""What is answered without click is answered as click would."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.runs import RUNS
from tui.cli.quick import quick_answer


@pytest.mark.parametrize(
    "words",
    [
        ["statsu"],
        ["watch", "--json"],
        ["watch", "--record", "there"],
        ["status", "--help"],
        ["status", "--config"],
        ["--data-dir", "--json"],
        ["boxes"],
        ["lab"],
    ],
)
def test_what_only_click_can_read_is_left_to_it(words: list[str]) -> None:
    assert quick_answer(words) is None


def test_a_shell_that_completes_is_left_to_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_BOXTOP_COMPLETE", "bash_source")
    assert quick_answer([]) is None


def test_options_with_a_value_may_stand_anywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = str(RUNS / "yolox_done")
    data = ["--data-dir", str(tmp_path)]
    for words in ([*data, "status", run, "--json"], ["status", "--json", run, *data]):
        assert quick_answer(words) == 0
        (box,) = json.loads(capsys.readouterr().out)["boxes"]
        assert box["name"] == "yolox_done"
