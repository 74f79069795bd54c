"""Hands are faster than screens close: a second key or click in a dialog does nothing more."""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
from collections.abc import Callable

import pytest
from textual.screen import Screen
from textual.widgets import Button

import tui.screens
from tests.screens.feed import CannedFeed
from tests.screens.watching import Watch, watching
from tui.app import ScreenOptions
from tui.links.base import ChangedKeyQuestion, HostKeyQuestion
from tui.screens.changed_key import ChangedKeyDialog
from tui.screens.fleet import FleetScreen
from tui.screens.help import HelpScreen
from tui.screens.host_key import HostKeyDialog
from tui.screens.metrics_choice import MetricsDialog
from tui.screens.monitor import MonitorScreen
from tui.screens.once import AnsweredOnce
from tui.screens.passphrase import PassphraseDialog
from tui.screens.push_dialog import ConfirmPush
from tui.screens.welcome import AddBoxDialog
from tui.targets import Names, parse_target

NAMES = Names()
OPTIONS = ScreenOptions(parse=lambda text: parse_target(text, NAMES))


def burst(watch: Watch, *keys: str) -> None:
    """Press keys as a terminal sends them: all at once, before anything answers the first."""
    from textual.events import Key

    for key in keys:
        characters = {"space": " ", "enter": "\r", "question_mark": "?"}
        character = characters.get(key, key if len(key) == 1 else None)
        watch.app.post_message(Key(key, character))


async def back(watch: Watch) -> bool:
    """Let every key be answered; whether the list alone is there again."""
    answered = asyncio.Event()
    watch.app.call_later(answered.set)
    await answered.wait()
    await watch.until(lambda: not watch.app.is_running or is_alone(watch))
    await watch.pilot.pause()
    return watch.app.is_running and is_alone(watch)


def is_alone(watch: Watch) -> bool:
    return [type(screen) for screen in watch.app.screen_stack] == [FleetScreen]


@pytest.mark.parametrize("keys", [("q", "q"), ("space", "space"), ("escape",) * 5, ("q", "escape")])
async def test_help_closes_once(keys: tuple[str, ...]) -> None:
    async with watching(options=OPTIONS, charts=False) as watch:
        await watch.press("question_mark")
        burst(watch, *keys)
        assert await back(watch)


async def test_keys_behind_the_one_that_opens_a_screen_are_that_screens() -> None:
    async with watching(options=OPTIONS, charts=False) as watch:
        burst(watch, "question_mark", "q")
        assert await back(watch)
        burst(watch, "a", "q", "escape")
        assert await back(watch)
        burst(watch, "question_mark", "question_mark", "question_mark", "escape", "escape")
        assert await back(watch)


@pytest.mark.parametrize("gap", [None, 0.0, 0.001, 0.03])
async def test_a_field_gets_every_letter_from_the_first(gap: float | None) -> None:
    async with watching(options=OPTIONS, charts=False) as watch:
        for key in ("a", *"root@host"):
            burst(watch, key)
            if gap is not None:
                await asyncio.sleep(gap)
        await watch.until(lambda: "root@host" in watch.text)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: ChangedKeyDialog(ChangedKeyQuestion("lab", "t", ("a",), "b")), "lab"),
        (lambda: ConfirmPush(["best.pt to my-org/open"], is_public=True), "public"),
    ],
    ids=["changed key", "public"],
)
async def test_a_word_is_typed_and_entered_though_cancel_has_the_focus(
    make: Callable[[], Screen[bool]], word: str
) -> None:
    answers: list[object] = []
    times = iter(range(1000, 100_000, 10))  # the guard is over when a key comes
    async with watching(charts=False, steady_time=lambda: next(times)) as watch:
        watch.app.push_screen(make(), answers.append)
        await watch.pilot.pause()
        assert isinstance(watch.app.focused, Button)
        await watch.type(word[:-1])
        await watch.press("enter")
        assert answers == [] and f"type {word} to" in watch.text
        await watch.type(word[-1])
        await watch.press("enter")
    assert answers == [True]


async def test_two_fast_clicks_close_help_once() -> None:
    async with watching(options=OPTIONS, charts=False) as watch:
        await watch.press("question_mark")
        body = watch.app.screen.query_one("#page-body")
        watch.app.screen.dismiss(None)
        assert isinstance(body.screen, HelpScreen)
        body.screen.dismiss(None)
        assert await back(watch)


async def test_a_box_is_added_once() -> None:
    async with watching(options=OPTIONS, charts=False) as watch:
        await watch.press("a")
        await watch.type("root@203.0.113.99")
        burst(watch, "enter", "enter")
        assert await back(watch)
        assert [box.name for box in watch.feed.added] == ["203.0.113.99"]


async def test_the_first_start_takes_one_box() -> None:
    feed = CannedFeed()
    async with watching(feed, options=OPTIONS, charts=False) as watch:
        await watch.type("root@203.0.113.99")
        burst(watch, "enter", "enter")
        assert await back(watch)
        assert [box.name for box in feed.added] == ["203.0.113.99"]


Open = Callable[[], Screen[object]]


@pytest.mark.parametrize(
    ("make", "keys", "answer"),
    [
        (lambda: MetricsDialog(["a/b"], ["a/b"]), ("enter", "enter", "enter"), ("a/b",)),
        (lambda: PassphraseDialog("key", 1), ("x", "enter", "enter"), "x"),
        (lambda: HostKeyDialog(HostKeyQuestion("h", "t", "f")), ("escape", "escape"), False),
    ],
    ids=["metrics", "passphrase", "host key"],
)
async def test_a_dialog_answers_once(make: Open, keys: tuple[str, ...], answer: object) -> None:
    answers: list[object] = []
    async with watching(options=OPTIONS, charts=False) as watch:
        watch.app.push_screen(make(), answers.append)
        await watch.pilot.pause()
        burst(watch, *keys)
        assert await back(watch)
    assert answers == [answer]


async def test_a_dialog_below_another_takes_not_the_upper_one_away() -> None:
    async with watching(options=OPTIONS, charts=False) as watch:
        await watch.press("a")
        lower = watch.app.screen
        watch.app.push_screen(PassphraseDialog("key", 1))
        await watch.pilot.pause()
        assert isinstance(lower, AddBoxDialog)
        lower.cancel()
        await watch.pilot.pause()
        assert isinstance(watch.app.screen, PassphraseDialog)


async def test_the_palette_does_what_was_chosen_once() -> None:
    async with watching(charts=False) as watch:
        theme = watch.app.theme
        await watch.press("colon")
        await watch.type("dark or light")
        await watch.until(lambda: "dark or light  (t)" in watch.text)
        burst(watch, "enter", "enter", "enter")
        assert await back(watch)
        await watch.until(lambda: watch.app.theme != theme)
        await watch.settle()
        assert watch.app.theme != theme


def test_every_screen_that_is_left_is_left_once() -> None:
    for module in pkgutil.iter_modules(tui.screens.__path__, "tui.screens."):
        importlib.import_module(module.name)

    def kinds(base: type) -> list[type]:
        return [kind for sub in base.__subclasses__() for kind in (sub, *kinds(sub))]

    ours = {kind for kind in kinds(Screen) if kind.__module__.startswith("tui.")}
    assert len(ours) > 8
    for kind in ours:
        assert issubclass(kind, (AnsweredOnce, MonitorScreen)), kind


@pytest.mark.parametrize("gap", [None, 0.0, 0.0005, 0.001, 0.002, 0.004])
async def test_a_search_loses_no_letter_however_fast_it_is_typed(gap: float | None) -> None:
    async with watching(charts=False) as watch:
        await watch.press("j", "j", "j", "enter")
        for key in ("/", *"Average", "enter"):
            burst(watch, key)
            if gap is not None:
                await asyncio.sleep(gap)
        await watch.until(lambda: "/Average" in watch.text)
