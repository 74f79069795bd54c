"""Copying, the palette, help, own keys, themes, and faults that do not end the watch."""

from __future__ import annotations

import pytest

from tests.screens.feed import CannedFeed, small_fleet
from tests.screens.watching import watching
from tui.app import ScreenOptions
from tui.keys import ACTIONS
from tui.screens.copying import ssh_command
from tui.screens.plain import print_plainly
from tui.screens.run import RunScreen
from tui.targets import Names, parse_target
from tui.theme import DARK, LIGHT
from tui.view import BoxView, LinkView
from tui.widgets.runs_table import RunsTable

PARSE = ScreenOptions(parse=lambda text: parse_target(text, Names()))


async def test_y_copies_the_ssh_command_of_the_selected_box_and_says_so() -> None:
    async with watching(options=PARSE, charts=False) as watch:
        await watch.press("j", "j", "j", "y")
        assert watch.app.clipboard == "ssh -p 41022 root@203.0.113.7"
        assert "copied: ssh -p 41022 root@203.0.113.7" in watch.text


async def test_y_copies_the_line_under_the_cursor_of_the_log() -> None:
    async with watching(options=PARSE, charts=False) as watch:
        await watch.press("j", "j", "j", "5", "k", "y")
        assert watch.app.clipboard.endswith("| Epoch 61 - Average loss: 4.6618")


async def test_y_copies_the_path_of_the_run_from_its_charts() -> None:
    async with watching(options=PARSE, charts=False) as watch:
        await watch.press("j", "j", "j", "2", "y")
        assert watch.app.clipboard == "/root/runs/coco-9t"


@pytest.mark.parametrize(
    ("target", "command"),
    [
        ("root@203.0.113.7:41022", "ssh -p 41022 root@203.0.113.7"),
        ("ssh -p 41022 root@203.0.113.7", "ssh -p 41022 root@203.0.113.7"),
        ("lab.example.org", "ssh lab.example.org"),
        ("/no/such/runs", "/no/such/runs"),
    ],
)
def test_a_target_becomes_a_command(target: str, command: str) -> None:
    assert ssh_command(BoxView("a", target, LinkView("live")), PARSE.parse) == command


async def test_the_palette_opens_runs_by_name() -> None:
    async with watching(charts=False) as watch:
        await watch.press("colon")
        await watch.type("pallets")
        await watch.until(lambda: "open lab / pallets-t" in watch.text)
        await watch.press("enter")
        await watch.until(lambda: isinstance(watch.app.screen, RunScreen))
        assert "lab / pallets-t" in watch.lines[1]


async def test_the_palette_does_what_keys_do() -> None:
    async with watching(charts=False) as watch:
        await watch.press("ctrl+p")
        await watch.type("dark or light")
        await watch.until(lambda: "dark or light  (t)" in watch.text)
        await watch.press("enter")
        await watch.until(lambda: watch.app.theme == LIGHT)


async def test_help_names_every_action() -> None:
    async with watching(size=(120, 60), charts=False) as watch:
        await watch.press("question_mark")
        for action in ACTIONS:
            assert action.help in watch.text
        await watch.press("escape")
        assert "STATE" in watch.text


async def test_own_keys_are_obeyed_and_shown() -> None:
    options = ScreenOptions(keys={"sort": "o", "other_log": "u"})
    async with watching(options=options, charts=False) as watch:
        assert "o sort" in watch.lines[-1]
        await watch.press("o")
        assert "by name" in watch.line("runs 12")


async def test_what_is_said_names_own_keys() -> None:
    own = {"pause": "u", "follow": "v", "bottom": "w", "search": "e", "back": "b", "filter": "e"}
    async with watching(options=ScreenOptions(keys=own), charts=False) as watch:
        await watch.press("u")
        assert "paused: u goes on" in watch.lines[-1]
        await watch.press("u", "e", *"nothing", "enter")
        assert "no run matches nothing; b shows all" in watch.text
        await watch.press("b", "j", "j", "j", "enter", "n")
        assert "nothing was searched yet: e asks for a word" in watch.lines[-1]
        await watch.press("v")
        assert "not following; w or v follows again" in watch.lines[-1]


async def test_a_wrong_key_is_told_and_the_default_works() -> None:
    options = ScreenOptions(keys={"sort": "p"})
    async with watching(options=options, charts=False) as watch:
        assert "p is already the key of pause" in watch.lines[-1]
        await watch.press("s")
        assert "by name" in watch.line("runs 12")


async def test_the_theme_turns_with_one_key() -> None:
    async with watching(charts=False) as watch:
        assert watch.app.theme == DARK
        await watch.press("t")
        assert watch.app.theme == LIGHT
        segment = next(iter(watch.app.screen.query_one(RunsTable).render_line(1)))
        assert segment.style == watch.app.palette.style("accent")


async def test_a_screen_in_ascii_holds_nothing_else() -> None:
    options = ScreenOptions(ascii_only=True, has_demo=True, parse=PARSE.parse)
    async with watching(options=options) as watch:
        await watch.press("j", "j", "j")
        assert watch.text.isascii()
        assert "> running" in watch.text
        for mark in "*+-|":
            assert mark in watch.text
        await watch.press("enter")
        assert watch.text.isascii()
        await watch.press("question_mark")
        assert watch.text.isascii(), {c for c in watch.text if not c.isascii()}
        await watch.press("escape", "a")
        assert watch.text.isascii(), {c for c in watch.text if not c.isascii()}


class FailingFeed(CannedFeed):
    """A feed that fails again and again."""

    fails = True

    def boxes(self) -> tuple[BoxView, ...]:
        if self.fails:
            raise RuntimeError("the watcher fell over")
        return super().boxes()


async def test_a_thousand_faults_of_the_feed_are_one_line_at_the_bottom() -> None:
    feed = FailingFeed(small_fleet())
    feed.fails = False
    async with watching(feed, charts=False) as watch:
        feed.fails = True
        for _ in range(1000):
            watch.app.refresh_views()
        await watch.pilot.pause()
        assert "boxtop erred: RuntimeError" in watch.lines[-1]
        assert "coco-9t" in watch.text
        feed.fails = False
        await watch.settle()
        assert watch.app.is_running


async def test_a_row_that_cannot_be_drawn_says_so_and_the_rest_is_drawn() -> None:
    async with watching(charts=False) as watch:
        table = watch.app.screen.query_one(RunsTable)
        good = table.content

        def broken(y: int, width: int) -> object:
            if y == 2:
                raise ValueError("no row")
            return good(y, width)

        table.content = broken  # type: ignore[method-assign, assignment]  # breaks one row
        table.refresh()
        await watch.pilot.pause()
        assert "cannot draw (ValueError)" in watch.text
        assert "coco-9t" in watch.text


async def test_a_key_whose_action_fails_is_a_line_at_the_bottom(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no connection")

    async with watching(charts=False) as watch:
        monkeypatch.setattr(watch.feed, "reconnect", broken)
        await watch.press("r")
        assert "boxtop erred: RuntimeError" in watch.lines[-1]
        assert watch.app.is_running


def test_a_plain_screen_gets_clean_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import io
    import os
    import sys

    out = io.StringIO()
    monkeypatch.setattr(sys, "__stdout__", out)
    reading, writing = os.pipe()
    os.write(writing, b"\n")
    monkeypatch.setattr(sys, "__stdin__", os.fdopen(reading))
    print_plainly(["ssh root@203.0.113.7", "\x1b[31mred"])
    os.close(writing)
    assert out.getvalue().splitlines()[:2] == ["ssh root@203.0.113.7", "red"]
