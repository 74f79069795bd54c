"""The list of boxes and runs: only changed rows are drawn, the selection sticks to its run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.events import Click, MouseScrollDown, MouseScrollUp, Resize
from textual.message import Message

from tui.keys import Place
from tui.screens.rows import Key, Row
from tui.text import one_line
from tui.widgets import cells
from tui.widgets.box_word import box_word
from tui.widgets.cells import Pen
from tui.widgets.columns import LINE_WIDTH, Placed, layout
from tui.widgets.panel import Panel
from tui.widgets.spans import Span, Spans, fit, right, width_of

USEFUL = (16, 2)
"""Width and height below which nothing useful fits."""

TOO_SMALL = "terminal too small (need 60x16)"


class RunsTable(Panel):
    """Rows below a header. ``selected`` is a key, not a position: it survives every new order."""

    place: ClassVar[Place] = "runs"
    jump: int | None = 1

    class Selected(Message):
        """Another row is selected now."""

    class Opened(Message):
        """The selected row shall be opened."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: list[Row] = []
        self.selected: Key | None = None
        self.caption = "runs"
        self.remark = ""
        self.none_said = ""
        self.is_bare = False
        self._is_priced = False
        self._top = 0

    @property
    def cursor(self) -> int:
        """Position of the selected row, 0 when it is not in the list."""
        return next((i for i, row in enumerate(self.rows) if row.key == self.selected), 0)

    @property
    def selected_row(self) -> Row | None:
        """The selected row, None in an empty list."""
        return self.rows[self.cursor] if self.rows else None

    @property
    def inner(self) -> tuple[int, int]:
        """Width and height of the list; a bare one has no title."""
        return self.size if self.is_bare else super().inner

    @property
    def has_header(self) -> bool:
        """Whether there is room for column titles above the rows."""
        return self.inner[0] >= LINE_WIDTH and self.inner[1] >= 3

    @property
    def page(self) -> int:
        """How many rows are visible."""
        return max(0, self.inner[1] - self.has_header)

    def show(
        self, rows: Sequence[Row], caption: str, remark: str = "", none_said: str = ""
    ) -> None:
        """Take new rows; draw those that look different. The selection stays with its run.

        ``none_said`` stands in a list without rows.
        """
        before = self.cursor
        is_known = any(row.key == self.selected for row in rows)
        self.rows = list(rows)
        self._is_priced = any(row.box.usd_per_hour is not None for row in rows)
        self.caption, self.remark, self.none_said = caption, remark, none_said
        if not is_known and rows:
            self.selected = rows[min(before, len(rows) - 1)].key
            self.post_message(self.Selected())
        self._scroll_to_cursor()
        self.redraw()

    def move(self, lines: int) -> None:
        """Move the selection by rows; it stops at both ends."""
        if self.rows:
            self.select(self.rows[max(0, min(len(self.rows) - 1, self.cursor + lines))].key)

    def select(self, key: Key) -> None:
        """Select a row by its key."""
        if key != self.selected:
            self.selected = key
            self._scroll_to_cursor()
            self.redraw()
            self.post_message(self.Selected())

    def on_resize(self, event: Resize) -> None:
        """Keep the selected row in sight."""
        self._scroll_to_cursor()

    def on_click(self, event: Click) -> None:
        """Select the row under the mouse; a second click opens it."""
        row = event.y - (not self.is_bare) - self.has_header + self._top
        if 0 <= row < len(self.rows):
            self.select(self.rows[row].key)
            if event.chain == 2:
                self.post_message(self.Opened())

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Move the selection down."""
        event.stop()
        self.move(1)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Move the selection up."""
        event.stop()
        self.move(-1)

    def title(self) -> Spans:
        """Return the caption."""
        return [(self.caption, self.style("bright", bold=True))]

    def aside(self) -> Spans:
        """Return the order and the filter."""
        return [(self.remark, self.style("muted"))] if self.remark else ()

    def thumb(self) -> tuple[int, int] | None:
        """Return where the visible rows are in the whole list."""
        page, total = self.page, len(self.rows)
        if page <= 0 or total <= page:
            return None
        length = max(1, page * page // total)
        first = (page - length) * self._top // max(1, total - page)
        return self.has_header + first, length

    def row(self, y: int) -> Spans:
        """Return a row; a bare list has no frame."""
        return self.content(y, self.size.width) if self.is_bare else super().row(y)

    def content(self, y: int, width: int) -> Spans:
        """Return the column titles or one row of the list."""
        if self.is_bare and (width < USEFUL[0] or self.size.height < USEFUL[1]):
            said = TOO_SMALL[y * width : (y + 1) * width]
            return [(said, self.style("warning"))]
        if self.has_header:
            if y == 0:
                return self._header(width)
            y -= 1
        index = self._top + y
        if index >= len(self.rows):
            return [(f" {self.none_said}", self.style("muted"))] if index == 0 else []
        row = self.rows[index]
        pen = self._pen(row)
        return self._line(row, width, pen) if width < LINE_WIDTH else self._cells(row, width, pen)

    def _pen(self, row: Row) -> Pen:
        ground = "selected" if row.key == self.selected else "background"
        return Pen(self.palette, self.glyphs, self.boxtop.ascii_only, ground, row.is_stale)

    def _mark(self, row: Row) -> Span:
        """Return the sign in front of the selected row."""
        if row.key != self.selected:
            return " ", self.style("text")
        return self.glyphs.cursor, self.style("accent" if self.has_focus else "muted", "selected")

    def _layout(self, width: int) -> tuple[Placed, ...]:
        return layout(width - (1 if self.framed else 2), priced=self._is_priced)

    def _header(self, width: int) -> Spans:
        style = self.style("faint")
        spans: list[Span] = [(" ", style)]
        for placed in self._layout(width):
            title: list[Span] = [(placed.column.title, style)]
            cell = right if placed.column.right else fit
            spans += [*cell(title, placed.width, style), ("  ", style)]
        return spans[:-1]

    def _cells(self, row: Row, width: int, pen: Pen) -> Spans:
        spans: list[Span] = [self._mark(row)]
        placed = self._layout(width)
        if row.run is None:
            return self._box_cells(row, width, pen, placed[:2])
        for item in placed:
            made = item.column.cell(row, item.width, pen)
            spans += [*fit(made, item.width, pen.fill, pen.glyphs.more), ("  ", pen.fill)]
        return fit(spans[:-1], width, pen.fill, pen.glyphs.more)

    def _box_cells(self, row: Row, width: int, pen: Pen, placed: Sequence[Placed]) -> Spans:
        """Return a box's state and name, and what it says: from the next column, or right behind
        the name where it would be cut there.
        """
        word = box_word(row.box, pen, self.boxtop.keymap)
        state, name = (one.column.cell(row, one.width, pen) for one in placed)
        left = [self._mark(row), *fit(state, placed[0].width, pen.fill), ("  ", pen.fill)]
        size = placed[1].width
        if width_of(left) + size + 2 + width_of(word) > width:
            size = min(size, width_of(name))
        cell = fit(name, size, pen.fill, pen.glyphs.more)
        return fit([*left, *cell, ("  ", pen.fill), *word], width, pen.fill, pen.glyphs.more)

    def _line(self, row: Row, width: int, pen: Pen) -> Spans:
        """Return a run on one line of a tiny pane: sign, name, epoch."""
        sign = cells.state(row, width, pen)[0]
        if row.run is None:
            end: list[Span] = [(row.box.link.state, pen.style("muted"))]
            text = one_line(row.box.name)
        else:
            run = row.run.run
            shown = "-" if run.epoch is None else f"{run.epoch}/{run.total_epochs or '?'}"
            end, text = [(shown, pen.style("muted"))], one_line(run.id)
        room = max(0, width - len(end[0][0]) - 4)
        name: list[Span] = [(text, pen.style("bright"))]
        middle = fit(name, room, pen.fill, pen.glyphs.more)
        return fit(
            [self._mark(row), sign, (" ", pen.fill), *middle, (" ", pen.fill), *end],
            width,
            pen.fill,
        )

    def _scroll_to_cursor(self) -> None:
        """Scroll so far that the selection is visible."""
        page = max(1, self.page)
        cursor = self.cursor
        self._top = min(self._top, max(0, len(self.rows) - page))
        if cursor < self._top:
            self._top = cursor
        elif cursor >= self._top + page:
            self._top = cursor - page + 1
