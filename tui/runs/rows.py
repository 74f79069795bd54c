"""Lines of metrics.jsonl and results.csv to rows, whatever pieces the bytes come in."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping

from tui.runs.decode import decode_json

MAX_LINE_BYTES = 2_000_000
"""A longer line is no row of LibreYOLO's (2 kB): it is dropped and counted, not held."""

Row = Mapping[str, object]


class RowReader:
    """Cuts bytes into lines and lines into rows; counts the lines that are none.

    Bytes after the last newline are held until the rest arrives: they are never a bad line.
    """

    def __init__(self, parse: Callable[[bytes], Row | None]) -> None:
        self._parse = parse
        self._held = bytearray()
        self._dropped = 0
        self.bad_lines = 0

    @property
    def held_bytes(self) -> int:
        """Length of the unfinished last line so far."""
        return len(self._held) + self._dropped

    def feed(self, data: bytes) -> Iterator[Row]:
        """Yield the rows that these bytes complete."""
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            row = self._finish(data[start:end])
            start = end + 1
            if row is not None:
                yield row
        self._hold(data[start:])

    def _hold(self, piece: bytes) -> None:
        if len(self._held) + self._dropped + len(piece) > MAX_LINE_BYTES:
            self._dropped += len(self._held) + len(piece)
            self._held.clear()
        else:
            self._held += piece

    def _finish(self, piece: bytes) -> Row | None:
        self._hold(piece)
        line = bytes(self._held).strip(b" \t\r\0")
        too_long = self._dropped > 0
        self._held.clear()
        self._dropped = 0
        if too_long:
            self.bad_lines += 1
            return None
        if not line:
            return None
        try:
            return self._parse(line)
        except ValueError:
            self.bad_lines += 1
            return None


def jsonl_reader() -> RowReader:
    """Return a reader of metrics.jsonl: one JSON object a line."""
    return RowReader(_parse_json)


def _parse_json(line: bytes) -> Row:
    row = decode_json(line)
    if not isinstance(row, dict):
        raise ValueError("a row is a JSON object")
    return row


def csv_reader() -> RowReader:
    """Return a reader of results.csv: a header, then cells; an empty cell is a missing value."""
    header: list[str] = []

    def parse(line: bytes) -> Row | None:
        try:
            cells = next(csv.reader([line.decode("utf-8-sig", "replace")], strict=True))
        except csv.Error as error:
            raise ValueError(str(error)) from error
        if not header or cells[0].strip() == "epoch":
            header[:] = [cell.strip() for cell in cells]
            return None
        if len(cells) != len(header):
            raise ValueError("a row has as many cells as the header")
        return dict(zip(header, cells, strict=True))

    return RowReader(parse)
