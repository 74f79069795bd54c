"""What is known of a rented box's bill, for the status panel."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tui.bills import ASSUMED, box_idle_text, doubts, priced, state_text, unreached_text
from tui.keys import KeyMap, shown
from tui.money import Level, contract_outlook, credit_outlook, hours_text, usd_text
from tui.rent import COMMAND, RentView
from tui.text import said
from tui.view import BoxView
from tui.widgets.cells import Pen
from tui.widgets.known import Known
from tui.widgets.spans import Span

_TONES: dict[Level, str] = {
    "fine": "text",
    "unknown": "muted",
    "warning": "warning",
    "alarm": "bad",
}


def bill_facts(box: BoxView, pen: Pen, keys: KeyMap) -> Iterator[Known]:
    """Yield who bills the box and what, how long the money lasts, and what is wasted."""
    rent = box.rent
    wasted = [text for text in (unreached_text(box), box_idle_text(box)) if text is not None]
    for text in wasted:
        yield Known("bills", ((text, pen.style("bad", bold=True)),), 0)
    if rent is None or (rent.provider == COMMAND and rent.state == "unknown"):
        return
    muted = pen.style("muted")
    known = "" if rent.is_listed or rent.error else " (last known)"
    spans: list[Span] = [(f"{rent.provider} {state_text(rent)}{known}", pen.style("text"))]
    if wasted:
        spans.append((f"  {ending_keys(rent, keys)}", muted))
    etas = [view.run.eta_s for view in box.runs if view.run.eta_s is not None]
    contract = _contract(rent, max(etas, default=None))
    if contract is not None and contract[0] == "text":
        spans.append((f"  {contract[1]}", muted))
    yield Known("rented", tuple(spans), 2)
    if contract is not None and contract[0] != "text":
        yield Known("until", ((contract[1], pen.style(contract[0], bold=True)),), 1)
    rates: list[Span] = [(priced(rent.rate_now), pen.style("text"))]
    if rent.rate_stopped != rent.rate_now and rent.rate_stopped.usd_per_hour is not None:
        rates.append((f", {priced(rent.rate_stopped)} stopped", muted))
    yield Known("rate", tuple(rates), 1)
    assumed = [ASSUMED] if rent.rate_assumed else []
    for told in (*assumed, *doubts(rent), *(said(one, 200) for one in rent.warnings)):
        yield Known("", ((told, pen.style("warning")),), 2)
    yield from _credit(rent, max(etas, default=None), pen)


def ending_keys(rent: RentView, keys: KeyMap) -> str:
    """Return the keys that end a bill: ``S stop, D destroy``."""
    return ", ".join(
        f"{shown(keys[action].key)} {keys[action].label}"
        for action in ("stop", "destroy")
        if action in rent.can and keys[action].key
    )


def _contract(rent: RentView, eta_s: float | None) -> tuple[str, str] | None:
    """Return when a contract ends, and the style of that: loud when it is before training ends."""
    if rent.contract_end is None:
        return None
    level = contract_outlook(rent.contract_end, time.time(), eta_s).level
    left = hours_text(max(0.0, rent.contract_end - time.time()))
    return ("text" if level == "unknown" else _TONES[level]), f"contract ends in {left}"


def _credit(rent: RentView, eta_s: float | None, pen: Pen) -> Iterator[Known]:
    """Yield when the credit ends, loud when that is before the training does."""
    if rent.runway is not None and rent.runway.seconds is not None:
        level = credit_outlook(rent.runway, eta_s).level
        left = f"{usd_text(rent.credit)}, lasts {hours_text(rent.runway.seconds)}"
        yield Known("credit", ((left, pen.style(_TONES[level])),), 1 if level == "alarm" else 3)
