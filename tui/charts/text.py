"""Charts for stdout: the same cells as on the screen, coloured for a terminal or plain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tui.charts.cells import Drawing, Role, Run
from tui.charts.draw import draw
from tui.charts.model import PLAIN, Options, Plot
from tui.text import said

_COLOURS: dict[Role, str] = {
    Role.AXIS: "90",
    Role.GRID: "90",
    Role.BEST: "33",
    Role.NOTE: "90",
    Role.TITLE: "1",
    Role.LINE_1: "36",
    Role.LINE_2: "35",
    Role.LINE_3: "33",
    Role.LINE_4: "32",
    Role.LINE_5: "34",
    Role.LINE_6: "31",
}
"""SGR codes of the sixteen colours every terminal has: readable on dark and on light."""


def render(
    plots: Iterable[Plot],
    *,
    width: int,
    height: int,
    ascii_only: bool = False,
    colour: bool = False,
    options: Options = PLAIN,
) -> str:
    """Return charts below each other, each ``height`` rows and ``width`` cells, without ``\\r``.

    With ``ascii_only`` every character is below 0x80; without ``colour`` there is no escape.
    """
    options = Options(options.smoothing, options.log_y, ascii_only, options.gutter)
    blocks = [
        _block(draw(plot, width, max(1, height - 1), options), width, colour) for plot in plots
    ]
    text = "\n\n".join(blocks)
    return text.encode("ascii", "replace").decode("ascii") if ascii_only else text


def _block(drawing: Drawing, width: int, colour: bool) -> str:
    lines = [_line(fit(drawing.title, width), colour)]
    lines += [_line(row, colour) for row in drawing.rows]
    if drawing.note:
        lines.append(drawing.note[:width])
    return "\n".join(lines)


def fit(runs: Iterable[Run], width: int) -> list[Run]:
    """Leave out of a legend the entries that do not fit ``width`` cells; labels are cleaned.

    A number that is cut is a wrong number, so an entry is shown whole or not at all.
    """
    kept: list[Run] = []
    used = 0
    for entry in _entries(runs):
        size = sum(len(text) for text, _ in entry)
        if used + size <= width:
            kept += entry
            used += size
        elif not kept:
            text, role = entry[0]
            kept.append((text[:width], role))
            used = len(kept[0][0])
    return kept


def _entries(runs: Iterable[Run]) -> Iterator[list[Run]]:
    """Yield what stands between two gaps, with the gap before it."""
    entry: list[Run] = []
    for text, role in runs:
        if role is Role.BLANK and entry:
            yield entry
            entry = []
        entry.append((said(text), role))
    if entry:
        yield entry


def _line(runs: Iterable[Run], colour: bool) -> str:
    if not colour:
        return "".join(text for text, _ in runs).rstrip()
    return "".join(
        f"\x1b[{_COLOURS[role]}m{text}\x1b[0m" if role in _COLOURS else text for text, role in runs
    ).rstrip()
