"""On the screen a changed host key is replaced by typing the host, and only when asked for."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from textual.widgets import Button

from tests.conftest import MakeServer, introduce
from tests.screens.test_questions import Clock, answered, shown
from tests.screens.watching import watching
from tests.sshd import SshServer
from tui.boxes import Box
from tui.links.base import ChangedKeyQuestion
from tui.screens.asker import ScreenAsker
from tui.screens.changed_key import ChangedKeyDialog
from tui.watch.fleet import Fleet

QUESTION = ChangedKeyQuestion(
    "[203.0.113.7]:41022", "ssh-ed25519", ("SHA256:" + "o" * 43,), "SHA256:" + "n" * 43
)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    """Threads that links could be."""
    with ThreadPoolExecutor(2) as threads:
        yield threads


@pytest.mark.parametrize("size", [(120, 40), (60, 16)], ids=str)
async def test_both_keys_are_shown_and_cancel_has_the_focus(
    pool: ThreadPoolExecutor, size: tuple[int, int]
) -> None:
    asker, clock = ScreenAsker(), Clock()
    async with watching(size=size, asker=asker, steady_time=clock, charts=False) as watch:
        future = pool.submit(asker.replace_host_key, QUESTION)
        await shown(watch, ChangedKeyDialog)
        for words in (QUESTION.host, *QUESTION.known, QUESTION.offered, "CHANGED", "Cancel"):
            assert words in watch.text
        assert isinstance(watch.app.focused, Button)
        clock.now += 2
        await watch.press("enter")
        assert await answered(watch, future) is False


@pytest.mark.parametrize(
    ("typed", "is_replaced"), [("[203.0.113.7]:41022", True), ("203.0.113.7", False), ("", False)]
)
async def test_only_the_host_typed_out_replaces(
    pool: ThreadPoolExecutor, typed: str, is_replaced: bool
) -> None:
    asker, clock = ScreenAsker(), Clock()
    async with watching(asker=asker, steady_time=clock, charts=False) as watch:
        future = pool.submit(asker.replace_host_key, QUESTION)
        await shown(watch, ChangedKeyDialog)
        clock.now += 2
        await watch.press("shift+tab")
        await watch.type(typed)
        await watch.press("enter")
        if not is_replaced:
            assert f"type {QUESTION.host} to replace" in watch.text
            assert not future.done()
            await watch.press("escape")
        assert await answered(watch, future) is is_replaced


def test_the_option_for_new_keys_replaces_none() -> None:
    assert not ScreenAsker(accept_new_host_key=True).replace_host_key(QUESTION)


@pytest.fixture
def server(make_sshd: MakeServer, home: Path) -> SshServer:
    """A server that the user knows."""
    server = make_sshd()
    introduce(server, home)
    return server


@pytest.mark.sshd
async def test_it_is_asked_when_a_person_connects_and_never_by_itself(
    server: SshServer, home: Path, tmp_path: Path
) -> None:
    asker, clock = ScreenAsker(), Clock()
    box = Box("lab", server.text, server.target, (str(tmp_path),))
    fleet = Fleet([box], asker, None, connect=False)

    def state() -> str:
        return fleet.boxes()[0].link.state

    try:
        async with watching(fleet, asker=asker, steady_time=clock, charts=False) as watch:  # type: ignore[arg-type]  # a feed
            await watch.until(lambda: state() == "live")
            server.use_host_keys("ed25519")
            server.restart()
            await watch.until(lambda: state() == "refused")
            await watch.settle()
            assert "CHANGED" in watch.text
            assert len(watch.app.screen_stack) == 1, "an attempt of its own asks nothing"
            await watch.press("r")
            await shown(watch, ChangedKeyDialog)
            await watch.press("escape")
            await watch.until(lambda: state() == "refused")
            await watch.settle()
            assert len(watch.app.screen_stack) == 1, "a no holds until r is pressed again"
            await watch.press("r")
            await shown(watch, ChangedKeyDialog)
            clock.now += 2
            await watch.press("shift+tab")
            await watch.type(server.host_name)
            await watch.press("enter")
            await watch.until(lambda: state() == "live")
    finally:
        fleet.close()
    assert (home / ".ssh" / "known_hosts").read_text() == server.known_host_lines
