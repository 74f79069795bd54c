"""What a box's provider tells, in words: for `boxtop status` and `boxtop boxes`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from tui.bills import ASSUMED, box_idle_text, doubts, priced, state_text, unreached_text
from tui.money import (
    contract_outlook,
    credit_outlook,
    runway_text,
    total,
    usd_text,
)
from tui.rent import COMMAND, RentView
from tui.report.lines import Span
from tui.text import said
from tui.view import BoxView

_STATE_STYLES = {"running": "", "failed": "red", "unreachable": "red", "unknown": "yellow"}
_LEVEL_STYLES = {"fine": "dim", "warning": "yellow", "alarm": "red", "unknown": "dim"}


def rent_rows(box: BoxView) -> Iterator[list[Span]]:
    """Yield all that is to say of a box's bill, one row for each thing."""
    rent = box.rent
    if rent is None:
        return
    if rent.provider != COMMAND or rent.state != "unknown":
        yield list(rent_spans(rent))
    etas = [view.run.eta_s for view in box.runs if view.run.eta_s is not None]
    for text, style in rent_warnings(rent, max(etas, default=None)):
        yield [Span(text, style)]
    for told in (unreached_text(box), box_idle_text(box)):
        if told is not None:
            yield [Span(told, "red")]


def rent_spans(rent: RentView) -> Iterator[Span]:
    """Yield who bills a box and how much, each figure with its source where it is not told."""
    yield Span(f"{rent.provider} {said(rent.id, 40)}")
    yield Span(state_text(rent), _STATE_STYLES.get(rent.state, "yellow"))
    if rent.gpu_name:
        count = f"{rent.gpu_count}x " if rent.gpu_count else ""
        yield Span(f"{count}{said(rent.gpu_name, 40)}")
    assumed = f" ({ASSUMED})" if rent.rate_assumed else ""
    yield Span(f"bills {priced(rent.rate_now)}{assumed}", "" if rent.bills else "dim")
    if rent.rate_stopped != rent.rate_now and rent.rate_stopped.usd_per_hour is not None:
        yield Span(f"{priced(rent.rate_stopped)} stopped", "dim")


def rent_warnings(
    rent: RentView, eta_s: float | None, now: float | None = None
) -> Iterator[tuple[str, str]]:
    """Yield lines that a person should read, each with its style.

    ``eta_s`` is the longest time to the end of a run there, ``now`` seconds since the epoch.
    """
    for doubt in doubts(rent):
        yield doubt, "yellow"
    contract = contract_outlook(rent.contract_end, time.time() if now is None else now, eta_s)
    if contract.text:
        yield contract.text, _LEVEL_STYLES[contract.level]
    credit = None if rent.runway is None else credit_outlook(rent.runway, eta_s)
    if credit is not None and credit.level == "alarm" and credit.text:
        yield credit.text, _LEVEL_STYLES[credit.level]
    for warning in rent.warnings:
        yield said(warning, 200), "yellow"


def total_lines(rents: Sequence[RentView]) -> Iterator[Span]:
    """Yield what all boxes bill together now, and how long each account's credit lasts.

    An instance that two boxes are is paid once.
    """
    each = {(rent.provider, rent.id): rent for rent in rents}
    billing = [rent for rent in each.values() if rent.bills]
    if len(each) > 1 and billing:
        sum_now = total(rent.rate_now.usd_per_hour for rent in billing)
        if sum_now.usd is not None:
            yield Span(f"all together: {usd_text(sum_now.usd)}/h now ({sum_now.label})", "bold")
    for rent in {rent.provider: rent for rent in rents if rent.runway is not None}.values():
        assert rent.runway is not None
        text = runway_text(rent.runway, rent.credit, rent.credit_field or "credit")
        outlook = credit_outlook(rent.runway, None)
        is_near = outlook.level in ("warning", "alarm") and rent.at_zero
        then = f"; then {said(rent.at_zero or '', 200)}" if is_near else ""
        yield Span(f"{rent.provider}: {text}{then}", _LEVEL_STYLES[outlook.level])
