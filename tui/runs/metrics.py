"""The metrics of a run by epoch, fed with bytes as they arrive."""

from __future__ import annotations

import threading
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tui.runs.decode import number, text, whole
from tui.runs.rows import RowReader, csv_reader, jsonl_reader

LOSS = "train/loss"
TIME = "time"
CURRENT = "current_metric"
BEST = "best_metric"

MAX_EPOCH = 10_000_000
MAX_ROWS = 200_000
MAX_COLUMNS = 400
MAX_NAME = 200
"""Bounds that no real run meets: a hostile file cannot make a table grow for ever."""

_NO_VALUES = frozenset({"epoch", "validated", "is_best", "current_metric_name", "best_metric_name"})
_NOT_FINITE_WORDS = frozenset({"nan", "inf", "+inf", "-inf", "infinity", "-infinity"})


class Mark(NamedTuple):
    """A metric's value at an epoch; ``name`` is as the file gives it."""

    name: str | None
    value: float | None
    epoch: int


@dataclass(frozen=True, slots=True)
class Table:
    """All columns at one moment: epochs and series fit each other, whatever is fed meanwhile."""

    epochs: list[int]
    columns: Mapping[str, list[float | None]]

    def names(self) -> list[str]:
        """All numeric columns in order of appearance."""
        return list(self.columns)

    def series(self, name: str) -> list[float | None]:
        """The values of a column, one for each epoch."""
        return self.columns.get(name) or [None] * len(self.epochs)


class Metrics:
    """Columns of metrics.jsonl (or results.csv); the last row of an epoch wins.

    ``epochs`` is strictly increasing; every series is aligned with it and holds ``None`` where the
    file has no finite value. ``revision`` changes with every change of content. One thread feeds
    while another reads: every list that is returned is a copy that no later row changes.
    """

    def __init__(self, *, csv: bool = False) -> None:
        self.csv = csv
        self.revision = 0
        self._lock = threading.RLock()
        self._clear()

    def _clear(self) -> None:
        self._rows: RowReader = csv_reader() if self.csv else jsonl_reader()
        self._epochs: list[int] = []
        self._slots: dict[int, int] = {}
        self._columns: dict[str, list[float | None]] = {}
        self._in_order = True
        self._not_finite: set[int] = set()
        self._best: set[int] = set()
        self._validated: dict[int, str | None] = {}
        self._best_name: str | None = None
        self._last_epoch: int | None = None

    def reset(self) -> None:
        """Forget everything: the file began anew."""
        with self._lock:
            self._clear()
            self.revision += 1

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the file; a torn last line waits for its end."""
        with self._lock:
            bad_before = self._rows.bad_lines
            taken = False
            for row in self._rows.feed(data):
                taken |= self._take(row)
            if taken or self._rows.bad_lines != bad_before:
                self.revision += 1

    @property
    def bad_lines(self) -> int:
        """How many finished lines could not be read."""
        return self._rows.bad_lines

    @property
    def held_bytes(self) -> int:
        """Length of the torn last line that waits for its end."""
        return self._rows.held_bytes

    @property
    def epochs(self) -> list[int]:
        """All epochs that have a row, strictly increasing."""
        with self._lock:
            self._sort()
            return self._epochs.copy()

    @property
    def last_epoch(self) -> int | None:
        """The epoch of the newest row; after a resume lower than old rows that still stand."""
        return self._last_epoch

    def names(self) -> list[str]:
        """All numeric columns in order of appearance (``train/loss``, ``metrics/mAP50``, …)."""
        return list(self._columns)

    def distinct_names(self) -> list[str]:
        """Like ``names``, without ``mAP50(B)`` where ``mAP50`` holds the same values."""
        return [
            name
            for name in self._columns
            if not name.endswith("(B)") or name.removesuffix("(B)") not in self._columns
        ]

    def series(self, name: str) -> list[float | None]:
        """The values of a column, one for each of ``epochs``."""
        with self._lock:
            self._sort()
            column = self._columns.get(name, [])
            return column + [None] * (len(self._epochs) - len(column))

    def table(self) -> Table:
        """Everything at this moment, to draw from while rows arrive."""
        with self._lock:
            return Table(self.epochs, {name: self.series(name) for name in self._columns})

    def value(self, name: str, epoch: int) -> float | None:
        """The value of a column at an epoch."""
        slot = self._slots.get(epoch)
        column = self._columns.get(name, ())
        return column[slot] if slot is not None and slot < len(column) else None

    def recent(self, count: int) -> list[int]:
        """The last ``count`` epochs up to the newest row, leaving out rows from before a resume."""
        last = self._last_epoch
        if last is None:
            return []
        epochs = self.epochs
        end = self._slots[last] + 1
        return epochs[max(0, end - count) : end]

    def not_finite_epochs(self) -> list[int]:
        """Epochs whose ``train/loss`` is null, NaN or infinite."""
        return sorted(self._not_finite)

    def is_best(self, epoch: int) -> bool:
        """Whether the file marks an epoch as the best so far."""
        return epoch in self._best

    def is_validated(self, epoch: int) -> bool:
        """Whether an epoch was validated."""
        return epoch in self._validated

    def current(self) -> Mark | None:
        """The watched metric at the last validated epoch."""
        epoch = self._newest(self._validated)
        if epoch is None:
            return None
        return Mark(self._validated[epoch], self.value(CURRENT, epoch), epoch)

    def best(self) -> Mark | None:
        """The watched metric where the kept rows last say ``is_best``; no direction is guessed."""
        epoch = self._newest(self._best)
        if epoch is None:
            return None
        value = self.value(CURRENT, epoch)
        name = self._validated.get(epoch) or self._best_name
        return Mark(name, self.value(BEST, epoch) if value is None else value, epoch)

    @property
    def best_name(self) -> str | None:
        """The name of the watched metric, as the newest row that has one gives it."""
        return self._best_name

    def _newest(self, marked: Container[int]) -> int | None:
        """The last marked epoch up to the newest row."""
        epochs = self.epochs
        end = 0 if self._last_epoch is None else self._slots[self._last_epoch] + 1
        return next(
            (epochs[slot] for slot in range(end - 1, -1, -1) if epochs[slot] in marked), None
        )

    def _take(self, row: Mapping[str, object]) -> bool:
        epoch = whole(row.get("epoch"), 0, MAX_EPOCH)
        if epoch is None:
            self._rows.bad_lines += 1
            return False
        slot = self._slot(epoch)
        if slot is None:
            return False
        self._last_epoch = epoch
        for name, value in row.items():
            found = number(value)
            if name in _NO_VALUES or (found is None and not _says_not_finite(value)):
                continue
            column = self._column(name)
            if column is None:
                continue
            if len(column) < slot:
                column.extend([None] * (slot - len(column)))
            if len(column) == slot:
                column.append(found)
            else:
                column[slot] = found
        self._note_flags(epoch, row)
        return True

    def _slot(self, epoch: int) -> int | None:
        """The place of an epoch's row, emptied if it had one; None when the table is full."""
        slot = self._slots.get(epoch)
        if slot is not None:
            for column in self._columns.values():
                if slot < len(column):
                    column[slot] = None
            return slot
        slot = len(self._epochs)
        if slot >= MAX_ROWS:
            return None
        if slot and epoch < self._epochs[-1]:
            self._in_order = False
        self._epochs.append(epoch)
        self._slots[epoch] = slot
        return slot

    def _column(self, name: str) -> list[float | None] | None:
        column = self._columns.get(name)
        if column is None and len(self._columns) < MAX_COLUMNS and 0 < len(name) <= MAX_NAME:
            column = self._columns[name] = []
        return column

    def _note_flags(self, epoch: int, row: Mapping[str, object]) -> None:
        for held in (self._not_finite, self._best):
            held.discard(epoch)
        self._validated.pop(epoch, None)
        if LOSS in row and _says_not_finite(row[LOSS]):
            self._not_finite.add(epoch)
        if _flag(row.get("is_best")):
            self._best.add(epoch)
        name = text(row.get("current_metric_name"))
        if _flag(row.get("validated")):
            self._validated[epoch] = name[:MAX_NAME] if name else None
        best_name = text(row.get("best_metric_name")) or name
        if best_name:
            self._best_name = best_name[:MAX_NAME]

    def _sort(self) -> None:
        """Bring rows that came out of order (a resume that filled a gap) into order, once."""
        if self._in_order:
            return
        order = sorted(range(len(self._epochs)), key=self._epochs.__getitem__)
        for name, column in self._columns.items():
            column.extend([None] * (len(order) - len(column)))
            self._columns[name] = [column[slot] for slot in order]
        self._epochs = [self._epochs[slot] for slot in order]
        self._slots = {epoch: slot for slot, epoch in enumerate(self._epochs)}
        self._in_order = True


def _flag(value: object) -> bool:
    """Truth as jsonl (true) and csv (1) write it."""
    return value is True or value in ("1", "True", "true") or value == 1


def _says_not_finite(value: object) -> bool:
    """Whether a loss is null, NaN or infinite (LibreYOLO writes null, in csv an empty cell)."""
    if value is None:
        return True
    if isinstance(value, float):
        return value != value or value in (float("inf"), float("-inf"))
    if isinstance(value, str):
        return value.strip() == "" or value.strip().lower() in _NOT_FINITE_WORDS
    return False
