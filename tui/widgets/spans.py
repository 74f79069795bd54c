"""Styled text of one row: cut, padded and joined by terminal cells, then made a Strip."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

Span = tuple[str, Style]
"""Text and its style. The text is already clean: no control character, no markup."""

Spans = Sequence[Span]

_PIECES = re.compile(r"\s+|\S+")


def width_of(spans: Iterable[Span]) -> int:
    """Return the cells that spans take."""
    return sum(cell_len(text) for text, _ in spans)


def fit(spans: Iterable[Span], width: int, fill: Style, more: str = "…") -> list[Span]:
    """Return spans of exactly ``width`` cells: cut with ``more``, or padded in ``fill``."""
    if width <= 0:
        return []
    kept: list[Span] = []
    room = width
    for text, style in spans:
        size = cell_len(text)
        if size > room:
            cut = set_cell_size(text, max(0, room - 1)) + more
            kept.append((set_cell_size(cut, room), style))
            return kept
        if size:
            kept.append((text, style))
            room -= size
    if room:
        kept.append((" " * room, fill))
    return kept


def right(spans: Sequence[Span], width: int, fill: Style) -> list[Span]:
    """Return spans of exactly ``width`` cells, at the right edge."""
    room = width - width_of(spans)
    return fit(spans, width, fill) if room <= 0 else [(" " * room, fill), *spans]


def spread(left: Sequence[Span], end: Sequence[Span], width: int, fill: Style) -> list[Span]:
    """Return ``left`` at the left edge and ``end`` at the right one; ``left`` is cut first."""
    size = width_of(end)
    if size + 1 >= width:
        return fit(left, width, fill)
    return [*fit(left, width - size, fill), *end]


def strip(spans: Iterable[Span], ascii_only: bool = False) -> Strip:
    """Return the row for the compositor; in ASCII any other character is ``?``.

    Neighbours of one style are joined: each segment is cut, filtered and written by itself.
    """
    if ascii_only:
        spans = ((text.encode("ascii", "replace").decode("ascii"), style) for text, style in spans)
    joined: list[Segment] = []
    texts: list[str] = []
    last: Style | None = None
    for text, style in spans:
        if style is not last and texts:
            joined.append(Segment("".join(texts), last))
            texts = []
        texts.append(text)
        last = style
    joined.append(Segment("".join(texts), last))
    return Strip(joined)


def flowed(spans: Iterable[Span], width: int, most: int) -> list[list[Span]]:
    """Return at most ``most`` rows of ``width`` cells, broken between words; the last has the rest.

    A word that is wider than a row is left whole: it is cut where the row is drawn.
    """
    rows: list[list[Span]] = [[]]
    room = width
    for text, style in spans:
        for piece in _PIECES.findall(text):
            size = cell_len(piece)
            if size > room and len(rows) < most and rows[-1]:
                rows.append([])
                room = width
            if rows[-1] or len(rows) == 1 or not piece.isspace():
                rows[-1].append((piece, style))
                room -= size
    return rows


def wrapped(text: str, width: int, first: int = 0, indent: int = 0) -> list[str]:
    """Return lines of at most ``width`` cells, broken between words where that is possible.

    The first one begins behind ``first`` cells that are taken, the others with ``indent`` blanks.
    """
    room = max(2, width - indent)
    words = [piece for word in text.split() for piece in chop_cells(word, room)]
    lines, left = [""], max(2, width - first)
    for word in words:
        line = lines[-1]
        if cell_len(line) + bool(line) + cell_len(word) > left:
            lines.append(word)
            left = room
        else:
            lines[-1] = f"{line} {word}" if line else word
    return [lines[0], *(" " * indent + line for line in lines[1:])]
