"""A list put together from pages of rows, of which some may be broken."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tui.providers import fields
from tui.providers.base import Instance, Listing
from tui.providers.errors import ProviderError


class Pile:
    """Rows of one list: a row that cannot be read is left out and named, never an error."""

    def __init__(self, who: str, read: Callable[[fields.Row], Instance | None]) -> None:
        self._who = who
        self._read = read
        self._found: dict[str, Instance] = {}
        self._bad = 0
        self._expected: int | None = None

    def add(self, rows: Iterable[object]) -> None:
        """Take a page's rows; of two with one id (a page that moved) the later one counts."""
        for row in rows:
            instance = self._instance(row)
            if instance is None:
                self._bad += 1
            else:
                self._found[instance.id] = instance

    def expect(self, total: int | None) -> None:
        """Remember how many the vendor says there are."""
        self._expected = total if total is not None else self._expected

    def listing(self) -> Listing:
        """Return what was found; not complete when rows were bad or are missing."""
        warnings = []
        missing = (self._expected or 0) - len(self._found) - self._bad
        if self._bad:
            warnings.append(f"{self._who}: {_rows(self._bad)} of the list cannot be read")
        if missing > 0:
            warnings.append(f"{self._who}: {_rows(missing)} of the list did not come")
        return Listing(tuple(self._found.values()), not warnings, tuple(warnings))

    def _instance(self, row: object) -> Instance | None:
        if not isinstance(row, dict):
            return None
        try:
            return self._read(row)
        except Exception:  # noqa: BLE001 - whatever one row holds, the others are to be seen
            return None


def usable_id(id: str) -> str:
    """Return an id that may stand in a path. Raises ProviderError ``usage``."""
    found = fields.ident(id)
    if found is None or found != id:
        raise ProviderError("usage", f"{fields.raw_word(id)} is no id of an instance")
    return found


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
