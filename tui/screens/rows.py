"""The list of boxes and runs as rows: which there are, in which order, and which need a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from tui.runs.model import NEEDS_A_PERSON
from tui.view import BoxView, RunView

Order = Literal["attention", "name", "progress", "eta", "newest"]

ORDERS: tuple[Order, ...] = ("attention", "name", "progress", "eta", "newest")

Key = tuple[str, str]
"""Box name and run path ("" for a box): what a row is known by through every refresh."""

_LIVE = ("starting", "running")
_FOR_EVER = float("inf")


class Row(msgspec.Struct, frozen=True):
    """A run of a box, or a box that has something to say itself (``run`` is None)."""

    box: BoxView
    run: RunView | None = None

    @property
    def key(self) -> Key:
        """The identity of the row."""
        return self.box.name, self.run.run.path if self.run else ""

    @property
    def is_stale(self) -> bool:
        """Whether what the row shows may be old: its box is not answering now."""
        return self.box.link.state != "live"

    @property
    def needs_a_person(self) -> bool:
        """Whether someone must act: the run failed, died, hangs or diverged, or the box refuses.

        On a box that its provider does not list any more nobody can.
        """
        if self.run is not None:
            is_gone = self.box.rent is not None and self.box.rent.gone
            return self.run.run.verdict in NEEDS_A_PERSON and not is_gone
        return self.box.link.state == "refused" and not self.box.is_off

    @property
    def is_followed(self) -> bool:
        """Whether another run began on the box after this one had ended: somebody was there."""
        ended = self.run.run.ended_at if self.run is not None else None
        if ended is None:
            return False
        return any((view.run.started_at or 0.0) > ended for view in self.box.runs)

    @property
    def is_at_work(self) -> bool:
        """Whether training goes on, or did when the box was last seen."""
        is_live = self.run is not None and self.run.run.verdict in _LIVE
        return is_live and not self.is_cut_off

    @property
    def is_cut_off(self) -> bool:
        """Whether the run was at work when its box was taken: its provider says that it is off.

        The verdict stays the last one that was seen, but nothing goes on there.
        """
        at_work = self.run is not None and self.run.run.verdict in _LIVE
        return at_work and self.is_stale and self.box.is_off

    @property
    def is_ended_here(self) -> bool:
        """Whether boxtop itself gave the box back."""
        return self.box.rent is not None and self.box.rent.ended_here

    @property
    def is_overdue(self) -> bool:
        """Whether the run should have been heard of by now: how long it takes is not known then."""
        if self.run is None or self.is_cut_off:
            return False
        return self.run.run.eta_text.startswith("overdue")

    @property
    def done_in_s(self) -> float | None:
        """Seconds to the end of a run that goes on in time; None when that is not known."""
        if self.run is None or not self.is_at_work or self.is_overdue:
            return None
        return self.run.run.eta_s


def rows_of(boxes: Iterable[BoxView]) -> list[Row]:
    """Return a row for every run, and one for each box that has none or cannot be reached."""
    found: list[Row] = []
    for box in boxes:
        if not box.runs or box.link.state in ("refused", "offline"):
            found.append(Row(box))
        found += [Row(box, run) for run in box.runs]
    return found


def arrange(
    rows: Sequence[Row], order: Order = "attention", *, reverse: bool = False, words: str = ""
) -> list[Row]:
    """Return the rows that hold all ``words``, in an order; equal rows stay as they were."""
    wanted = words.lower().split()
    kept = [row for row in rows if all(word in _text(row) for word in wanted)]
    return sorted(kept, key=lambda row: _rank(row, order), reverse=reverse)


def _text(row: Row) -> str:
    """Everything of a row that a filter looks at."""
    parts = [row.box.name, row.box.target, row.box.link.state]
    if row.run is not None:
        run = row.run.run
        parts += [run.id, run.path, run.verdict, run.model or "", run.task or ""]
    return " ".join(parts).lower()


def _rank(row: Row, order: Order) -> tuple[float, float, str]:
    run = row.run.run if row.run else None
    newest = -(run.started_at or 0.0) if run else 0.0
    name = f"{row.box.name}\0{run.id if run else ''}".lower()
    if order == "name":
        return 0.0, 0.0, name
    if order == "progress":
        return -(run.progress or 0.0) if run else _FOR_EVER, newest, name
    if order == "eta":
        return _FOR_EVER if row.done_in_s is None else row.done_in_s, newest, name
    if order == "newest":
        return newest, 0.0, name
    ended = -(run.ended_at or 0.0) if run else 0.0
    return _attention(row), ended or newest, name


def _attention(row: Row) -> float:
    if row.needs_a_person:
        return 0.0
    if row.is_cut_off:
        return 3.0 if row.is_ended_here else 0.5
    verdict = row.run.run.verdict if row.run else None
    if verdict in _LIVE:
        return 1.2 if row.is_stale else 1.0
    if row.run is None:
        return 1.5 if row.box.link.state == "offline" and not row.box.is_off else 2.0
    return 3.0 if verdict in ("unknown", "stopped") else 4.0


class Summary(msgspec.Struct, frozen=True):
    """The fleet in a few numbers; ``usd_per_hour`` is None when no box has a known price."""

    boxes: int
    live_runs: int
    need_a_person: int
    unreachable: int
    usd_per_hour: float | None
    unpriced: int
    runway_s: float | None = None
    """Seconds until the first credit of all accounts is used up, None where none is known."""
    today: float | None = None
    """What was paid today (UTC), in US dollars."""
    contract_s: float | None = None
    """Seconds until the first contract of a box that bills ends, None where none is known."""


def summary(boxes: Sequence[BoxView], today: float | None = None, now: float = 0.0) -> Summary:
    """Count boxes, runs and money; a box without a known price is counted, never taken as free.

    ``today`` is what was paid so far.
    """
    rows = rows_of(boxes)
    billing = [box for box in boxes if box.rent is None or box.rent.bills]
    prices = [box.usd_per_hour for box in billing if box.usd_per_hour is not None]
    runways = [box.rent.runway.seconds for box in boxes if box.rent and box.rent.runway]
    rents = [box.rent for box in billing if box.rent is not None and box.rent.is_listed]
    ends = [rent.contract_end for rent in rents if rent.contract_end is not None]
    return Summary(
        boxes=len(boxes),
        live_runs=sum(row.is_at_work for row in rows),
        need_a_person=sum(row.needs_a_person for row in rows),
        unreachable=sum(
            box.link.state in ("offline", "refused") and not box.is_off for box in boxes
        ),
        usd_per_hour=sum(prices) if prices else None,
        unpriced=len(billing) - len(prices),
        runway_s=min((left for left in runways if left is not None), default=None),
        today=today,
        contract_s=max(0.0, min(ends) - now) if ends else None,
    )
