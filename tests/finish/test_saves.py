"""What a finish line still has to save, and when none is set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from tests.finish.world import Training, a_setting
from tui.actions.access import FleetAccess
from tui.actions.errors import ActionError
from tui.actions.finish_desk import FinishDesk
from tui.actions.finish_saves import FinishSaves
from tui.actions.finish_wish import Save
from tui.actions.finishes import Finishes
from tui.actions.gate_facts import BoxFacts
from tui.actions.instance import InstanceActions
from tui.actions.instance_gate import Sight
from tui.actions.journal import Journal
from tui.actions.transfer import TransferView
from tui.actions.transfers import Transfers
from tui.config.settings import HubSettings
from tui.links.asking import RefusingAsker
from tui.providers.account import Accounts
from tui.runs.model import Saved
from tui.view import BoxView, LinkView, RunView
from tui.watch.fleet import Fleet

PUSHED = Saved("hf://my-org/run1/best.pt", "a" * 64, "c" * 40, 1.0, True)
PULLED = Saved("/home/me/lab-run1/best.pt", "a" * 64, None, 1.0, True)


def saved_run(saved: Saved) -> RunView:
    view = Training("run1", "completed").view()
    files = tuple(structs.replace(file, saved=saved) for file in view.run.checkpoints)
    return RunView(structs.replace(view.run, checkpoints=files), None, None, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("save", "saved", "begins"),
    [
        ("push", PUSHED, False),
        ("pull", PUSHED, True),
        ("pull", PULLED, False),
        ("push", PULLED, True),
        ("push", structs.replace(PUSHED, current=False), True),
    ],
)
def test_what_is_saved_one_way_out_is_not_saved_the_other_way(
    save: Save, saved: Saved, begins: bool
) -> None:
    step = FinishSaves((save,)).step([saved_run(saved)], [])
    assert [work.save for work in step.begin] == [save] * begins
    assert step.is_done is not begins


@pytest.mark.parametrize(
    ("save", "saved", "begins"), [("push", PUSHED, True), ("pull", PULLED, False)]
)
def test_an_earlier_push_that_no_gate_proves_anew_is_pushed_again(
    save: Save, saved: Saved, begins: bool
) -> None:
    saves = FinishSaves((save,), is_proven=False)
    step = saves.step([saved_run(saved)], [])
    assert [work.save for work in step.begin] == [save] * begins
    for work in step.begin:
        saves.begun(work, 1)
        done = TransferView(
            1, save, "lab", work.run.run.path, "run1", work.names, "there", "saved", ""
        )
        assert saves.step([saved_run(saved)], [done]).is_done


class Unreached:
    """A box that never answers."""

    def box(self, name: str) -> BoxView:
        return BoxView(name, name, LinkView("offline"), ())

    def has_told(self, name: str) -> bool:
        return False


@pytest.fixture
def finishes(tmp_path: Path) -> Iterator[Finishes]:
    fleet = Fleet([], RefusingAsker(), None)
    desk = FinishDesk(
        Unreached(),
        Transfers(FleetAccess(fleet, RefusingAsker())),
        HubSettings(),
        actions=InstanceActions(Accounts([]), tmp_path),
        sight=lambda name: Sight(lambda *_: BoxFacts(name, 0.0)),
        journal=Journal(tmp_path),
    )
    finishes = Finishes(desk, lambda view: None)
    yield finishes
    finishes.close()
    fleet.close()


def test_what_cannot_be_written_down_is_not_set(finishes: Finishes, tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").mkdir()
    with pytest.raises(ActionError, match=r"no finish line is set: .*journal.jsonl cannot be"):
        finishes.set(a_setting(("pull",), None))
    assert finishes.views() == ()


def test_two_names_of_one_instance_have_one_finish_line(finishes: Finishes) -> None:
    setting = a_setting(("pull",), "stop")
    finishes.set(setting)
    for other in (setting, replace(setting, box="another name of it")):
        with pytest.raises(ActionError, match="is set already"):
            finishes.set(other)
    assert setting.bound is not None
    finishes.set(replace(setting, box="other", bound=replace(setting.bound, id="8")))
    assert [view.setting.box for view in finishes.views()] == ["lab", "other"]
