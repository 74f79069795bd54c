"""Pictures of the main states. A change is looked at by eye before it is accepted.

``pytest tests/screens/test_snapshots.py --snapshot-update`` takes the new ones.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from tests.screens.feed import CannedFeed, small_fleet
from tests.screens.recorded import NOW
from tui.app import BoxtopApp
from tui.links.base import HostKeyQuestion
from tui.screens.host_key import HostKeyDialog
from tui.screens.options import ScreenOptions
from tui.screens.passphrase import PassphraseDialog
from tui.targets import Names, parse_target

Compare = Callable[..., bool]
SIZES = [(80, 24), (120, 40), (200, 50)]
RUNNING = ("j", "j", "j")
"""Keys that select the running run of the canned fleet."""


def app(feed: CannedFeed | None = None, **options: object) -> BoxtopApp:
    """The app on the canned fleet, its clock standing still."""
    chosen = ScreenOptions(parse=lambda text: parse_target(text, Names()), **options)  # type: ignore[arg-type]  # fields of the options
    feed = feed if feed is not None else CannedFeed(small_fleet())
    return BoxtopApp(feed, chosen, now=lambda: NOW)


def after(*keys: str) -> Callable[[Pilot[str]], Awaitable[None]]:
    """Press keys when charts can be drawn."""

    async def press(pilot: Pilot[str]) -> None:
        assert isinstance(pilot.app, BoxtopApp)
        while not pilot.app.can_plot:
            await pilot.pause(0.01)
        await pilot.press(*keys)
        await pilot.pause()

    return press


def sizes(size: tuple[int, int]) -> str:
    """The name of a size."""
    return f"{size[0]}x{size[1]}"


@pytest.mark.parametrize("size", SIZES, ids=sizes)
def test_fleet(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(app(), terminal_size=size, run_before=after(*RUNNING))


@pytest.mark.parametrize("size", SIZES, ids=sizes)
def test_run(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(app(), terminal_size=size, run_before=after(*RUNNING, "enter"))


@pytest.mark.parametrize("size", SIZES[:2], ids=sizes)
def test_failed_run(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(app(), terminal_size=size, run_before=after("enter"))


def test_light(snap_compare: Compare) -> None:
    light = app(theme="light")
    assert snap_compare(light, terminal_size=(120, 40), run_before=after(*RUNNING))


def test_ascii(snap_compare: Compare) -> None:
    plain = app(ascii_only=True)
    assert snap_compare(plain, terminal_size=(80, 24), run_before=after(*RUNNING, "enter"))


def test_smallest_useful(snap_compare: Compare) -> None:
    assert snap_compare(app(), terminal_size=(60, 16), run_before=after(*RUNNING, "enter", "3"))


def test_tiny(snap_compare: Compare) -> None:
    assert snap_compare(app(), terminal_size=(30, 6), run_before=after("j"))


def test_help(snap_compare: Compare) -> None:
    assert snap_compare(app(), terminal_size=(120, 40), run_before=after("question_mark"))


def test_search(snap_compare: Compare) -> None:
    keys = (*RUNNING, "5", "slash", *"Average", "enter", "N")
    assert snap_compare(app(), terminal_size=(80, 24), run_before=after(*keys))


def test_host_key(snap_compare: Compare) -> None:
    question = HostKeyQuestion(
        "[203.0.113.7]:41022", "ssh-ed25519", "SHA256:uNiVztksCsDhcc0u9e8BrqXVGDe7W+Qm0nXyUo2wkBM"
    )

    async def ask(pilot: Pilot[str]) -> None:
        await after()(pilot)
        pilot.app.push_screen(HostKeyDialog(question))
        await pilot.pause()

    assert snap_compare(app(), terminal_size=(80, 24), run_before=ask)


def test_passphrase(snap_compare: Compare) -> None:
    async def ask(pilot: Pilot[str]) -> None:
        await after()(pilot)
        pilot.app.push_screen(PassphraseDialog("~/.ssh/id_ed25519", 2))
        await pilot.pause()
        await pilot.press(*"secret")

    assert snap_compare(app(), terminal_size=(60, 16), run_before=ask)


def test_welcome(snap_compare: Compare) -> None:
    first = app(CannedFeed(), has_demo=True)
    assert snap_compare(first, terminal_size=(80, 24), run_before=after())
