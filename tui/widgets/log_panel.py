"""The log of a run: follows its end, scrolls, searches; draws only what is seen."""

from __future__ import annotations

import re
from typing import ClassVar, Literal

from rich.style import Style
from textual.events import Click, MouseScrollDown, MouseScrollUp, Resize

from tui.keys import Place
from tui.runs.log import LogTail
from tui.view import RunView
from tui.widgets.matches import Matches
from tui.widgets.panel import Panel
from tui.widgets.spans import Span, Spans, fit

Source = Literal["train.log", "console"]

_NARROW = 90
"""Below this width a line begins with its time of day; its date and INFO are left out."""

_HEAD = re.compile(
    r"(?P<time>(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d\S*) (?:\| )?(?:(?P<level>[A-Z]+) *\| )?|"
    r"(?P<trace>Traceback \(|  File \"|\w[\w.]*(?:Error|Exception|Interrupt)\b)"
)
_LEVELS = {"WARNING": "warning", "ERROR": "bad", "CRITICAL": "bad", "DEBUG": "faint"}
_SIDEWAYS = 16
_WHEEL = 3


class LogPanel(Panel):
    """Lines are known by their running number, so that a log that loses old lines does not jump."""

    place: ClassVar[Place] = "log"
    jump: int | None = 5

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.follows = True
        self.source: Source = "train.log"
        self.chosen: Source | None = None
        self.matches = Matches()
        self._view: RunView | None = None
        self._path: str | None = None
        self._top = 0
        self._left = 0
        self._cursor = 0
        self._face: object = None
        self._is_stale = False

    @property
    def tail(self) -> LogTail | None:
        """The log that is shown."""
        if self._view is None:
            return None
        return self._view.log if self.source == "train.log" else self._view.console

    @property
    def current_line(self) -> str | None:
        """The line under the cursor: the newest one while the log follows."""
        first, lines = self._snapshot()
        index = self._cursor - first
        return lines[index] if 0 <= index < len(lines) else None

    def show(self, view: RunView | None, is_stale: bool = False) -> None:
        """Show a run's log; draw only when something that is seen changed."""
        path = view.run.path if view else None
        if path != self._path:
            self._path = path
            self.follows, self._left = True, 0
        self._view, self._is_stale = view, is_stale
        self.source = self._choose()
        self._update()

    def toggle_source(self) -> None:
        """Show the other log of the run."""
        self.chosen = "console" if self.source == "train.log" else "train.log"
        self.source = self.chosen
        self.follows = True
        self._update()

    def follow(self, on: bool | None = None) -> None:
        """Follow the end, or stop doing so."""
        self.follows = not self.follows if on is None else on
        self._update()

    def search(self, query: str) -> bool:
        """Look for a word and go to its newest line; return whether there is one."""
        self.matches.search(query)
        self._update()
        found = (
            self.matches.before(self._end) if self.follows else self.matches.after(self._top - 1)
        )
        return self._go(found)

    def next_match(self, *, backwards: bool = False) -> bool:
        """Go to the next line that matches; return whether there is one."""
        found = self.matches.before(self._cursor) if backwards else self.matches.after(self._cursor)
        return self._go(found)

    def move(self, lines: int) -> None:
        """Move the cursor; scrolling up stops following, the last line does not start it again."""
        first, held = self._snapshot()
        if not held:
            return
        self.follows = False
        self._cursor = max(first, min(first + len(held) - 1, self._cursor + lines))
        self._update()

    def scroll(self, lines: int) -> None:
        """Move the visible part, as a mouse wheel does."""
        first, held = self._snapshot()
        page = max(1, self.inner[1])
        last_top = max(first, first + len(held) - page)
        self._top = max(first, min(last_top, self._top + lines))
        self.follows = self._top >= last_top and lines > 0
        self._cursor = max(self._top, min(self._top + page - 1, self._cursor))
        self._update()

    def sideways(self, steps: int) -> None:
        """Scroll long lines to the left or right."""
        self._left = max(0, self._left + steps * _SIDEWAYS)
        self._update()

    def to_top(self) -> None:
        """Go to the oldest line."""
        self.move(-(1 << 40))

    def to_bottom(self) -> None:
        """Go to the end and follow it."""
        self.follow(True)

    def on_resize(self, event: Resize) -> None:
        """Keep the end or the cursor in sight."""
        self._face = None
        self._update()

    def on_click(self, event: Click) -> None:
        """Put the cursor on a line."""
        self.move(self._top + event.y - 1 - self._cursor)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Scroll towards the end."""
        event.stop()
        self.scroll(_WHEEL)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Scroll towards the beginning."""
        event.stop()
        self.scroll(-_WHEEL)

    def title(self) -> Spans:
        """Return which log it is."""
        name = "train.log" if self.source == "train.log" else "console log"
        return [("log ", self.style("bright", bold=True)), (name, self.style("muted"))]

    def aside(self) -> Spans:
        """Return whether it follows, and which match the cursor is on."""
        spans: list[Span] = []
        if self.matches.query:
            at = self.matches.position(self._cursor)
            where = f"{at or '-'}/{self.matches.count}"
            spans.append((f"/{self.matches.query} {where}  ", self.style("best")))
        first, lines = self._snapshot()
        word = "following" if self.follows else f"line {self._cursor - first + 1} of {len(lines)}"
        spans.append((word, self.style("running" if self.follows else "warning")))
        return spans

    def thumb(self) -> tuple[int, int] | None:
        """Return where the visible lines are in the whole log."""
        first, lines = self._snapshot()
        page, total = self.inner[1], len(lines)
        if page <= 0 or total <= page:
            return None
        length = max(1, page * page // total)
        return (page - length) * (self._top - first) // max(1, total - page), length

    def content(self, y: int, width: int) -> Spans:
        """Return one line of the log."""
        first, lines = self._snapshot()
        index = self._top + y - first
        if not lines and y == 0:
            return [(self._nothing(), self.style("muted"))]
        if not 0 <= index < len(lines):
            return []
        is_current = self.has_focus and not self.follows and self._top + y == self._cursor
        return self._line(lines[index], width, "selected" if is_current else "background")

    def _line(self, line: str, width: int, ground: str) -> Spans:
        text = line.expandtabs(4)
        if width < _NARROW:
            text = _without_date(text)
        plain = self.style("faint" if self._is_stale else "text", ground)
        spans = self._marked(text, plain, ground)
        visible = _skip(spans, self._left)
        return fit(visible, width, plain, self.glyphs.more) if ground == "selected" else visible

    def _marked(self, text: str, plain: Style, ground: str) -> list[Span]:
        """Return a line with its time faint, its level and tracebacks coloured, matches marked."""
        found = self.matches.spans(text)
        if found:
            return _cut_at(text, found, plain, self.style("best", "match", bold=True))
        head = _HEAD.match(text)
        if head is None or self._is_stale:
            return [(text, plain)]
        if head["trace"]:
            return [(text, self.style("bad", ground))]
        tone = _LEVELS.get(head["level"] or "")
        rest = self.style(tone, ground) if tone else plain
        return [
            (head["time"], self.style("faint", ground)),
            (text[len(head["time"]) : head.end()], self.style(tone or "faint", ground)),
            (text[head.end() :], rest),
        ]

    def _nothing(self) -> str:
        if self._view is None:
            return "no run, no log"
        if self.source == "console" and self._view.console_path is None:
            return "no console log is known: name it as console in boxtop.toml"
        return "nothing in this log yet"

    @property
    def _end(self) -> int:
        first, lines = self._snapshot()
        return first + len(lines)

    def _snapshot(self) -> tuple[int, list[str]]:
        """Return the number of the first line and the lines; another thread may add to them."""
        tail = self.tail
        return (0, []) if tail is None else (tail.first, tail.lines)  # type: ignore[return-value]

    def _choose(self) -> Source:
        """Return the log to show: the chosen one, else the one that tells why a run ended."""
        if self.chosen is not None or self._view is None:
            return self.chosen or "train.log"
        ended_badly = self._view.run.verdict in ("failed", "dead")
        if (ended_badly and self._view.console.lines) or not self._view.log.lines:
            return "console" if self._view.console.lines else "train.log"
        return "train.log"

    def _go(self, line: int | None) -> bool:
        if line is None:
            return False
        self.follows = False
        self._cursor = line
        self._update()
        return True

    def _update(self) -> None:
        """Bring the cursor into sight and draw, if anything that is seen changed."""
        tail = self.tail
        if tail is not None:
            self.matches.update(tail)
        first, lines = self._snapshot()
        page = max(1, self.inner[1])
        last = first + len(lines) - 1
        if self.follows:
            self._cursor, self._top = max(first, last), max(first, last - page + 1)
        else:
            self._cursor = max(first, min(last, self._cursor))
            self._top = max(first, min(self._top, self._cursor))
            self._top = max(self._top, self._cursor - page + 1)
        revision = (tail.revision if tail else -1) if last - self._top < page else len(lines)
        found = (self.matches.query, self.matches.count)
        seen = (self._top, self._left, self._cursor, self.follows, self._is_stale, self.size)
        face = (id(tail), revision, found, seen)
        if face != self._face:
            self._face = face
            self.refresh()


def _skip(spans: list[Span], cells: int) -> list[Span]:
    """Leave out the first characters of a line that is scrolled to the right."""
    kept: list[Span] = []
    for text, style in spans:
        if cells < len(text):
            kept.append((text[cells:], style))
        cells = max(0, cells - len(text))
    return kept


def _cut_at(text: str, found: list[tuple[int, int]], plain: Style, marked: Style) -> list[Span]:
    """Return a line in which every match has its own style."""
    spans: list[Span] = []
    at = 0
    for begin, end in found:
        spans += [(text[at:begin], plain), (text[begin:end], marked)]
        at = end
    return [*spans, (text[at:], plain)]


def _without_date(line: str) -> str:
    """Return a line of LibreYOLO's logger with the time of day alone; others as they are."""
    head = _HEAD.match(line)
    if head is None or not head["level"]:
        return line
    level = "" if head["level"] == "INFO" else f"{head['level']} | "
    return f"{head['time'][-8:]} {level}{line[head.end() :]}"
