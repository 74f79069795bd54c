"""S, D, P and K in every state that a provider tells: each answers, and none sends by itself."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Button

from tests.hub import hub_fixture
from tests.screens import test_instances
from tests.screens.test_instances import over as over
from tests.screens.test_instances import quick as quick
from tests.screens.test_instances import renting
from tests.screens.test_weights import run as run
from tests.screens.watching import Watch
from tui.app import BoxtopApp
from tui.providers.base import Action, Instance, Listing, Reply, State
from tui.providers.demo import Demo
from tui.screens.dialog import Dialog
from tui.screens.looking import Looking

__all__ = ["hub_fixture"]

ANSWERS: dict[State, dict[str, str]] = {
    State.STOPPING: {"S": "lab: it is stopping already"},
    State.STOPPED: {"S": "lab: it is stopped already"},
    State.TERMINATING: {"S": "nothing was sent", "D": "lab: it is terminating already"},
    State.GONE: {"S": "nothing was sent", "D": "lab: it is gone already"},
}
"""Where nothing is asked; everywhere else there is a question."""

ASKS = {
    "S": "stop an instance",
    "D": "destroy an instance",
    "P": "push weights to the Hugging Face Hub",
    "K": "nothing to end",
}


class Frozen(Demo):
    """An account whose instance stays in one state, and that takes down what is sent."""

    state = State.RUNNING

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[Action] = []

    def list(self) -> Listing:
        found = super().list()
        return Listing(tuple(self._frozen(one) for one in found.instances))

    def get(self, id: str) -> Instance | None:
        found = super().get(id)
        return None if found is None else self._frozen(found)

    def _frozen(self, one: Instance) -> Instance:
        return replace(one, state=self.state, raw_state=str(self.state), allowed=None)

    def stop(self, id: str) -> Reply:
        self.sent.append("stop")
        return super().stop(id)

    def destroy(self, id: str) -> Reply:
        self.sent.append("destroy")
        return super().destroy(id)


async def answer(watch: Watch, key: str, lines: list[str]) -> str:
    """Press a key, and return what it led to: a dialog's heading, or a line; leaves it again."""
    app = watch.app
    lines.clear()
    await watch.press(key)
    await watch.until(lambda: is_asked(app) or bool(lines))
    if not isinstance(app.screen, Dialog):
        return lines[-1]
    heading = app.screen.heading
    await watch.until(lambda: isinstance(app.screen.focused, Button))
    focused = app.screen.focused
    assert focused is not None
    assert key == "P" or focused.id in ("cancel", "no", "close"), focused  # P asks again later
    await watch.press("escape")
    await watch.until(lambda: not isinstance(app.screen, Dialog))
    told = asyncio.Event()
    app.call_later(told.set)  # what is said of leaving is no answer to the next key
    await told.wait()
    return heading


def is_asked(app: BoxtopApp) -> bool:
    """Whether a dialog says or asks something: the look before it is over."""
    return isinstance(app.screen, Dialog) and not isinstance(app.screen, Looking)


@pytest.mark.parametrize("state", list(State))
async def test_every_key_answers_in_every_state_and_none_sends_by_itself(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: State
) -> None:
    monkeypatch.setattr(test_instances, "Demo", Frozen)
    monkeypatch.setattr(Frozen, "state", state)
    lines: list[str] = []
    monkeypatch.setattr(BoxtopApp, "say", lambda self, message, *_: lines.append(message))
    async with renting(run, tmp_path) as watch:
        for key in "SDPK":
            assert await answer(watch, key, lines) == ANSWERS.get(state, {}).get(key, ASKS[key])
        assert watch.account.sent == []  # type: ignore[attr-defined]
