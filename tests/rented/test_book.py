from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.providers.build import StillClock
from tui.money import NO_RATE, Rate
from tui.providers.account import ProviderView, Seen
from tui.providers.base import Instance, State
from tui.rented.book import NAME, Book, Pages, count, day_of, parts, sums

HOUR = 3600.0
DEAR = Rate(3.0, "reported")


def listed(clock: StillClock, rate: Rate = DEAR, **facts: object) -> ProviderView:
    one = Instance("vast", "1", "lab", State.RUNNING, rate_now=rate, **facts)  # type: ignore[arg-type]
    return ProviderView("vast", (Seen(one),), listed_at=clock.steady())


def watch(book: Book, clock: StillClock, hours: float, rate: Rate = DEAR) -> None:
    for _ in range(round(hours * 60)):
        book.take(listed(clock, rate))
        clock.now += 60
    book.take(listed(clock, rate))


def test_a_watched_hour_costs_its_price(tmp_path: Path) -> None:
    clock = StillClock()
    book = Book(tmp_path, clock)
    watch(book, clock, 1)
    (spent,) = book.days()
    assert spent.usd == pytest.approx(3.0, rel=0.02)
    assert (spent.assumed, spent.unpriced_s, spent.name) == (0.0, 0.0, "lab")
    assert book.today() == pytest.approx(3.0, rel=0.02)


def test_last_week_can_be_read_back_by_another_process(tmp_path: Path) -> None:
    clock = StillClock()
    watch(Book(tmp_path, clock), clock, 1)
    clock.now += 7 * 86400
    week = Book(tmp_path, clock).days(8)
    assert len(week) == 1
    assert Book(tmp_path, clock).days(3) == []


def test_what_nobody_watched_is_assumed_and_said_to_be(tmp_path: Path) -> None:
    clock = StillClock()
    book = Book(tmp_path, clock)
    book.take(listed(clock))
    clock.now += 8 * HOUR
    book.take(listed(clock))
    days = book.days()
    assert sum(day.usd for day in days) == pytest.approx(24.0)
    assert sum(day.assumed for day in days) == pytest.approx(24.0)


def test_a_change_of_price_counts_from_then_on(tmp_path: Path) -> None:
    clock = StillClock()
    book = Book(tmp_path, clock)
    watch(book, clock, 1, Rate(3.0, "reported"))
    watch(book, clock, 1, Rate(0.06, "reported"))
    assert sum(day.usd for day in book.days()) == pytest.approx(3.06, rel=0.05)


def test_an_unknown_price_is_time_and_never_free_money(tmp_path: Path) -> None:
    clock = StillClock()
    book = Book(tmp_path, clock)
    watch(book, clock, 1, NO_RATE)
    (spent,) = book.days()
    assert spent.usd == 0.0
    assert spent.unpriced_s == pytest.approx(HOUR, rel=0.02)


def test_two_boxtops_count_an_hour_once(tmp_path: Path) -> None:
    clock = StillClock()
    both = [Book(tmp_path, clock), Book(tmp_path, clock)]
    for _ in range(61):
        threads = [threading.Thread(target=one.take, args=(listed(clock),)) for one in both]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        clock.now += 60
    assert sum(day.usd for day in both[0].days()) == pytest.approx(3.0, rel=0.02)


def test_a_book_that_is_no_book_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"{nonsense")
    clock = StillClock()
    watch(Book(tmp_path, clock), clock, 0.5)
    assert Book(tmp_path, clock).days()
    (aside,) = tmp_path.glob(f"{NAME}.unreadable-*")
    assert aside.read_bytes() == b"{nonsense"


def test_a_book_that_cannot_be_read_now_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    clock = StillClock()
    watch(Book(tmp_path, clock), clock, 0.1)
    assert [path.name for path in tmp_path.glob(f"{NAME}*") if path.is_dir()] == [NAME]


def test_what_is_stopped_a_moment_after_it_was_counted_bills_less_all_night(
    tmp_path: Path,
) -> None:
    clock = StillClock()
    book = Book(tmp_path, clock)
    book.take(listed(clock))
    clock.now += 20
    book.take(listed(clock, Rate(0.06, "reported")))
    clock.now += 10 * HOUR
    Book(tmp_path, clock).take(listed(clock, Rate(0.06, "reported")))
    night = sum(day.usd for day in Book(tmp_path, clock).days())
    assert night == pytest.approx(0.6 + 3.0 * 20 / HOUR, rel=0.01)


def test_a_clock_that_was_wrong_takes_no_day_away_and_adds_none_to_today(tmp_path: Path) -> None:
    clock = StillClock()
    book = Book(tmp_path, clock)
    watch(book, clock, 1)
    paid = sum(day.usd for day in book.days())
    clock.now += 3 * 365 * 86400
    watch(book, clock, 0.1)
    clock.now -= 3 * 365 * 86400
    assert sum(day.usd for day in book.days()) == pytest.approx(paid, rel=0.01)
    assert book.today() == pytest.approx(paid, rel=0.01)


def test_a_box_that_is_gone_is_counted_up_to_its_last_sign() -> None:
    pages = Pages()
    clock = StillClock()
    count(pages, listed(clock), 1000.0)
    count(pages, ProviderView("vast", (), 0.0, gone=frozenset({"1"})), 1000.0 + HOUR)
    count(pages, listed(clock), 1000.0 + 2 * HOUR)
    assert pages.days == []


def test_a_night_is_two_days() -> None:
    begin = datetime(2026, 11, 29, 22, 30, tzinfo=UTC).timestamp()
    assert list(parts(begin, begin + 3 * HOUR)) == [
        ("2026-11-29", 1.5 * HOUR),
        ("2026-11-30", 1.5 * HOUR),
    ]


@given(
    st.lists(st.tuples(st.floats(0, 200_000), st.floats(0, 10)), min_size=2, max_size=20),
    st.floats(1.6e9, 1.9e9),
)
def test_the_days_add_up_to_the_whole(looks: list[tuple[float, float]], begin: float) -> None:
    pages, clock, now, whole, rate_before = Pages(), StillClock(), begin, 0.0, None
    for passed, rate in looks:
        now += passed
        if rate_before is not None:
            whole += passed / HOUR * rate_before
        count(pages, listed(clock, Rate(rate, "reported")), now)
        rate_before = rate
    assert sum(day.usd for day in pages.days) == pytest.approx(whole, abs=1e-3)
    together = sums(pages.days)
    assert sum(day.usd for day in together.values()) == pytest.approx(whole, abs=1e-3)
    assert all(day <= day_of(now) for day in together)


def test_a_box_with_a_price_of_its_own_is_not_paid_twice(tmp_path: Path) -> None:
    clock = StillClock()
    book = Book(tmp_path, clock)
    own = Instance("command", "lab", "lab", State.UNKNOWN, rate_now=Rate(2.0, "user"))

    def spent(hours: float, alone: Mapping[str, bool] | None) -> float:
        clock.now += hours * HOUR
        book.take(ProviderView("command", (Seen(own),), listed_at=clock.steady()), alone)
        return sum(day.usd for day in book.days())

    spent(0.0, {"lab": True})
    assert spent(0.1, {"lab": True}) == pytest.approx(0.2)
    assert spent(0.1, None) == pytest.approx(0.2), "nobody said who bills it: counted later"
    assert spent(0.1, {"lab": True}) == pytest.approx(0.6)
    assert spent(5.0, {"lab": False}) == pytest.approx(0.6)
    assert spent(5.0, {"lab": True}) == pytest.approx(0.6), "what another billed is not added"
    assert spent(0.1, {"lab": True}) == pytest.approx(0.8)


def test_a_clock_that_is_set_back_a_little_counts_no_minute_twice(tmp_path: Path) -> None:
    clock = StillClock()
    watch(Book(tmp_path, clock), clock, 1)
    clock.now -= 1800
    watch(Book(tmp_path, clock), clock, 0.5)
    assert sum(day.usd for day in Book(tmp_path, clock).days()) == pytest.approx(3.0, rel=0.01)


def test_what_its_provider_calls_gone_bills_nothing_from_then_on() -> None:
    pages, clock = Pages(), StillClock()
    one = Instance("vast", "1", "lab", State.GONE, rate_now=DEAR)
    count(pages, listed(clock), 1000.0)
    count(pages, ProviderView("vast", (Seen(one),), 0.0), 1000.0 + 600)
    count(pages, ProviderView("vast", (Seen(one),), 0.0), 1000.0 + HOUR)
    assert sum(day.usd for day in pages.days) == pytest.approx(0.5)
