"""Finish lines by key: set in a dialog, seen all the time, and cancelled by the same key."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from textual.widgets import Button, Input

from tests.onbox.checkpoints import checkpoint, make_weights, write_status
from tests.screens.test_weights import Steady, click, said, shown
from tests.screens.watching import Watch
from tui.actions import finish_desk
from tui.actions.finish_line import Timing
from tui.actions.finish_wish import Setting, Wish
from tui.actions.instance_plan import Bound
from tui.app import BoxtopApp
from tui.boxes import Box, InstanceName, LocalTarget
from tui.config.settings import HubSettings
from tui.links.asking import RefusingAsker
from tui.providers import demo as demo_provider
from tui.providers.account import Accounts
from tui.providers.demo import Demo
from tui.rented.opening import Opened, Rents
from tui.screens.finish import open_finishing
from tui.screens.finish_dialog import FinishDialog
from tui.screens.instance_desk import open_instance_desk
from tui.screens.options import ScreenOptions
from tui.screens.push_dialog import AskDialog
from tui.screens.weights import open_desk
from tui.watch import Fleet

BEST, LAST = checkpoint(20_000, 1), checkpoint(20_000, 2)
NAME = "demo-a100"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("STOP_SECONDS", "START_SECONDS", "DESTROY_SECONDS"):
        monkeypatch.setattr(demo_provider, name, 0.2)
    timed(monkeypatch, countdown=300.0)
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")


def timed(monkeypatch: pytest.MonkeyPatch, countdown: float) -> None:
    timing = Timing(tick=0.05, settle=0.3, countdown=countdown, first_wait=0.2, tries=2)
    monkeypatch.setattr(finish_desk, "TIMING", timing)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = make_weights(tmp_path / "runs" / "run1", best=BEST, last=LAST)
    end(path)
    (path / "metrics.jsonl").write_text('{"epoch": 9, "train/loss": 1.5}\n')
    return path


def end(path: Path) -> None:
    write_status(path, state="completed", pid=None, completed_epochs=9, start_epoch=1)


@asynccontextmanager
async def renting(
    run: Path,
    tmp_path: Path,
    *,
    read_only: bool = False,
    size: tuple[int, int] = (120, 44),
    setting: Setting | None = None,
    rented: bool = True,
) -> AsyncIterator[Watch]:
    """The app on a box of this machine that a demo account rents out."""
    root = run.parent
    own = InstanceName("demo", NAME) if rented else None
    box = Box("lab", str(root), LocalTarget(root), (str(root),), instance=own)
    asker, data = RefusingAsker(), tmp_path / "data"
    with closing(Fleet((box,), asker, data)) as fleet:
        account = Demo()
        rents = Rents(Opened(Accounts([account])), adds=False, same_machine=False)
        made: list[object] = []

        def kept(thing: object) -> object:
            made.append(thing)
            return thing

        options = ScreenOptions(
            desk=lambda: kept(  # type: ignore[arg-type,return-value]
                open_desk(fleet, asker, HubSettings(), read_only=read_only, data=data)
            ),
            rents=lambda: kept(  # type: ignore[arg-type,return-value]
                open_instance_desk(fleet, asker, rents, data, roots=(), read_only=read_only)
            ),
            finish=lambda app: kept(open_finishing(app, fleet, setting)),  # type: ignore[arg-type,return-value]
        )
        clock = Steady()
        app = BoxtopApp(fleet, options, steady_time=clock)
        async with app.run_test(size=size) as pilot:
            watch = Watch(app, pilot, None)  # type: ignore[arg-type]
            watch.clock = clock  # type: ignore[attr-defined]
            watch.account = account  # type: ignore[attr-defined]
            watch.fleet = fleet  # type: ignore[attr-defined]
            await watch.until(lambda: app.questions.finishing is not None)
            await watch.until(
                lambda: (
                    bool(app.boxes and app.boxes[0].runs)
                    and (not rented or bool(app.boxes[0].rent and app.boxes[0].rent.is_listed))
                )
            )
            yield watch
        for one in reversed(made):
            one.close()  # type: ignore[attr-defined]


def state(watch: Watch) -> str | None:
    found = watch.account.get(NAME)  # type: ignore[attr-defined]
    return None if found is None else str(found.state)


async def told(watch: Watch, words: str) -> None:
    """Wait until words are on the screen, in however many rows of a frame."""
    await watch.until(lambda: words in " ".join(watch.text.replace("│", " ").split()))


async def open_dialog(watch: Watch) -> None:
    await watch.press("F")
    await shown(watch, FinishDialog)


async def set_destroy(watch: Watch) -> None:
    """Ask for pull and destroy, with the name typed."""
    await open_dialog(watch)
    for _ in range(2):
        await click(watch, "ends")
    watch.app.screen.query_one(Input).value = "lab"
    await click(watch, "set")


async def test_a_destroy_is_set_with_the_typed_name_counted_down_and_cancelled(
    run: Path, tmp_path: Path
) -> None:
    async with renting(run, tmp_path) as watch:
        await open_dialog(watch)
        assert "it is lab (demo demo-a100)" in said(watch)
        assert "saves: pull best.pt and last.pt, below …" in said(watch)
        assert "/cwd" in said(watch)
        assert "ends: leave the instance as it is" in said(watch)
        focused = watch.app.screen.focused
        assert focused is not None and focused.id == "cancel"
        for _ in range(2):
            await click(watch, "ends")
        await click(watch, "set")
        assert isinstance(watch.app.screen, FinishDialog)
        assert "type lab to let boxtop destroy it then" in said(watch)
        watch.app.screen.query_one(Input).value = "lab"
        await click(watch, "set")
        await watch.until(lambda: "DESTROYS lab (demo demo-a100) in 5:" in watch.text)
        assert "F CANCELS" in watch.line("DESTROYS lab")
        assert (tmp_path / "cwd/lab-run1/best.pt").read_bytes() == BEST
        await watch.press("enter")
        await watch.until(lambda: "DESTROYS lab (demo demo-a100) in" in watch.text)
        await watch.press("p")
        await watch.resize((40, 6))
        await watch.until(lambda: "to DESTROY lab" in watch.text)
        assert "F CANCELS" in watch.line(" to DESTROY lab")
        await watch.resize((120, 44))
        await watch.press("F")
        await watch.until(lambda: "finish line of lab cancelled: nothing was sent" in watch.text)
        assert state(watch) == "running"
        await watch.press("F")
        await watch.until(lambda: "finish line of lab" not in watch.text)


async def test_at_the_end_of_the_countdown_it_is_destroyed(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed(monkeypatch, 0.5)
    async with renting(run, tmp_path) as watch:
        await set_destroy(watch)
        await watch.until(
            lambda: "finish line of lab done: lab (demo demo-a100) is gone" in watch.text
        )
        assert state(watch) is None
    entries = [json.loads(line) for line in (tmp_path / "data/journal.jsonl").open()]
    assert [one["action"] for one in entries] == [
        "finish line",
        "destroy",
        "destroy",
        "finish line",
    ]


async def test_what_is_not_saved_is_told_loudly_and_stays(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed(monkeypatch, 0.5)
    bound = Bound("demo", NAME, "lab", NAME)
    setting = Setting("lab", Wish((), "destroy"), bound, "lab")
    async with renting(run, tmp_path, setting=setting) as watch:
        await watch.until(lambda: "finish line of lab NOT done: nothing was sent" in watch.text)
        assert "F tells why" in watch.text
        await watch.press("F")
        await shown(watch, AskDialog)
        assert "the finish line was NOT reached" in watch.text
        assert "run1: last.pt" in said(watch)
        await watch.press("escape")
        await watch.until(lambda: "finish line of lab" not in watch.text)
        assert state(watch) == "running"


async def test_a_finish_line_that_waits_is_shown_and_can_be_cancelled(
    run: Path, tmp_path: Path
) -> None:
    write_status(run, state="running", current_epoch=4, total_epochs=9)
    async with renting(run, tmp_path) as watch:
        await open_dialog(watch)
        await click(watch, "ends")
        await click(watch, "counts")
        await click(watch, "set")
        await watch.until(lambda: "finish line of lab (pull, stop): waits for run1" in watch.text)
        await watch.press("F")
        await shown(watch, AskDialog)
        assert "when all training on lab has completed or failed or died" in said(watch)
        await click(watch, "no")
        assert "waits for run1" in watch.text
        await watch.press("F")
        await shown(watch, AskDialog)
        await click(watch, "yes")
        await watch.until(lambda: "finish line of lab cancelled" in watch.text)
        await watch.press("F")
        end(run)
        await open_dialog(watch)


async def test_a_box_that_nobody_rents_out_can_only_be_saved(run: Path, tmp_path: Path) -> None:
    async with renting(run, tmp_path, rented=False) as watch:
        await open_dialog(watch)
        assert "nobody is known who rents it out" in said(watch)
        await click(watch, "ends")
        assert "ends: leave the instance as it is" in said(watch)
        await click(watch, "saves")
        await click(watch, "set")
        assert "nothing is asked for" in said(watch)
        await click(watch, "saves")
        await click(watch, "set")
        await watch.until(lambda: "the weights of 1 run were pulled" in watch.text)


async def test_read_only_forbids_it_and_leaving_says_what_is_gone(
    run: Path, tmp_path: Path
) -> None:
    async with renting(run, tmp_path, read_only=True) as watch:
        await watch.press("F")
        assert "--read-only forbids a finish line" in watch.text
    write_status(run, state="running", current_epoch=4, total_epochs=9)
    setting = Setting("lab", Wish(("pull",)))
    async with renting(run, tmp_path, setting=setting) as watch:
        await watch.until(lambda: "waits for run1" in watch.text)
        finishing = watch.app.questions.finishing
        assert finishing is not None
        finishing.set(setting)
        await shown(watch, AskDialog)
        assert "a finish line of lab is set already" in said(watch)
        assert finishing.close() == [
            "no finish line was set: a finish line of lab is set already",
            "the finish line of lab ends with boxtop: nobody will pull the weights",
        ]


@pytest.mark.parametrize("size", [(60, 16), (40, 12)])
async def test_the_dialog_fits_small_screens(
    run: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with renting(run, tmp_path, size=size) as watch:
        await open_dialog(watch)
        assert watch.app.screen.query_one("#cancel", Button).region.bottom <= size[1]
        assert "Cancel" in watch.text and "Set" in watch.text
        assert watch.app.screen.query_one("#dialog").region.height <= size[1]


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_a_choice_is_told_to_its_end_however_often_it_was_turned(
    run: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with renting(run, tmp_path, size=size) as watch:
        await open_dialog(watch)
        assert "boxtop has to stay open till then" in said(watch)
        for choice, words in (
            ("ends", "STOP the instance; its disk bills on"),
            ("ends", "DESTROY the instance and its disk"),
            ("counts", "failed and dead runs are done, too"),
        ):
            button = watch.app.screen.query_one(f"#{choice}", Button)
            await click(watch, choice)
            button.focus()
            await told(watch, words)


@pytest.mark.parametrize("key", ["q", "quit by the palette"])
async def test_leaving_asks_before_it_ends_a_finish_line(
    run: Path, tmp_path: Path, key: str
) -> None:
    async with renting(run, tmp_path) as watch:
        await set_destroy(watch)
        await watch.until(lambda: "DESTROYS lab" in watch.text)
        if key == "q":
            await watch.press("q")
        else:
            watch.app.screen.perform("quit")  # type: ignore[attr-defined]
        await shown(watch, AskDialog)
        assert "the finish line of lab ends with boxtop" in said(watch)
        focused = watch.app.screen.focused
        assert focused is not None and focused.id == "no"
        await watch.press("escape")
        assert watch.app.is_running and "F CANCELS" in watch.line("DESTROYS lab")
        await watch.press("F", "q")
        await watch.until(lambda: not watch.app.is_running)
