"""What a box without runs, or out of reach, has to say in the list."""

from __future__ import annotations

from collections.abc import Sequence

from tui.bills import priced
from tui.keys import KeyMap, shown
from tui.rent import RentAction, RentView
from tui.text import one_line
from tui.view import BoxView
from tui.widgets import formats
from tui.widgets.cells import Pen
from tui.widgets.spans import Spans


def box_word(box: BoxView, pen: Pen, keys: KeyMap) -> Spans:
    """Return it, over all columns that only runs have, and the next step."""
    rent = box.rent
    if rent is not None and box.is_off and box.link.state != "live":
        step = _keys(rent, keys, ascii_only=pen.ascii_only)
        return [(_off(rent), pen.style("muted")), (f"  {step}" if step else "", pen.style("text"))]
    return [(_said(box), pen.style("muted")), *_next_step(box, pen)]


def _off(rent: RentView) -> str:
    """Return what an instance costs on which nothing runs."""
    if rent.gone:
        return "its provider lists it no more"
    rate = priced(rent.rate_now)
    if rent.state == "queued":
        return f"waits for a GPU: it may start, and bill {priced(rent.rate_running)}, at any hour"
    if rent.state == "stopped":
        return "it bills nothing now" if not rent.bills else f"its disk bills on: {rate}"
    return f"bills {rate} until that is done"


_STEPS: dict[str, Sequence[tuple[RentAction, str]]] = {
    "queued": (("stop", "cancels that"),),
    "stopped": (("start", "start"), ("destroy", "destroy")),
}


def _keys(rent: RentView, keys: KeyMap, *, ascii_only: bool) -> str:
    """Return the keys that do something about it; a start has none, but a command."""
    steps = []
    for action, what in _STEPS.get(rent.state, ()):
        if action in rent.can and not rent.gone:
            key = keys[action].key
            name = shown(key, ascii_only) if key else keys["palette"].key
            steps.append(f"{name} {what}")
    return ", ".join(steps)


def _said(box: BoxView) -> str:
    link = box.link
    if link.error:
        return one_line(link.error)
    if link.state == "connecting":
        return f"opening the connection to {one_line(box.target)}"
    where = ", ".join(one_line(root) for root in box.searched)
    return f"no run yet below {where}" if where else "no run yet"


def _next_step(box: BoxView, pen: Pen) -> Spans:
    link = box.link
    if link.retry_in_s is not None and link.state != "live":
        return [(f"  next try in {formats.age(link.retry_in_s)}", pen.style("faint"))]
    return [("  " + one_line(link.hint), pen.style("faint"))] if link.hint else []
