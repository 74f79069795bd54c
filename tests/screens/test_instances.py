"""Stopping, starting and destroying by keys: on a demo account, with a real gate before it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from textual.widgets import Button, Input

from tests.hub import hub_fixture  # noqa: F401
from tests.hub.server import Hub
from tests.onbox.checkpoints import checkpoint, put, write_status
from tests.screens.test_weights import (
    Steady,
    agree,
    click,
    dialog,
    said,
    shown,
)
from tests.screens.test_weights import run as run
from tests.screens.watching import Watch
from tui.app import BoxtopApp
from tui.boxes import Box, InstanceName, LocalTarget
from tui.config.settings import HubSettings
from tui.links.asking import RefusingAsker
from tui.providers import demo as demo_provider
from tui.providers.account import Accounts
from tui.providers.demo import Demo
from tui.rent import RentView
from tui.rented.opening import Opened, Rents
from tui.screens.instance_desk import open_instance_desk
from tui.screens.instance_dialog import InstanceDialog
from tui.screens.options import ScreenOptions
from tui.screens.push_dialog import AskDialog, ConfirmPush, PushDialog
from tui.screens.weights import open_desk
from tui.watch import Fleet

NAME = "lab"
HUB = HubSettings(to="my-org/{run}")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, hub: Hub) -> None:
    """An account that does in a moment what it is asked for."""
    monkeypatch.setenv("HF_TOKEN", hub.token)
    for name in ("STOP_SECONDS", "START_SECONDS", "DESTROY_SECONDS"):
        monkeypatch.setattr(demo_provider, name, 0.2)


@pytest.fixture(autouse=True)
def over(run: Path) -> None:
    """The training of the run is over: its process is gone."""
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    write_status(
        run, state="completed", completed_epochs=9, start_epoch=1, total_epochs=9, pid=gone.pid
    )


@asynccontextmanager
async def renting(
    run: Path,
    tmp_path: Path,
    instance: str = "demo-a100",
    *,
    read_only: bool = False,
    size: tuple[int, int] = (120, 44),
) -> AsyncIterator[Watch]:
    """The app on a box of this machine that an account rents out."""
    root, data = run.parent, tmp_path / "data"
    target = LocalTarget(root)
    box = Box(NAME, str(root), target, (str(root),), instance=InstanceName("demo", instance))
    asker = RefusingAsker()
    account = Demo()
    with closing(Fleet((box,), asker, data)) as fleet:
        rents = Rents(Opened(Accounts([account])), adds=False, same_machine=False)
        closers = []

        def desk() -> object:
            made = open_desk(fleet, asker, HUB, read_only=read_only, data=data)
            closers.append(made.close)
            return made

        def rented() -> object:
            made = open_instance_desk(fleet, asker, rents, data, roots=(), read_only=read_only)
            closers.append(made.close)
            return made

        clock = Steady()
        options = ScreenOptions(desk=desk, rents=rented)  # type: ignore[arg-type]
        app = BoxtopApp(fleet, options, steady_time=clock)
        async with app.run_test(size=size) as pilot:
            watch = Watch(app, pilot, None)  # type: ignore[arg-type]
            watch.clock = clock  # type: ignore[attr-defined]
            watch.account = account  # type: ignore[attr-defined]
            await watch.until(lambda: app.questions.instances is not None)
            await watch.until(lambda: bool((rent := rent_of(app)) and rent.is_listed))
            yield watch
        for close in closers:
            close()


def rent_of(app: BoxtopApp) -> RentView | None:
    return app.boxes[0].rent if app.boxes else None


def state(watch: Watch, id: str = "demo-a100") -> str | None:
    found = watch.account.get(id)  # type: ignore[attr-defined]
    return None if found is None else str(found.state)


def journal(tmp_path: Path) -> list[dict[str, object]]:
    path = tmp_path / "data/journal.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


async def asked(watch: Watch, key: str) -> None:
    await watch.press(key)
    await shown(watch, InstanceDialog)


async def test_cancel_has_the_focus_and_sends_nothing(run: Path, tmp_path: Path) -> None:
    async with renting(run, tmp_path) as watch:
        for key in ("S", "D"):
            await asked(watch, key)
            focused = watch.app.screen.focused
            assert isinstance(focused, Button) and focused.id == "cancel"
            await watch.press("enter")
            await watch.until(lambda: "nothing was sent" in watch.text)
        assert state(watch) == "running"
        assert journal(tmp_path) == []


async def test_a_stop_says_what_it_means_and_is_done_when_the_list_says_so(
    run: Path, tmp_path: Path
) -> None:
    async with renting(run, tmp_path) as watch:
        await asked(watch, "S")
        words = said(watch)
        assert "stop lab (demo demo-a100)" in words
        assert "NVIDIA A100" in words and "$1.49/h (reported)" in words
        assert "releases the GPUs" in words and "may not start again" in words
        await click(watch, "act")
        await shown(watch, AskDialog)
        assert "is stopped: demo's list says so" in said(watch)
        assert "still bills $0.0694/h" in said(watch)
        assert state(watch) == "stopped"
        assert [line["outcome"] for line in journal(tmp_path)][-1] == "done"


async def test_leaving_asks_while_a_stop_is_not_confirmed(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_provider, "STOP_SECONDS", 600.0)
    async with renting(run, tmp_path) as watch:
        await asked(watch, "S")
        await click(watch, "act")
        await watch.until(lambda: state(watch) == "stopping")
        await watch.press("q")
        await shown(watch, AskDialog)
        assert "stop lab (demo demo-a100): nobody will see whether that was done" in said(watch)
        focused = watch.app.screen.focused
        assert focused is not None and focused.id == "no"
        await click(watch, "yes")
        await watch.until(lambda: not watch.app.is_running)


async def test_unsaved_weights_stand_against_a_destroy(run: Path, tmp_path: Path) -> None:
    async with renting(run, tmp_path) as watch:
        await asked(watch, "D")
        assert "best.pt" in said(watch) and "saved nowhere" in said(watch)
        await click(watch, "act")
        assert "type lab to destroy it" in said(watch)
        assert isinstance(watch.app.screen, InstanceDialog)
        await watch.press("escape")
        assert state(watch) == "running"


async def test_a_push_from_the_dialog_opens_the_way_to_a_destroy(
    run: Path, tmp_path: Path, hub: Hub
) -> None:
    async with renting(run, tmp_path) as watch:
        await asked(watch, "D")
        await click(watch, "push")
        await shown(watch, PushDialog)
        await click(watch, "go")
        await shown(watch, ConfirmPush)
        await click(watch, "push")
        await watch.until(lambda: "saved both" in watch.text)
        await asked(watch, "D")
        assert "saved nowhere" not in said(watch)
        watch.app.screen.query_one(Input).value = NAME
        await click(watch, "act")
        await shown(watch, AskDialog)
        assert "is gone: demo's list says so" in said(watch)
        assert state(watch) is None
        last = journal(tmp_path)[-1]
        assert (last["action"], last["outcome"]) == ("destroy", "done")


async def test_weights_written_after_the_dialog_opened_are_not_lost(
    run: Path, tmp_path: Path
) -> None:
    async with renting(run, tmp_path) as watch:
        await agree(watch)
        await watch.until(lambda: "saved both" in watch.text)
        await asked(watch, "D")
        put(run / "weights/last.pt", checkpoint(200_000, 3), age=0)
        watch.app.screen.query_one(Input).value = NAME
        await click(watch, "act")
        await shown(watch, AskDialog)
        assert "nothing was sent" in said(watch) and "run1: last.pt" in said(watch)
        assert state(watch) == "running"


async def test_the_name_below_the_list_loses_what_is_listed(run: Path, tmp_path: Path) -> None:
    async with renting(run, tmp_path) as watch:
        await asked(watch, "D")
        watch.app.screen.query_one(Input).value = "demo-a100"
        await click(watch, "act")
        await shown(watch, AskDialog)
        assert "is gone" in said(watch)
        assert '"override"' in (tmp_path / "data/journal.jsonl").read_text()


async def test_another_name_destroys_nothing(run: Path, tmp_path: Path) -> None:
    async with renting(run, tmp_path) as watch:
        await asked(watch, "D")
        for name in ("", "labb", "demo-4090", "LAB"):
            watch.app.screen.query_one(Input).value = name
            await click(watch, "act")
            assert isinstance(watch.app.screen, InstanceDialog)
        await watch.press("escape")
        assert state(watch) == "running"


async def test_what_is_typed_is_the_name_though_cancel_has_the_focus(
    run: Path, tmp_path: Path
) -> None:
    async with renting(run, tmp_path) as watch:
        await asked(watch, "D")
        field = watch.app.screen.query_one(Input)
        assert watch.app.focused is watch.app.screen.query_one("#cancel")
        assert field.placeholder == ""
        await watch.type("labb")
        assert field.value == "labb" and watch.app.focused is field
        await watch.press("enter")
        assert isinstance(watch.app.screen, InstanceDialog) and state(watch) == "running"
        await watch.press("backspace", "enter")
        await watch.until(lambda: state(watch) is None)


async def test_held_and_pasted_keys_answer_nothing(run: Path, tmp_path: Path) -> None:
    async with renting(run, tmp_path) as watch:
        await watch.press("D")
        await watch.until(lambda: isinstance(watch.app.screen, InstanceDialog))
        await watch.press("tab", "tab", "enter", "D", "D", "y", "enter")
        assert isinstance(watch.app.screen, InstanceDialog)
        assert state(watch) == "running"


async def test_a_box_without_a_free_gpu_is_queued_and_a_stop_cancels_that(
    run: Path, tmp_path: Path
) -> None:
    async with renting(run, tmp_path, "demo-4090") as watch:
        await asked(watch, "S")
        await click(watch, "act")
        await shown(watch, AskDialog)
        await watch.press("escape")
        watch.app.screen.do_start()  # type: ignore[attr-defined]
        await shown(watch, InstanceDialog)
        assert "start lab (demo demo-4090)" in said(watch)
        await click(watch, "act")
        await shown(watch, AskDialog)
        assert "waits for a GPU" in said(watch) and "a stop cancels that" in said(watch)
        assert "S on it cancels the queued start" in said(watch)
        assert "start: queued, NOT running" in watch.text
        assert state(watch, "demo-4090") == "queued"
        await watch.press("escape")
        await asked(watch, "S")
        await click(watch, "act")
        await shown(watch, AskDialog)
        assert state(watch, "demo-4090") == "stopped"


async def test_what_cannot_be_done_says_why_at_once(run: Path, tmp_path: Path) -> None:
    async with renting(run, tmp_path) as watch:
        watch.app.screen.do_start()  # type: ignore[attr-defined]
        await watch.settle()
        assert "lab: it is running already" in watch.text
    async with renting(run, tmp_path, read_only=True) as watch:
        for key in ("S", "D"):
            await watch.press(key)
            assert "--read-only forbids" in watch.text


async def test_only_one_action_on_an_instance_at_a_time(run: Path, tmp_path: Path) -> None:
    async with renting(run, tmp_path) as watch:
        instances, row = watch.app.questions.instances, watch.app.screen.row  # type: ignore[attr-defined]
        assert instances is not None
        instances.ask("destroy", row)
        instances.ask("stop", row)
        await watch.settle()
        await shown(watch, InstanceDialog)
        assert "destroy lab" in said(watch)
        await watch.press("escape")
        await asked(watch, "D")


async def test_a_dialog_is_whole_on_a_phone(run: Path, tmp_path: Path) -> None:
    async with renting(run, tmp_path, size=(40, 12)) as watch:
        await asked(watch, "D")
        text = said(watch)
        assert "destroy lab (demo demo-a100)" in text
        assert "Cancel" in text and "Destroy" in text
        assert watch.app.screen.query_one("#dialog-body").region.height >= 9
        assert "more: ↓ or pgdn" in dialog(watch)[-1]
        for _ in range(20):
            await watch.press("down")
        focused = watch.app.screen.focused
        assert focused is not None and focused.id == "cancel"
        for _ in range(8):
            await watch.press("pagedown")
        assert "Type lab" in said(watch)
        assert "more" not in dialog(watch)[-1]
        await watch.press("up")
        assert "more: ↓ or pgdn" in dialog(watch)[-1]
        await watch.press("escape")


async def test_a_box_that_idles_while_it_bills_is_the_first_thing_said(
    run: Path, tmp_path: Path
) -> None:
    status = json.loads((run / "status.json").read_text())
    status["updated_at"] = "2020-01-01T00:00:00+00:00"
    (run / "status.json").write_text(json.dumps(status))
    async with renting(run, tmp_path) as watch:
        await watch.until(lambda: "lab idle " in watch.text)
        assert "S stop, D destroy" in watch.text


@pytest.mark.parametrize("key", ["S", "D"])
async def test_a_dialog_whose_instance_went_away_meanwhile_sends_nothing(
    run: Path, tmp_path: Path, key: str
) -> None:
    async with renting(run, tmp_path) as watch:
        await asked(watch, key)
        watch.account.destroy("demo-a100")  # type: ignore[attr-defined]
        await watch.until(lambda: state(watch) is None)
        for field in watch.app.screen.query(Input):
            field.value = NAME
        await click(watch, "act")
        await shown(watch, AskDialog)
        assert "lab (demo demo-a100) is gone" in said(watch)
        assert all(line["outcome"] != "asked" for line in journal(tmp_path))


async def test_a_dialog_whose_run_went_away_meanwhile_takes_nothing_for_saved(
    run: Path, tmp_path: Path
) -> None:
    async with renting(run, tmp_path) as watch:
        await asked(watch, "D")
        run.rename(run.with_name("elsewhere"))
        watch.app.screen.query_one(Input).value = NAME
        await click(watch, "act")
        await shown(watch, AskDialog)
        assert "nothing was sent" in said(watch), said(watch)
        assert state(watch) == "running"
