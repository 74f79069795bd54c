"""The columns of the list of runs: which fit a width, and how wide each becomes."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from tui.widgets import cells
from tui.widgets.cells import Cell

GAP = 2
PRICE = "$/H"
LINE_WIDTH = 40
"""Below this width a row is one line of state, name and epoch."""


class Column(msgspec.Struct, frozen=True):
    """A column of at least ``width`` cells; ``turn`` is when it is taken in (1 first)."""

    title: str
    cell: Cell
    width: int
    turn: int
    right: bool = False


COLUMNS: tuple[Column, ...] = (
    Column("STATE", cells.state, 11, 1),
    Column("RUN", cells.name, 16, 1),
    Column("EPOCH", cells.epoch, 7, 1, right=True),
    Column("", cells.progress, 8, 6),
    Column("ETA", cells.eta, 7, 2, right=True),
    Column("BEST", cells.best, 7, 3, right=True),
    Column("LOSS", cells.loss, 13, 7, right=True),
    Column("GPU   MEM", cells.gpu, 11, 8),
    Column("DISK", cells.disk, 6, 9, right=True),
    Column("SAVED", cells.saved, 8, 10, right=True),
    Column(PRICE, cells.price, 7, 4, right=True),
    Column("AGE", cells.age, 6, 5, right=True),
)

_GROWTH: tuple[tuple[str, int], ...] = (
    *(("RUN", 24), ("STATE", 13), ("EPOCH", 9), ("LOSS", 22), ("BEST", 13), ("", 16), ("ETA", 8)),
    *(
        ("RUN", 34),
        ("ETA", 13),
        ("GPU   MEM", 15),
        ("LOSS", 36),
        ("", 30),
        ("RUN", 60),
        ("LOSS", 200),
    ),
)
"""Who gets spare cells and up to which width, in this order, until all are given away."""


class Placed(msgspec.Struct, frozen=True):
    """A column at its place: ``x`` is its first cell."""

    column: Column
    x: int
    width: int


@lru_cache(maxsize=8)
def layout(width: int, *, priced: bool = True) -> tuple[Placed, ...]:
    """Return the columns that fit ``width`` cells, the most important ones first to be kept.

    Where nothing is ``priced`` there is no column for prices.
    """
    chosen: list[Column] = []
    used = -GAP
    for column in sorted(COLUMNS, key=lambda column: column.turn):
        if column.title == PRICE and not priced:
            continue
        if used + GAP + column.width > width and column.turn > 1:
            break
        chosen.append(column)
        used += GAP + column.width
    sizes = {column.title: column.width for column in chosen}
    spare = max(0, width - used)
    for title, most in _GROWTH:
        if title in sizes:
            grown = min(spare, max(0, most - sizes[title]))
            sizes[title] += grown
            spare -= grown
    placed: list[Placed] = []
    x = 0
    for column in COLUMNS:
        if column in chosen:
            placed.append(Placed(column, x, sizes[column.title]))
            x += sizes[column.title] + GAP
    return tuple(placed)
