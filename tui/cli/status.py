"""One look at every box, printed: the work of `boxtop status`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui.boxes import Box
from tui.cli.glance import Glance, glance
from tui.cli.session import Session
from tui.report.exit_code import NOT_CONFIRMED, USAGE, exit_code
from tui.view import BoxView

if TYPE_CHECKING:
    from tui.rented.asking import Asking

LOOK_SECONDS = 30.0


def show_status(
    session: Session,
    targets: Sequence[str],
    *,
    as_json: bool = False,
    timeout: float = LOOK_SECONDS,
) -> int:
    """Print one look at the boxes and return the exit code.

    Providers are asked meanwhile: of the boxes that are meant, and without targets of all that
    their accounts hold. One that cannot be read is told, and ends with 6 where all else is well.
    """
    from tui.cli.rented import ask_providers, provider_troubles

    session.patience = timeout
    boxes = session.boxes(targets, may_be_none=True, now=True)
    asking = ask_providers(session, boxes, everything=not targets)
    if asking is None:
        looked = glance(session, boxes or session.boxes(targets), timeout)
    else:
        looked = _rented(session, boxes, asking, timeout, everything=not targets)
    if asking is not None and not looked.boxes and not as_json:
        from tui.cli.rented import nobody_text

        session.console.say(nobody_text(asking))
    else:
        _show(session, looked, as_json=as_json)
    troubles = [] if asking is None else list(provider_troubles(asking))
    for error in [*looked.missing.values(), *troubles]:
        session.console.tell_error(error)
    if asking is not None:
        asking.close()
    code = max(exit_code(looked.boxes), USAGE if looked.missing else 0)
    return code or (NOT_CONFIRMED if troubles else 0)


def _rented(
    session: Session, boxes: Sequence[Box], asking: Asking, timeout: float, *, everything: bool
) -> Glance:
    """Look at the boxes that have an address while the providers are asked, then at the others."""
    from tui.targets import default_roots

    ready = [box for box in boxes if not box.from_provider]
    first = glance(session, ready, timeout, asking.rent_of)
    rest = list(asking.addressed([box for box in boxes if box.from_provider]))
    if everything:
        rest += asking.others(boxes, default_roots(session.configuration.settings))
    then = glance(session, rest, timeout, asking.rent_of)
    views: dict[str, BoxView] = {view.name: view for view in (*first.boxes, *then.boxes)}
    order = [box.name for box in boxes]
    named = sorted(views, key=lambda name: order.index(name) if name in order else len(order))
    return Glance(tuple(views[name] for name in named), {**first.missing, **then.missing})


def _show(session: Session, looked: Glance, *, as_json: bool) -> None:
    if as_json:
        from tui.clock import Clock
        from tui.report.document import json_text, status_document

        session.console.say_all([json_text(status_document(looked.boxes, Clock().wall()))])
        return
    from tui.report.plain import status_lines

    shown = [view for view in looked.boxes if view.name not in looked.missing]
    session.console.say_all(status_lines(shown, session.console.paper))
