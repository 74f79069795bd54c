"""Getting weights out by keys: the dialogs, what they say before, and what stands there after."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from textual.widgets import Button, Input

from tests.callback_stage import Event
from tests.hub import hub_fixture  # noqa: F401
from tests.hub.accounts import Token as HubToken
from tests.hub.faults import Answer, Hold
from tests.hub.server import Hub
from tests.onbox.checkpoints import checkpoint, make_weights, put, write_status
from tests.screens.watching import Watch, watching
from tui.app import BoxtopApp
from tui.boxes import Box, LocalTarget
from tui.callbacks import PushToHub
from tui.config.settings import HubSettings
from tui.links.asking import RefusingAsker
from tui.screens.options import ScreenOptions
from tui.screens.pull_dialog import PullDialog
from tui.screens.push_dialog import AskDialog, ConfirmPush, PushDialog
from tui.screens.weights import open_desk
from tui.watch import Fleet

BEST, LAST = checkpoint(200_000, 1), checkpoint(200_000, 2)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = make_weights(tmp_path / "runs" / "run1", best=BEST, last=LAST)
    write_status(path, state="completed", completed_epochs=9, start_epoch=1, total_epochs=9)
    (path / "metrics.jsonl").write_text('{"epoch": 9, "train/loss": 1.5}\n')
    return path


@pytest.fixture(autouse=True)
def token(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", hub.token)


class Steady:
    """A steady time that tests move: dialogs keep early keys out."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def desk(
    run: Path, tmp_path: Path, settings: HubSettings | None = None, *, read_only: bool = False
) -> AsyncIterator[Watch]:
    """The app on a box of this machine, with everything that moves weights."""
    root = run.parent
    box = Box("lab", str(root), LocalTarget(root), (str(root),))
    asker = RefusingAsker()
    hub = settings or HubSettings()
    with closing(Fleet((box,), asker, tmp_path / "data")) as fleet:
        made = []

        def make() -> object:
            made.append(open_desk(fleet, asker, hub, read_only=read_only, data=tmp_path / "data"))
            return made[0]

        options = ScreenOptions(desk=make)  # type: ignore[arg-type]
        clock = Steady()
        app = BoxtopApp(fleet, options, steady_time=clock)
        async with app.run_test(size=(120, 40)) as pilot:
            watch = Watch(app, pilot, None)  # type: ignore[arg-type]
            watch.clock = clock  # type: ignore[attr-defined]
            await watch.until(lambda: "best.pt" in watch.text)
            yield watch
        for one in made:
            one.close()  # type: ignore[attr-defined]


def said(watch: Watch) -> str:
    """The topmost dialog's words, without its frame."""
    return " ".join(" ".join(line.strip(" │") for line in dialog(watch)).split())


def dialog(watch: Watch) -> list[str]:
    """The rows of the dialog, cut out of the screen."""
    region = watch.app.screen.query_one("#dialog").region
    return [line[region.x : region.right] for line in watch.lines[region.y : region.bottom]]


async def shown(watch: Watch, kind: type) -> None:
    await watch.until(lambda: isinstance(watch.app.screen, kind))
    await watch.pilot.pause()
    watch.clock.now += 10.0  # type: ignore[attr-defined]


async def click(watch: Watch, button: str) -> None:
    watch.app.screen.query_one(f"#{button}", Button).press()
    await watch.pilot.pause()


async def agree(watch: Watch) -> None:
    """Push to where the configuration says."""
    await watch.press("P")
    await shown(watch, PushDialog)
    await click(watch, "go")
    await shown(watch, ConfirmPush)
    await click(watch, "push")


async def test_a_push_is_asked_for_confirmed_shown_and_remembered(
    run: Path, hub: Hub, tmp_path: Path
) -> None:
    hub.order("commit", Hold(10), 1)
    async with desk(run, tmp_path) as watch:
        assert "not saved" in watch.text
        await watch.press("P")
        await shown(watch, PushDialog)
        assert "what: best.pt and last.pt (39" in watch.text
        watch.app.screen.query_one(Input).value = "my-org/exp"
        await click(watch, "go")
        await shown(watch, ConfirmPush)
        assert "to my-org/exp (new, private)" in said(watch)
        assert "the token is sent to it" in said(watch)
        focused = watch.app.screen.focused
        assert focused is not None and focused.id == "cancel"
        await click(watch, "push")
        await watch.until(lambda: "committing" in watch.text)
        assert "push best.pt, last.pt to my-org/exp" in watch.text
        assert "X cancels" in watch.text
        hub.release()
        await watch.until(lambda: "my-org/exp: saved both" in watch.text)
        await watch.until(lambda: "not saved" not in watch.text)
        assert hub.store.repos["my-org/exp"].head.entries["best.pt"].data == BEST
        put(run / "weights/last.pt", BEST, age=3)
        await watch.until(lambda: "copy is older" in watch.text)


async def test_what_the_hub_has_against_it_is_told_before_anything_is_copied(
    run: Path, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = hub.add_token(HubToken("hf_" + "Reader" * 6, display_name="box", role="read"))
    monkeypatch.setenv("HF_TOKEN", reader.secret)
    async with desk(run, tmp_path, HubSettings(to="my-org/{run}")) as watch:
        await watch.press("P")
        await shown(watch, PushDialog)
        assert watch.app.screen.query_one(Input).value == "my-org/run1"
        await watch.press("enter")
        await shown(watch, AskDialog)
        assert 'token "box" is read-only; my-org needs write' in said(watch)
        await watch.press("escape")
        assert hub.asked("create", "commit") == []


async def test_a_public_repository_needs_the_word_typed(
    run: Path, hub: Hub, tmp_path: Path
) -> None:
    hub.store.create("my-org/open", private=False)
    async with desk(run, tmp_path, HubSettings(to="my-org/open")) as watch:
        await watch.press("P")
        await shown(watch, PushDialog)
        await click(watch, "go")
        await shown(watch, ConfirmPush)
        assert "PUBLIC: everybody can read it" in said(watch)
        await click(watch, "push")
        assert isinstance(watch.app.screen, ConfirmPush)
        watch.app.screen.query_one("#agreed", Input).value = "public"
        await click(watch, "push")
        await watch.until(lambda: "my-org/open: saved both" in watch.text)


async def test_a_failed_push_stays_until_its_reason_was_read(
    run: Path, hub: Hub, tmp_path: Path
) -> None:
    hub.order("commit", Answer(403, {"error": "Private repository storage limit reached"}))
    async with desk(run, tmp_path, HubSettings(to="my-org/exp", via="here")) as watch:
        await watch.press("P")
        await shown(watch, PushDialog)
        await click(watch, "go")
        await shown(watch, ConfirmPush)
        assert "the token never leaves it" in said(watch)
        await click(watch, "push")
        await watch.until(lambda: "the weights are NOT saved" in watch.text)
        assert "push failed: no storage left for my-org" in watch.text
        assert "X tells why" in watch.text
        await watch.press("X")
        await shown(watch, AskDialog)
        assert "Private repository storage limit reached" in said(watch)
        assert "or pull the weights home" in said(watch)
        assert "best.pt, last.pt of run1 on lab, to my-org/exp" in said(watch)
        await watch.press("escape")
        await watch.until(lambda: "push failed" not in watch.text)
        assert "not saved" in watch.text


@pytest.mark.parametrize("small", [(40, 12), (60, 16)])
async def test_a_small_screen_says_first_that_a_push_failed(
    run: Path, hub: Hub, tmp_path: Path, small: tuple[int, int]
) -> None:
    hub.order("commit", Answer(403, {"error": "Private repository storage limit reached"}))
    async with desk(run, tmp_path, HubSettings(to="my-org/exp")) as watch:
        await agree(watch)
        await watch.until(lambda: "push failed" in watch.text)
        await watch.pilot.resize_terminal(*small)
        await watch.until(lambda: "push failed: no" in watch.text)
        await watch.press("X")
        await shown(watch, AskDialog)
        for _ in range(8):
            if "pull the weights home" in said(watch):
                break
            await watch.press("pagedown")
        assert "pull the weights home" in said(watch)


async def test_a_dialog_that_is_left_takes_no_next_try_away(
    run: Path, hub: Hub, tmp_path: Path
) -> None:
    async with desk(run, tmp_path, HubSettings(to="my-org/exp")) as watch:
        for _ in range(2):
            await watch.press("P")
            await shown(watch, PushDialog)
            await click(watch, "go")
            await shown(watch, ConfirmPush)
            hub.order("whoami", Answer(429, "too many", {"Retry-After": "600"}), 1)
            await click(watch, "push")
            await watch.until(lambda: "next try in" in watch.text and "+1" not in watch.text)
            await watch.press("P")
            await shown(watch, PushDialog)
            await watch.press("escape")
            await watch.until(lambda: "next try in" in watch.text)
            hub.faults.clear()


async def test_what_a_training_pushed_by_itself_is_seen_to_be_saved(
    run: Path, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.actions.auto_push.LOOK_SECONDS", 0.1)
    async with desk(run, tmp_path) as watch:
        assert "not saved" in watch.text
        PushToHub("my-org/run1").on_train_end(Event(str(run)))
        await watch.until(lambda: watch.text.count(" saved") == 2 and "not saved" not in watch.text)


async def test_a_pull_brings_weights_home(run: Path, tmp_path: Path) -> None:
    async with desk(run, tmp_path) as watch:
        await watch.press("W")
        await shown(watch, PullDialog)
        await click(watch, "what")
        watch.app.screen.query_one(Input).value = str(tmp_path / "home")
        await click(watch, "go")
        await watch.until(lambda: "home: saved" in watch.text)
        assert (tmp_path / "home/best.pt").read_bytes() == BEST
        assert not (tmp_path / "home/last.pt").exists()


async def test_nothing_can_be_moved_where_that_is_forbidden(run: Path, tmp_path: Path) -> None:
    async with desk(run, tmp_path, read_only=True) as watch:
        await watch.press("P")
        assert "--read-only forbids push" in watch.text
        await watch.press("W")
        assert "--read-only forbids pull" in watch.text
        await watch.press("X")
        assert "nothing is being transferred" in watch.text


@pytest.mark.parametrize("size", [(60, 16), (40, 12), (30, 8)])
async def test_however_little_room_there_is_the_answers_are_seen(size: tuple[int, int]) -> None:
    lines = [f"line {number} of what will happen, which is rather long" for number in range(12)]
    async with watching(size=size, charts=False) as watch:
        watch.app.push_screen(ConfirmPush(lines, is_public=False))
        await watch.until(lambda: "Cancel" in watch.text)
        assert "Push" in watch.text and "line 0" in watch.text
