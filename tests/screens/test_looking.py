"""While boxtop looks at a box before it asks, what is typed on is no command of the list below."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.hub import hub_fixture  # noqa: F401
from tests.hub.server import Hub
from tests.onbox.end_trees import FakeTraining
from tests.screens import test_instances
from tests.screens.test_instances import over as over
from tests.screens.test_instances import quick as quick
from tests.screens.test_instances import renting, state
from tests.screens.test_weights import click, desk, said, shown
from tests.screens.test_weights import run as run
from tests.screens.watching import Watch
from tui.actions.transfer import BoxAccess
from tui.providers.base import Instance, Listing
from tui.providers.demo import Demo
from tui.screens.fleet import FleetScreen
from tui.screens.instance_dialog import InstanceDialog
from tui.screens.looking import Looking
from tui.screens.push_dialog import AskDialog, ConfirmPush, PushDialog

LOOSE_KEYS = ("q", "Q", "j", "m", "a", "D", "S", "K", "colon", "question_mark", "slash")


class Held(Demo):
    """An account that answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = threading.Event()
        self.answers.set()

    def list(self) -> Listing:
        self.answers.wait(60)
        return super().list()

    def get(self, id: str) -> Instance | None:
        self.answers.wait(60)
        return super().get(id)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    account = Held()
    monkeypatch.setattr(test_instances, "Demo", lambda: account)
    yield account
    account.answers.set()


async def looking(watch: Watch, key: str) -> None:
    await watch.press(key)
    await shown(watch, Looking)


def is_at_the_list(watch: Watch) -> bool:
    return [type(screen) for screen in watch.app.screen_stack] == [FleetScreen]


@pytest.mark.parametrize("key", ["S", "D"])
async def test_what_is_typed_on_reaches_neither_the_list_nor_the_question(
    run: Path, tmp_path: Path, held: Held, key: str
) -> None:
    async with renting(run, tmp_path) as watch:
        held.answers.clear()
        await looking(watch, key)
        assert "lab (demo demo-a100)" in said(watch)
        await watch.press(*LOOSE_KEYS)
        assert isinstance(watch.app.screen, Looking)
        held.answers.set()
        await shown(watch, InstanceDialog)
        assert len(watch.app.screen_stack) == 2
        assert watch.app.focused is watch.app.screen.query_one("#cancel")
        assert [field.value for field in watch.app.screen.query("Input")] in ([], [""])
        await watch.press("escape")
        await watch.until(lambda: is_at_the_list(watch))
        assert state(watch) == "running"


async def test_keys_that_came_with_the_first_one_are_not_the_lists_either(
    run: Path, tmp_path: Path, held: Held
) -> None:
    from tests.screens.test_pressed_twice import burst

    async with renting(run, tmp_path) as watch:
        held.answers.clear()
        burst(watch, "D", "q")
        await shown(watch, Looking)
        held.answers.set()
        await shown(watch, InstanceDialog)
        assert watch.app.is_running and state(watch) == "running"


async def test_a_look_that_is_left_asks_nothing_later_and_can_begin_anew(
    run: Path, tmp_path: Path, held: Held
) -> None:
    async with renting(run, tmp_path) as watch:
        held.answers.clear()
        await looking(watch, "D")
        look = watch.app.screen
        await watch.press("escape")
        await watch.until(lambda: "nothing was sent" in watch.text)
        assert isinstance(look, Looking)
        await watch.until(lambda: look.stop.cancelled)
        await looking(watch, "S")
        held.answers.set()
        await shown(watch, InstanceDialog)
        assert "stop lab" in said(watch) and len(watch.app.screen_stack) == 2


async def test_a_question_above_a_look_is_answered_first(
    run: Path, tmp_path: Path, held: Held
) -> None:
    async with renting(run, tmp_path) as watch:
        held.answers.clear()
        await looking(watch, "D")
        answers: list[bool | None] = []
        watch.app.push_screen(AskDialog("a host key", ["trust it?"], "Yes"), answers.append)
        await shown(watch, AskDialog)
        looks = [screen for screen in watch.app.screen_stack if isinstance(screen, Looking)]
        held.answers.set()
        await watch.until(lambda: looks[0]._then is not None)
        assert "trust it?" in said(watch)
        await click(watch, "yes")
        await shown(watch, InstanceDialog)
        assert answers == [True] and len(watch.app.screen_stack) == 2
        await watch.press("escape")
        await watch.until(lambda: "nothing was sent" in watch.text)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
async def test_a_training_is_not_ended_and_boxtop_not_left_by_keys_typed_on(tmp_path: Path) -> None:
    training = FakeTraining(tmp_path / "runs/run1", "rank0", shell=True)
    (training.run / "weights").mkdir(exist_ok=True)
    (training.run / "weights/best.pt").write_bytes(b"not yet whole")
    may_look = threading.Event()
    try:
        async with desk(training.run, tmp_path) as watch:
            watch.app.questions.open_weights()
            ending = watch.app.questions.ending
            assert ending is not None
            access = ending.desk.access

            def held_access(name: str) -> BoxAccess | None:
                may_look.wait(60)
                return access(name)

            ending.desk = replace(ending.desk, access=held_access)
            await looking(watch, "K")
            assert "run1 on lab" in said(watch)
            await watch.press(*LOOSE_KEYS)
            may_look.set()
            await shown(watch, AskDialog)
            assert "end the training run1" in said(watch)
            await watch.press("escape")
            await watch.until(lambda: is_at_the_list(watch))
            assert training.alive() == {"rank0"}
    finally:
        may_look.set()
        training.end()


async def test_nothing_is_left_by_a_key_while_the_hub_is_asked(
    run: Path, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tui.actions.saving import Saving

    may_answer = threading.Event()
    check = Saving.check

    def held_check(self: Saving, *args: object) -> object:
        may_answer.wait(60)
        return check(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Saving, "check", held_check)
    async with desk(run, tmp_path, test_instances.HUB) as watch:
        try:
            await watch.press("P")
            await shown(watch, PushDialog)
            await click(watch, "go")
            await shown(watch, Looking)
            assert "asking the Hub" in said(watch)
            await watch.press(*LOOSE_KEYS)
            assert isinstance(watch.app.screen, Looking)
        finally:
            may_answer.set()
        await shown(watch, ConfirmPush)
        await watch.press("escape")
        await watch.until(lambda: is_at_the_list(watch))
