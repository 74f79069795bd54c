"""Which checkpoints a person means."""

from __future__ import annotations

import pytest

from tui.actions.choice import choose
from tui.errors import UserError
from tui.runs.model import Checkpoint, Run


def run(*names: str) -> Run:
    return Run(id="exp/run1", path="/r", checkpoints=tuple(Checkpoint(n, 1, 0.0) for n in names))


FULL = run("average.pt", "epoch_10.pt", "epoch_5.pt", "last.pt", "best.pt")


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ((), ["best.pt", "last.pt"]),
        (("best",), ["best.pt"]),
        (("last", "best.pt", "best"), ["best.pt", "last.pt"]),
        (("epoch_5",), ["epoch_5.pt"]),
        (("all",), ["best.pt", "last.pt", "epoch_10.pt", "epoch_5.pt", "average.pt"]),
    ],
)
def test_words_and_names_choose_checkpoints_once_each(
    what: tuple[str, ...], names: list[str]
) -> None:
    assert [file.name for file in choose(what, FULL)] == names


def test_nothing_named_takes_what_there_is() -> None:
    assert [file.name for file in choose((), run("last.pt"))] == ["last.pt"]
    assert [file.name for file in choose((), run("epoch_1.pt", "epoch_2.pt"))] == ["epoch_2.pt"]


def test_a_checkpoint_that_is_not_there_is_refused_with_what_is() -> None:
    with pytest.raises(UserError, match="no checkpoint 'bset'") as caught:
        choose(("bset",), FULL)
    assert (
        caught.value.hint
        == "did you mean best? it has best, last, epoch_10, epoch_5, average, or all"
    )


def test_a_run_in_its_first_epoch_has_none_yet() -> None:
    with pytest.raises(UserError, match="exp/run1 has no checkpoint yet"):
        choose(("all",), run())
