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
NEWS_SECONDS = 0.5
"""So often the page looks for what was told while it is open."""

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
    """Day by day; what nobody has seen before is bright. ``past`` is None where nobody tells.

    What is told while it is open comes to it, and counts as looked at.
    """

    def __init__(self, past: Past | None, now: float) -> None:
        super().__init__()
        self.past = past
        self.now = now
        self.heading = _heading(past)

    def on_mount(self) -> None:
        """Look for news while the page is open."""
        self.set_interval(NEWS_SECONDS, self._look)

    def _look(self) -> None:
        """Take what was told meanwhile; whoever reads on below stays at the same line."""
        told = self.boxtop.questions.told
        if told is None or not told.past().unread:
            return
        before, news = self.past or Past(), told.read()
        self.past = news._replace(unread=min(len(news.events), before.unread + news.unread))
        self.now = self.boxtop.now()
        self.heading = _heading(self.past)
        self.query_one("#page").border_title = Content(self.heading)
        body = self.query_one("#page-body")
        below = body.virtual_size.height - body.scroll_y if body.scroll_y else None
        self.fill()
        if below is not None:
            self.call_after_refresh(self._go_on_reading, below)

    def _go_on_reading(self, below: float) -> None:
        body = self.query_one("#page-body")
        body.scroll_to(y=body.virtual_size.height - below, animate=False, force=True)

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


def _heading(past: Past | None) -> str:
    return f"alerts: {past.unread} new" if past is not None and past.unread else "alerts"


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
