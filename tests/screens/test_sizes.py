"""No size of a terminal breaks the screen, with or without a dialog open."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.screens.watching import Watch, watching
from tui.links.base import HostKeyQuestion
from tui.screens.host_key import HostKeyDialog
from tui.screens.passphrase import PassphraseDialog
from tui.screens.push_dialog import AskDialog

SIZES = [
    (int(width), int(height))
    for width, height in (
        size.split("x")
        for size in (Path(__file__).parents[1] / "data/cases/TUI-09/sizes.txt").read_text().split()
    )
]
QUESTION = HostKeyQuestion("[203.0.113.7]:41022", "ssh-ed25519", "SHA256:" + "x" * 43)


def fits(watch: Watch, size: tuple[int, int]) -> bool:
    """Whether every row is as wide as the screen, and there are as many as it has."""
    lines = watch.lines
    return len(lines) == size[1] and all(len(line) == size[0] for line in lines)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_it_starts_at_any_size_and_opens_a_run(size: tuple[int, int]) -> None:
    async with watching(size=size) as watch:
        assert fits(watch, size)
        await watch.press("j", "enter", "2", "z", "z", "escape")
        assert fits(watch, size)


async def test_resizing_through_all_sizes_with_a_dialog_open() -> None:
    async with watching(size=SIZES[0]) as watch:
        watch.app.push_screen(HostKeyDialog(QUESTION))
        await watch.pilot.pause()
        for size in [*SIZES, *reversed(SIZES)]:
            await watch.resize(size)
            if size >= (60, 16) and size[1] >= 16:
                assert " No " in watch.text
                assert "Yes, trust it" in watch.text
                assert "SHA256:xxx" in watch.text


async def test_resizing_through_all_sizes_in_a_run() -> None:
    async with watching(size=(120, 40)) as watch:
        await watch.press("enter")
        for size in [*SIZES, *reversed(SIZES)]:
            await watch.resize(size)
            assert fits(watch, size)


async def test_the_passphrase_and_its_buttons_fit_the_smallest_useful_screen() -> None:
    async with watching(size=(60, 16)) as watch:
        watch.app.push_screen(PassphraseDialog("~/.ssh/id_ed25519", 2))
        await watch.pilot.pause()
        assert "Attempt 2 of 3" in watch.text
        assert "Cancel" in watch.text
        assert "Unlock" in watch.text


async def test_a_tiny_pane_shows_one_line_for_each_run() -> None:
    async with watching(size=(30, 5)) as watch:
        assert [line.split()[-1] for line in watch.lines] == [
            *("2/30", "5/30", "refused", "61/100", "6/10")
        ]


async def test_where_nothing_fits_it_says_what_is_needed() -> None:
    async with watching(size=(10, 5)) as watch:
        assert (
            "".join(line.strip() for line in watch.lines)
            .replace(" ", "")
            .startswith("terminaltoosmall(need60x16)")
        )


async def test_sixty_by_sixteen_serves() -> None:
    async with watching(size=(60, 16)) as watch:
        assert "● running" in watch.line("coco-9t")
        assert "? help" in watch.lines[-1]
        await watch.press("j", "j", "j", "enter")
        assert "epoch 61/100" in watch.lines[1]
        assert "2 loss" in watch.text
        assert "5 log" in watch.text


class Watched(AskDialog):
    """A dialog that notes how it is arranged when it is first shown."""

    was_low = False

    def on_mount(self) -> None:
        self.was_low = self.has_class("-low")


async def test_a_dialog_in_a_low_pane_has_no_empty_rows_from_its_first_picture() -> None:
    for size, is_low in (((40, 12), True), ((80, 24), False)):
        async with watching(size=size, charts=False) as watch:
            dialog = Watched("heading", ["words"])
            watch.app.push_screen(dialog)
            await watch.pilot.pause()
            assert dialog.was_low is is_low
            await watch.resize((80, 24) if is_low else (40, 12))
            await watch.until(lambda: dialog.has_class("-low") is not is_low)  # noqa: B023
