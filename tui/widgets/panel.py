"""A framed piece of the screen that draws itself row by row and takes the focus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar, Self, cast

from rich.style import Style
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from tui.debug import record_fault
from tui.keys import Place
from tui.theme import Palette
from tui.widgets.glyphs import Glyphs
from tui.widgets.spans import Span, Spans, fit, spread, strip, width_of

if TYPE_CHECKING:
    from tui.app import BoxtopApp


class Sheet(Widget):
    """A widget of plain rows: subclasses say what stands in each, failures stay inside it."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._drawn: dict[int, list[Span]] = {}
        self._size_now: Size | None = None
        self._ready: dict[tuple[int, Size], list[Span]] = {}

    @property
    def boxtop(self) -> BoxtopApp:
        """The app, with its palette and glyphs."""
        return cast("BoxtopApp", self.app)

    @property
    def palette(self) -> Palette:
        """The colours of the theme in use."""
        return self.boxtop.palette

    @property
    def glyphs(self) -> Glyphs:
        """The signs that this terminal can show."""
        return self.boxtop.glyphs

    def style(self, name: str, ground: str = "background", *, bold: bool = False) -> Style:
        """Return a style of the palette."""
        return self.palette.style(name, ground, bold=bold)

    def render_line(self, y: int) -> Strip:
        """Return one row, and remember how it looks."""
        with self._steady_size() as size:
            spans = self._ready.pop((y, size), None) or self._whole_row(y, size.width)
        self._drawn[y] = spans
        return strip(spans, self.boxtop.ascii_only)

    def redraw(self, only: Iterable[int] | None = None) -> None:
        """Draw the rows that look different now: each one costs, where only ages change.

        ``only`` names the rows that can look different, where that is known.
        """
        with self._steady_size() as size:
            asked = range(size.height) if only is None else only
            rows = [(y, self._whole_row(y, size.width)) for y in asked if y < size.height]
        if not size.height and self._drawn:  # hidden: it would come back as it was
            self._drawn.clear()
            self.refresh()
        changed = {(y, size): spans for y, spans in rows if spans != self._drawn.get(y)}
        self._ready = changed
        if changed:
            self.refresh(*(Region(0, y, size.width, 1) for y, _ in changed))

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        """Draw anew: without regions all of it, also what ``redraw`` has ready."""
        if not regions:
            self._ready.clear()
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    @property
    def size(self) -> Size:
        """The size of the content; Textual looks it up in a map each time."""
        return self._size_now or super().size

    @contextmanager
    def _steady_size(self) -> Iterator[Size]:
        """Ask for the size once, while rows are made that all depend on it."""
        self._size_now = super().size
        try:
            yield self._size_now
        finally:
            self._size_now = None

    def _whole_row(self, y: int, width: int) -> list[Span]:
        """Return a row as wide as it is; whatever goes wrong in it is one sentence in its place."""
        fill = self.style("text")
        try:
            return fit(self.row(y), width, fill, self.glyphs.more)
        except Exception as error:  # noqa: BLE001  # a row that cannot be drawn must not end the app
            record_fault(error)
            said = f"cannot draw ({type(error).__name__})"
            return fit([(said, self.style("bad"))], width, fill)

    def row(self, y: int) -> Spans:
        """Return what stands in row ``y``; it is cut and padded to the width."""
        return ()


class Panel(Sheet, can_focus=True):
    """A sheet in a frame, with a number to jump to it, a title, and a scroll mark.

    Without ``framed`` (tight screens) its first row is the title.
    """

    place: ClassVar[Place]
    jump: int | None = None
    framed: reactive[bool] = reactive(True)

    @property
    def inner(self) -> tuple[int, int]:
        """Width and height of the content."""
        width, height = self.size
        if self.framed:
            return max(0, width - 4), max(0, height - 2)
        return width, max(0, height - 1)

    def on_focus(self) -> None:
        """Show the frame as focused."""
        self.refresh()

    def on_blur(self) -> None:
        """Show the frame as one of many."""
        self.refresh()

    def title(self) -> Spans:
        """Return what stands in the top edge."""
        return ()

    def aside(self) -> Spans:
        """Return what stands at the right of the top edge."""
        return ()

    def foot(self) -> Spans:
        """Return what stands at the right of the bottom edge."""
        return ()

    def content(self, y: int, width: int) -> Spans:
        """Return row ``y`` of the content."""
        return ()

    def thumb(self) -> tuple[int, int] | None:
        """Return first row and length of the scroll mark, None when all is visible."""
        return None

    def row(self, y: int) -> Spans:
        """Return a row with its frame."""
        if not self.framed:
            return self._bare_title() if y == 0 else self.content(y - 1, self.size.width)
        width, height = self.size
        frame = self.glyphs.frame
        edge = self.style("accent" if self.has_focus else "line")
        if y == 0:
            return self._top_edge(width, edge)
        if y == height - 1:
            return self._bottom_edge(width, edge)
        fill = self.style("text")
        inside = fit(self.content(y - 1, width - 4), width - 4, fill, self.glyphs.more)
        right = (frame[5], edge)
        mark = self.thumb()
        if mark is not None and mark[0] <= y - 1 < mark[0] + mark[1]:
            right = (self.glyphs.thumb, self.style("muted"))
        return [(frame[5], edge), (" ", fill), *inside, (" ", fill), right]

    def _top_edge(self, width: int, edge: Style) -> Spans:
        frame = self.glyphs.frame
        room = width - 6
        aside = list(self.aside())
        if width_of(aside) > room // 2:
            aside = []
        title = self._numbered()
        left = _trimmed(title, room - (width_of(aside) + 3 if aside else 0), self.glyphs.more)
        line = room - width_of(left) - (width_of(aside) + 2 if aside else 0)
        space = (" ", self.style("text"))
        end: list[Span] = [space, *aside, space] if aside else []
        return [
            (frame[0] + frame[4], edge),
            space,
            *left,
            space,
            (frame[4] * max(0, line), edge),
            *end,
            (frame[4] + frame[1], edge),
        ]

    def _bottom_edge(self, width: int, edge: Style) -> Spans:
        frame, foot = self.glyphs.frame, list(self.foot())
        line = width - 2 - width_of(foot) - 3
        if not foot or line < 1:
            return [(frame[2] + frame[4] * max(0, width - 2) + frame[3], edge)]
        space = (" ", self.style("text"))
        return [
            (frame[2] + frame[4] * line, edge),
            space,
            *foot,
            space,
            (frame[4] + frame[3], edge),
        ]

    def _bare_title(self) -> Spans:
        return spread(self._numbered(), list(self.aside()), self.size.width, self.style("text"))

    def _numbered(self) -> list[Span]:
        title = list(self.title())
        if self.jump is None:
            return title
        style = self.style("accent" if self.has_focus else "faint")
        return [(f"{self.jump} ", style), *title]


def _trimmed(spans: list[Span], room: int, more: str) -> list[Span]:
    """Cut spans to at most ``room`` cells, without padding."""
    size = width_of(spans)
    return spans if size <= room else fit(spans, room, spans[-1][1], more)
