"""`boxtop cost --bill`: what was paid in the last days, read back from the book."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tui.cli.session import Session
from tui.money import COVERAGE, hours_text, usd_text
from tui.rented.book import Book, Spent, sums
from tui.report.lines import Paper, Span, cells, pad
from tui.text import said

_LONGEST_NAME = 32


def show_bill(session: Session, days: int, *, as_json: bool) -> int:
    """Print what each box cost on each of the last ``days`` days (UTC) that boxtop watched."""
    spent = Book(session.data).days(days)
    if as_json:
        from tui.report.document import json_text

        session.console.say_all([json_text(bill_document(spent))])
    else:
        session.console.say_all(bill_lines(spent, days, session.console.paper))
    return 0


def bill_document(spent: Sequence[Spent]) -> dict[str, Any]:
    """Return the days for JSON: US dollars and seconds."""
    from tui.report.document import exact, words

    return {
        "schema_version": 1,
        "days": [
            {
                "day": one.day,
                "provider": one.provider,
                "id": exact(one.id),
                "name": words(one.name),
                "usd": round(one.usd, 4),
                "assumed_usd": round(one.assumed, 4),
                "seconds": round(one.seconds),
                "unpriced_seconds": round(one.unpriced_s),
            }
            for one in spent
        ],
        "total_usd": round(sum(one.usd for one in spent), 4),
        "includes": COVERAGE,
    }


def bill_lines(spent: Sequence[Spent], days: int, paper: Paper) -> Iterator[str]:
    """Yield a line for each box and day, a sum for each day, and the whole."""
    if not spent:
        text = f"nothing is known of the last {days} days: boxtop notes what it sees while it runs"
        yield from paper.flow([Span(text)], "", "  ")
        return
    names = [said(one.name, _LONGEST_NAME) for one in spent]
    width = max(map(cells, names))
    together = sums(spent)
    shown = ""
    for one, name in zip(spent, names, strict=True):
        if one.day != shown:
            shown = one.day
            yield from paper.flow(
                [Span(f"{shown}  {usd_text(together[shown].usd)}", "bold")], "", ""
            )
        spans = [Span(pad(name, width)), Span(f"{one.provider} {said(one.id, 40)}", "dim")]
        spans += [Span(hours_text(one.seconds)), Span(usd_text(one.usd), "bold")]
        spans += [Span(text, "dim") for text in _doubts(one)]
        yield from paper.flow(spans, "  ", "    ")
    whole = sum(one.usd for one in spent)
    yield from paper.flow([Span(f"in all {usd_text(whole)} ({COVERAGE})", "bold")], "", "  ")


def _doubts(one: Spent) -> Iterator[str]:
    if one.assumed > 0:
        yield f"{usd_text(one.assumed)} of it assumed: boxtop did not watch"
    if one.unpriced_s > 0:
        yield f"{hours_text(one.unpriced_s)} at a price that is not known"
