"""Pasted text that the terminal does not mark as that opens nothing and answers nothing."""

from __future__ import annotations

import os

import pytest
from textual.events import Key, Paste
from textual.keys import _character_to_key
from textual.message import Message
from textual.widgets import Input

from tests.screens.test_terminal import Terminal
from tests.screens.test_terminal import terminal as terminal
from tests.screens.watching import Watch, watching
from tui.bursts import without_bursts
from tui.screens.fleet import FleetScreen
from tui.screens.push_dialog import AskDialog

SSH_LINE = "ssh -p 41022 root@203.0.113.7 -L 8080:localhost:8080\n"


def keys(text: str) -> list[Message]:
    """What a terminal makes of a text."""
    names = {"\n": "enter", "\t": "tab"}
    return [Key(names.get(sign) or _character_to_key(sign), sign) for sign in text]


def told(events: list[Message]) -> list[str]:
    return [
        f"<{event.text}>" if isinstance(event, Paste) else str(getattr(event, "key", "other"))
        for event in without_bursts(events)
    ]


@pytest.mark.parametrize("text", [SSH_LINE, "yes\n", "x\ty\n", "dy\n", "qqD"])
def test_what_comes_at_once_is_a_text(text: str) -> None:
    assert told(keys(text)) == [f"<{text}>"]


@pytest.mark.parametrize("text", ["q", "gg", ":q", "jjjj", "\n\n\n\n", "DDDDDD"])
def test_what_a_hand_can_do_stays_keys(text: str) -> None:
    assert len(told(keys(text))) == len(text)


def test_what_is_no_text_stays_where_it_was() -> None:
    arrows: list[Message] = [Key("down", None), Key("down", None), Key("escape", "\x1b")]
    assert told([*arrows, *keys("abc"), *arrows]) == [
        *("down", "down", "escape", "<abc>", "down", "down", "escape")
    ]
    assert told([Paste("marked\n"), *keys("ab")]) == ["<marked\n>", "a", "b"]


async def pasted(watch: Watch, text: str) -> None:
    """Let a text arrive as it does from a terminal."""
    for event in without_bursts(keys(text)):
        watch.app.post_message(event)
    await watch.pilot.pause()
    await watch.settle()


@pytest.mark.parametrize("text", [SSH_LINE, "Destroy\n", ":quit\n", "q\nq", "aaa\n", "?p\n"])
async def test_the_main_screen_obeys_nothing_of_it_and_says_what_helps(text: str) -> None:
    async with watching(charts=False) as watch:
        await pasted(watch, text)
        assert isinstance(watch.app.screen, FleetScreen)
        assert not watch.app.is_paused and watch.app.is_running
        assert watch.app.settings.order == "attention"
        assert "pasted text is no keys; a asks for a box" in watch.lines[-1]


async def test_fast_hands_on_a_slow_line_move_and_search() -> None:
    async with watching(charts=False) as watch:
        before = watch.app.screen.row  # type: ignore[attr-defined]
        await pasted(watch, "jjjk")
        assert watch.app.screen.row != before  # type: ignore[attr-defined]
        await pasted(watch, "/night\n")
        await watch.until(lambda: "1 of 12" in watch.text)
        assert "filter" in watch.lines[-1]
        await watch.press("enter")
        assert "? help" in watch.lines[-1]


async def test_a_question_is_not_answered_by_it() -> None:
    async with watching(charts=False) as watch:
        answers: list[bool | None] = []
        watch.app.push_screen(AskDialog("end it", ["what is lost"], "End it"), answers.append)
        await watch.pilot.pause()
        watch.app.steady_time = lambda: 1e9
        await pasted(watch, "run1\tdead\n")
        await pasted(watch, "\tyes\n")
        assert answers == [] and isinstance(watch.app.screen, AskDialog)


async def test_a_field_takes_it_and_waits_for_enter() -> None:
    async with watching(charts=False) as watch:
        await watch.press("slash")
        await pasted(watch, "lab run\n")
        assert watch.app.screen.query_one("#search-input", Input).value == "lab run"
        await watch.press("escape")


def test_a_real_terminal_opens_nothing(terminal: Terminal) -> None:
    before = len(terminal.written)
    os.write(terminal.master, b"Kill all, quit?\r")
    terminal.read_until(lambda: b"pasted text" in terminal.written[before:])
    assert terminal.process.poll() is None
    os.write(terminal.master, b"q")
    assert terminal.ends() == 0
