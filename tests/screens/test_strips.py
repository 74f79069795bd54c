"""The rows for what goes on beside watching: what matters most is seen in the narrowest pane."""

from __future__ import annotations

import pytest

from tests.screens.watching import watching
from tui.actions.finish_line import FinishView
from tui.actions.finish_wish import End, Setting, Wish
from tui.actions.instance_plan import Bound
from tui.widgets.finish_strip import FinishStrip

BOUND = Bound("vast", "700001", "lab", "lab")


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ("destroy", "set to DESTROY lab: waits"),
        ("stop", "set to STOP lab: waits"),
        (None, "lab: waits"),
    ],
)
async def test_a_waiting_finish_line_says_what_it_will_end(end: End | None, told: str) -> None:
    setting = Setting("lab", Wish(("pull",), end), BOUND if end else None, "lab")
    view = FinishView(setting, "waiting", "waits for run1, epoch 12/100")
    async with watching(size=(40, 12), charts=False) as watch:
        strip = FinishStrip()
        await watch.app.screen.mount(strip, before="#footer")
        strip.show(view)
        await watch.pilot.pause()
        row = watch.line("F cancels")
        assert told in row
