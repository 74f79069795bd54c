"""Signs of the screen in two sets: Unicode, and ASCII for terminals that cannot show it."""

from __future__ import annotations

import msgspec

from tui.glyphs import verdict_glyphs
from tui.runs.model import Verdict
from tui.view import LinkState


class Glyphs(msgspec.Struct, frozen=True):
    """One cell each, but ``frame``: corners and edges as ``╭╮╰╯─│``."""

    verdicts: dict[Verdict, str]
    links: dict[LinkState, str]
    frame: str
    thumb: str
    full: str
    rest: str
    meter: str
    cursor: str
    warning: str
    dot: str
    more: str
    levels: str


UNICODE = Glyphs(
    verdicts=verdict_glyphs(False),
    links={"live": "●", "stale": "◍", "connecting": "◌", "offline": "○", "refused": "⊘"},
    frame="╭╮╰╯─│",
    thumb="┃",
    full="━",
    rest="─",
    meter="█",
    cursor="▌",
    warning="▲",
    dot="·",
    more="…",
    levels="▁▂▃▄▅▆▇",
)

ASCII = Glyphs(
    verdicts=verdict_glyphs(True),
    links={"live": "*", "stale": "~", "connecting": ".", "offline": "o", "refused": "X"},
    frame="++++-|",
    thumb="#",
    full="=",
    rest=".",
    meter="#",
    cursor=">",
    warning="!",
    dot="-",
    more="~",
    levels="_.:-=+*#",
)


def glyphs(ascii_only: bool) -> Glyphs:
    """Return the set that a terminal can show."""
    return ASCII if ascii_only else UNICODE
