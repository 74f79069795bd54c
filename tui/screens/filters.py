"""What a terminal cannot show is taken out of every row, whichever widget drew it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter, Monochrome, NoColor

_LIKE: tuple[tuple[str, str], ...] = (
    ("─━═╌┄▁▔", "-"),
    ("│┃║▌▐▏▎▕╎┆", "|"),
    ("┌┐└┘╭╮╰╯├┤┬┴┼", "+"),
    ("▂▃▄▅▆▇█▀▙▟▛▜▖▗▘▝", "#"),
    ("●•◉■▪", "*"),
    ("○◌◍·", "."),
    ("✓✔", "+"),
    ("✗✘✕×", "x"),
    ("…", "~"),
    ("–—−", "-"),
    ("‘’‚", "'"),
    ("“”„", '"'),
    ("→▶▸›", ">"),
    ("←◀‹", "<"),
    ("↑▲", "^"),
    ("↓▼", "v"),
    ("⏎\u00a0", " "),
)
_ASCII = str.maketrans({sign: like for signs, like in _LIKE for sign in signs})


@lru_cache(4096)
def ascii_text(text: str) -> str:
    """Return a text in ASCII that is as wide: signs become similar ones, the rest ``?``."""
    like = text.translate(_ASCII)
    return "".join(sign if sign.isascii() else "?" * cell_len(sign) for sign in like)


class AsciiOnly(LineFilter):
    """Leaves nothing above 0x7f."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in ASCII."""
        return [
            segment
            if segment.text.isascii()
            else Segment(ascii_text(segment.text), segment.style, segment.control)
            for segment in segments
        ]


class Colourless(LineFilter):
    """Leaves attributes, such as bold and reverse, and no colour: not even the terminal's own."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments without colours."""
        return [
            Segment(text, None if style is None else _without_colour(style), control)
            for text, style, control in segments
        ]


@lru_cache(1024)
def _without_colour(style: Style) -> Style:
    kept = style.without_color
    return kept + Style(meta=style.meta) if style.meta else kept


def own_filters(*, colourless: bool, ascii_only: bool) -> list[LineFilter]:
    """Return the filters that a terminal needs."""
    colour: list[LineFilter] = [Colourless()] if colourless else []
    return colour + ([AsciiOnly()] if ascii_only else [])


def with_colours(given: Iterable[LineFilter]) -> list[LineFilter]:
    """Return Textual's filters but its own answer to NO_COLOR: grey is a colour."""
    return [one for one in given if not isinstance(one, (Monochrome, NoColor))]
