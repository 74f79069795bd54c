"""What was paid, day by day: kept on this machine, so that a bill of last week can be read back.

``spending.json`` in the data directory: an entry for each day (UTC) and instance, written
anew as a whole, by one process at a time. Money is US dollars, times are seconds.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType

import msgspec

from tui.clock import Clock
from tui.providers.account import ProviderView, Seen
from tui.providers.base import State
from tui.rented.listings import Listings
from tui.rented.tie import has_price_alone
from tui.runs.mirror import decode, encode, replace

NAME = "spending.json"
KEPT_DAYS = 400
GAP_SECONDS = 900.0
"""Between two looks further apart than this nobody saw what the box did: that time is assumed."""

SAVE_SECONDS = 60.0
MOST_DAYS_BACK = 40
"""A gap is carried over so many days at most; what is longer is not known."""

NO_BOXES: Mapping[str, bool] = MappingProxyType({})


class Spent(msgspec.Struct):
    """What one instance cost on one day; ``assumed`` is the part that nobody watched.

    ``unpriced_s`` are seconds in which it may have billed, at a price that nobody told.
    """

    day: str
    provider: str
    id: str
    name: str
    usd: float = 0.0
    assumed: float = 0.0
    seconds: float = 0.0
    unpriced_s: float = 0.0


class Mark(msgspec.Struct):
    """When an instance was last seen (seconds since the epoch), and what it billed then."""

    at: float
    usd_per_hour: float | None
    name: str


class Pages(msgspec.Struct):
    """The whole book; ``marks`` are by ``provider:id``."""

    days: list[Spent] = []
    marks: dict[str, Mark] = {}


class Book:
    """The book of one data directory; looks of several boxtops do not count twice."""

    def __init__(self, data: Path, clock: Clock | None = None) -> None:
        self.path = data / NAME
        self.listings = Listings(data, clock)
        self._clock = clock or Clock()
        self._listed: dict[str, float | None] = {}
        self._told: dict[str, tuple[Mapping[str, float | None], Mapping[str, bool]]] = {}

    def take(self, provider: ProviderView, alone: Mapping[str, bool] | None = None) -> None:
        """Count up to now what a good list tells: once a minute, and at once where a price changed.

        ``alone`` says of boxes with a price of their own whether nobody else bills them; of whom it
        says nothing is left as it is. The list itself is kept, too. What cannot be written costs
        the book, never the watch.
        """
        with suppress(OSError):
            self.listings.keep(provider)
        steady, name = self._clock.steady(), provider.provider
        known, told = self._listed.get(name), (rates_of(provider), dict(alone or {}))
        if provider.listed_at is None or provider.listed_at == known:
            return
        is_soon = known is not None and provider.listed_at - known < SAVE_SECONDS
        if is_soon and told == self._told.get(name):
            return
        self._listed[name], self._told[name] = provider.listed_at, told
        now = self._clock.wall() - (steady - provider.listed_at)
        try:
            with self._held():
                pages = self._written()
                count(pages, provider, now, alone or {})
                replace(self.path, encode(pages), by=str(os.getpid()))
        except OSError:
            return

    def days(self, most: int = KEPT_DAYS) -> list[Spent]:
        """Return what was paid in the last days, the oldest first."""
        now = self._clock.wall()
        first, last = day_of(now - (most - 1) * 86400), day_of(now)
        return sorted(
            (one for one in self._read().days if first <= one.day <= last),
            key=lambda one: (one.day, one.provider, one.name),
        )

    def today(self) -> float | None:
        """Return what was paid today (UTC), None while nothing is known of today."""
        found = [one.usd for one in self.days(1)]
        return sum(found) if found else None

    def _read(self) -> Pages:
        try:
            return decode(self.path.read_bytes(), Pages)
        except (OSError, ValueError):
            return Pages()

    def _written(self) -> Pages:
        """Return the book to go on with. Raises OSError where it is there and cannot be read.

        One that is no book is laid aside: nothing that was ever paid is written over.
        """
        try:
            return decode(self.path.read_bytes(), Pages)
        except FileNotFoundError:
            return Pages()
        except ValueError:
            self.path.replace(self.path.with_name(f"{NAME}.unreadable-{int(self._clock.wall())}"))
            return Pages()

    @contextmanager
    def _held(self) -> Iterator[None]:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = self.path.with_name(NAME + ".lock")
        with os.fdopen(os.open(lock, os.O_RDWR | os.O_CREAT, 0o600), "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def count(
    pages: Pages, provider: ProviderView, now: float, alone: Mapping[str, bool] = NO_BOXES
) -> None:
    """Add what each instance cost since it was last seen, at the price it had then.

    An instance that was never seen before begins to count now. One that is gone is counted up to
    its last sign: nobody knows how long it lived after that. ``alone`` is as in ``Book.take``: what
    another provider bills is counted there.
    """
    for seen in provider.seen:
        one = seen.instance
        is_alone = alone.get(one.id) if has_price_alone(one) else True
        if is_alone:
            _count_one(pages, seen, now)
        elif is_alone is False:
            pages.marks.pop(f"{one.provider}:{one.id}", None)
    for id in provider.gone:
        pages.marks.pop(f"{provider.provider}:{id}", None)
    kept = sorted({one.day for one in pages.days})[-KEPT_DAYS:]  # a clock may be wrong by years
    pages.days = [one for one in pages.days if one.day in kept]


def _count_one(pages: Pages, seen: Seen, now: float) -> None:
    one = seen.instance
    key = f"{one.provider}:{one.id}"
    mark = pages.marks.get(key)
    if mark is not None and 0 < mark.at - now < 86400:
        return  # another boxtop counted this already, or the clock was set back a little
    if mark is not None:
        begin = max(mark.at, now - MOST_DAYS_BACK * 86400)
        is_gap = now - mark.at > GAP_SECONDS
        for day, seconds in parts(begin, now):
            spent = _page(pages.days, day, one.provider, one.id, one.name)
            spent.seconds += seconds
            if mark.usd_per_hour is None:
                spent.unpriced_s += seconds
                continue
            usd = seconds / 3600 * mark.usd_per_hour
            spent.usd += usd
            spent.assumed += usd if is_gap else 0.0
    rate = 0.0 if one.state is State.GONE else one.rate_now.usd_per_hour
    pages.marks[key] = Mark(now, rate, one.name)


def rates_of(provider: ProviderView) -> Mapping[str, float | None]:
    """Return what each instance bills an hour."""
    return {one.instance.id: one.instance.rate_now.usd_per_hour for one in provider.seen}


def parts(begin: float, end: float) -> Iterator[tuple[str, float]]:
    """Yield the days (UTC) that a time touches, each with its seconds of it."""
    while begin < end:
        moment = datetime.fromtimestamp(begin, UTC)
        midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        until = min(end, midnight.timestamp())
        yield moment.date().isoformat(), until - begin
        begin = until


def day_of(seconds: float) -> str:
    """Return a time's day (UTC): ``2026-11-30``."""
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _page(days: list[Spent], day: str, provider: str, id: str, name: str) -> Spent:
    for one in reversed(days):
        if (one.day, one.provider, one.id) == (day, provider, id):
            one.name = name
            return one
    days.append(Spent(day, provider, id, name))
    return days[-1]


def sums(days: Iterable[Spent]) -> dict[str, Spent]:
    """Return what all instances cost together, by the day."""
    found: dict[str, Spent] = {}
    for one in days:
        into = found.setdefault(one.day, Spent(one.day, "", "", ""))
        into.usd += one.usd
        into.assumed += one.assumed
        into.seconds += one.seconds
        into.unpriced_s += one.unpriced_s
    return found
