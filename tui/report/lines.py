"""Lines of plain text that fit a width, with colours only where a terminal shows them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

import msgspec

GAP = "  "
_TO_ASCII = str.maketrans(
    {"·": "-", "…": "...", "°": " ", "→": "->", "×": "x", "–": "-", "—": "-", "≥": ">=", "≤": "<="}
    | {"‘": "'", "’": "'", "“": '"', "”": '"', "\N{NO-BREAK SPACE}": " ", "µ": "u"}
)
_COLOURS = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}


class Span(msgspec.Struct, frozen=True):
    """A piece of text that is never broken while it fits a line; ``style`` is a colour's name."""

    text: str
    style: str = ""


class Paper(msgspec.Struct, frozen=True):
    """What can be written on: its ``width`` in cells, ASCII or Unicode, with colours or without."""

    width: int = 80
    ascii_only: bool = False
    colour: bool = False

    def plain(self, text: str) -> str:
        """Return a text as this paper can hold it: without UTF-8 nothing above 0x7f."""
        if not self.ascii_only or text.isascii():
            return text
        return text.translate(_TO_ASCII).encode("ascii", "backslashreplace").decode("ascii")

    def flow(self, spans: Iterable[Span], first: str, rest: str) -> Iterator[str]:
        """Yield lines of spans two blanks apart, broken before a span that no longer fits.

        ``first`` begins the first line and ``rest`` the others. A span longer than a whole line is
        broken at its blanks, or anywhere when it has none.
        """
        line = _Line(self, first)
        for span in spans:
            for gap, piece in self._pieces(span, len(rest)):
                if line.parts and line.cells + len(gap) + cells(piece) > self.width:
                    yield line.text()
                    line = _Line(self, rest)
                line.add(gap if line.parts else "", self._styled(piece, span.style), cells(piece))
        if line.parts:
            yield line.text()

    def spread(self, left: Span, right: Span) -> Iterator[str]:
        """Yield one line with a span at each edge, or two lines when they do not fit one."""
        start, end = self.plain(left.text), self.plain(right.text)
        room = self.width - cells(start) - cells(end)
        if room >= len(GAP):
            yield self._styled(start, left.style) + " " * room + self._styled(end, right.style)
            return
        yield from self.flow([left], "", GAP)
        yield from self.flow([right], GAP, GAP)

    def _pieces(self, span: Span, indent: int) -> Iterator[tuple[str, str]]:
        """Yield what stands before each unbreakable piece of a span, and the piece."""
        text, room = self.plain(span.text), max(8, self.width - indent)
        words = [text] if cells(text) <= room else text.split()
        for index, word in enumerate(words):
            yield GAP if index == 0 else " ", (head := _prefix(word, room) or word[:1])
            while word := word[len(head) :]:
                yield "", (head := _prefix(word, room) or word[:1])

    def _styled(self, text: str, style: str) -> str:
        if not self.colour or not style or not text:
            return text
        codes = ";".join(_COLOURS[name] for name in style.split())
        return f"\x1b[{codes}m{text}\x1b[0m"


class _Line:
    """A line as it grows."""

    def __init__(self, paper: Paper, start: str) -> None:
        self.parts: list[str] = []
        self._start = paper.plain(start)
        self.cells = cells(self._start)

    def add(self, gap: str, styled: str, width: int) -> None:
        """Add a piece of ``width`` cells after its gap."""
        self.parts.append(gap + styled)
        self.cells += len(gap) + width

    def text(self) -> str:
        """Return the line without blanks at its end."""
        return (self._start + "".join(self.parts)).rstrip()


def cells(text: str) -> int:
    """Return how many cells of a terminal a clean text takes."""
    if text.isascii():
        return len(text)
    return sum(_cell(character) for character in text)


def _cell(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, width: int) -> str:
    """Return a text of at most ``width`` cells; what is cut from its middle leaves an ellipsis."""
    if cells(text) <= width:
        return text
    head = _prefix(text, (width - 1) // 2)
    tail = _prefix(text[::-1], width - 1 - cells(head))[::-1]
    return f"{head}…{tail}"


def pad(text: str, width: int) -> str:
    """Return a text filled up with blanks to ``width`` cells."""
    return text + " " * max(0, width - cells(text))


def _prefix(text: str, width: int) -> str:
    """Return the longest beginning of a text that fits."""
    used = 0
    for index, character in enumerate(text):
        used += _cell(character)
        if used > width:
            return text[:index]
    return text
