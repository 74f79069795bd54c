"""A fault of any key's handler costs one line; the app goes on."""

from __future__ import annotations

import pytest
from textual.events import Key
from textual.widgets import Input, OptionList

from tests.screens.feed import CannedFeed
from tests.screens.watching import watching
from tui.app import BoxtopApp, ScreenOptions
from tui.screens.fleet import FleetScreen
from tui.screens.palette import Palette
from tui.screens.welcome import AddBoxDialog
from tui.targets import Names, parse_target
from tui.widgets.log_panel import LogPanel

OPTIONS = ScreenOptions(parse=lambda text: parse_target(text, Names()))


def broken(*_: object) -> None:
    """What nobody foresaw."""
    raise ZeroDivisionError("a fault")


async def test_a_bound_key_that_fails_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OptionList, "action_page_down", broken)
    async with watching(charts=False) as watch:
        await watch.press("colon", "pagedown")
        assert isinstance(watch.app.screen, Palette)
        await watch.press("escape")
        assert "boxtop erred: ZeroDivisionError" in watch.lines[-1]
        assert isinstance(watch.app.screen, FleetScreen)


async def test_a_field_that_fails_closes_its_dialog_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async with watching(options=OPTIONS, charts=False) as watch:
        await watch.press("a")

        async def fails(self: Input, event: Key) -> None:
            broken()

        monkeypatch.setattr(Input, "_on_key", fails)
        await watch.press("x")
        await watch.until(lambda: isinstance(watch.app.screen, FleetScreen))
        assert "boxtop erred: ZeroDivisionError" in watch.lines[-1]
        monkeypatch.undo()
        await watch.press("a")
        await watch.type("root@203.0.113.99")
        await watch.press("enter")
        assert [box.name for box in watch.feed.added] == ["203.0.113.99"]


async def test_a_dialog_that_fails_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AddBoxDialog, "_take", broken)
    async with watching(options=OPTIONS, charts=False) as watch:
        await watch.press("a")
        await watch.type("root@203.0.113.99")
        await watch.press("enter")
        await watch.until(lambda: isinstance(watch.app.screen, FleetScreen))
        assert "boxtop erred: ZeroDivisionError" in watch.lines[-1]
        await watch.press("j")
        assert watch.app.is_running


async def test_a_search_that_fails_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LogPanel, "search", broken)
    async with watching(charts=False) as watch:
        await watch.press("j", "j", "j", "enter", "slash")
        await watch.type("x")
        await watch.press("enter")
        assert "boxtop erred: ZeroDivisionError" in watch.lines[-1]
        await watch.press("escape")
        assert watch.app.is_running


async def test_what_cannot_go_on_leaves_with_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    async with watching(charts=False) as watch:
        monkeypatch.setattr(BoxtopApp, "is_headless", False)
        for _ in range(3):
            watch.app._handle_exception(ZeroDivisionError("a fault"))
        assert watch.app.return_code == 1
        (said,) = watch.app._exit_renderables
        assert "unexpected ZeroDivisionError" in str(said)
        assert "textual" not in str(said)
        monkeypatch.undo()


async def test_a_desk_that_cannot_be_opened_costs_no_other_one() -> None:
    opened: list[str] = []

    def broken() -> None:
        raise RuntimeError("no account")

    options = ScreenOptions(rents=broken, alarms=lambda _: opened.append("alarms"))
    async with watching(options=options) as watch:
        await watch.until(lambda: opened == ["alarms"])
        await watch.until(lambda: "boxtop erred: RuntimeError" in watch.text)


async def test_a_fault_before_there_is_any_screen_leaves_with_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BoxtopApp, "on_load", broken, raising=False)
    app = BoxtopApp(CannedFeed())
    await app.run_async(headless=True)
    assert app.return_code == 1
    said = capsys.readouterr().err
    assert "ZeroDivisionError" in said and "Traceback" not in said
