"""What was told, the newest first: for who comes back to a pane that nobody watched."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Protocol

from textual.content import Content

from tui.alerts.event import GOOD, Event
from tui.alerts.past import Past
from tui.screens.page import Page
from tui.text import one_line
from tui.widgets.spans import wrapped

NOTHING = "nothing was told yet: trouble, new bests and ends will stand here"
NOBODY = "nothing is told of the demo, of recordings and of copies"
ROOMY = 60
"""From this width on all lines of an alert stand behind its time."""


class Told(Protocol):
    """Who knows what was told; ``tui.alerts.watcher.AlertWatcher`` does."""

    def past(self) -> Past:
        """Return what was told."""
        ...

    def read(self) -> Past:
        """Return the same, to somebody who looks at it now."""
        ...


class PastScreen(Page):
    """Day by day; what nobody has seen before is bright. ``past`` is None where nobody tells."""

    def __init__(self, past: Past | None, now: float) -> None:
        super().__init__()
        self.past = past
        self.now = now
        new = past.unread if past is not None else 0
        self.heading = f"alerts: {new} new" if new else "alerts"

    def content(self, width: int) -> Content:
        """Return the alerts of each day below its name."""
        if self.past is None or not self.past.events:
            return Content.styled(NOBODY if self.past is None else NOTHING, self.ink("text"))
        newest_first = list(enumerate(self.past.events))[::-1]
        first_new = len(self.past.events) - self.past.unread
        lines: list[Content] = []
        for day, alerts in groupby(newest_first, key=lambda pair: day_text(pair[1].at, self.now)):
            lines.append(Content.styled(day, self.ink("accent", bold=True)))
            for index, event in alerts:
                lines += self._alert(event, width, is_new=index >= first_new)
        return Content("\n").join(lines)

    def _alert(self, event: Event, width: int, *, is_new: bool) -> Iterator[Content]:
        sign, tone = self._sign(event)
        clock = time.strftime("%H:%M", time.localtime(event.at))
        head = f"{sign} {clock}  "
        rows = wrapped(one_line(event.text), width, len(head), len(head) if width >= ROOMY else 2)
        words = self.ink("bright" if is_new else "muted", bold=is_new)
        yield Content.assemble(
            (f"{sign} ", self.ink(tone, bold=True)),
            (f"{clock}  ", self.ink("muted")),
            (rows[0], words),
        )
        for row in rows[1:]:
            yield Content.styled(row, words)

    def _sign(self, event: Event) -> tuple[str, str]:
        if event.kind == "new_best":
            return self.boxtop.glyphs.dot, "best"
        if event.kind in GOOD:
            return self.boxtop.glyphs.verdicts["completed"], "good"
        return self.boxtop.glyphs.warning, "bad"


def day_text(at: float, now: float) -> str:
    """Return the day of a moment by the local clock: ``today``, ``yesterday``, ``Sun 29 Nov``."""
    day = time.localtime(at)[:3]
    if day == time.localtime(now)[:3]:
        return "today"
    return "yesterday" if day == _day_before(now) else time.strftime("%a %d %b", time.localtime(at))


def _day_before(now: float) -> Sequence[int]:
    today = time.localtime(now)
    noon = time.mktime((*today[:3], 12, 0, 0, 0, 0, -1))
    return time.localtime(noon - 86_400)[:3]
