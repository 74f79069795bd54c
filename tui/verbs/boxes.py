"""`boxtop boxes`: who is there and what it costs, without connecting to any box."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from tui.boxes import Box, LocalTarget, RecordingTarget, SshTarget
from tui.cli.options import Verb
from tui.cli.session import Session
from tui.errors import UserError
from tui.rent import COMMAND, RentView
from tui.report.exit_code import NOT_CONFIRMED, USAGE

if TYPE_CHECKING:
    from tui.money import Rate


@click.command(cls=Verb)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.pass_obj
def command(session: Session, as_json: bool) -> int:
    """List all boxes with what they cost: those of boxtop.toml and of its providers' accounts.

    No box is connected.
    """
    from tui.cli.rented import ask_providers, nobody_text, provider_troubles
    from tui.fleet import join_boxes
    from tui.targets import default_roots

    boxes = list(join_boxes([], session.names))
    asking = ask_providers(session, boxes, everything=True)
    rents: dict[str, RentView] = {}
    troubles: list[UserError] = []
    if asking is not None:
        boxes += asking.others(boxes, default_roots(session.configuration.settings))
        found = {box.name: asking.rent_of(box) for box in boxes}
        rents = {name: rent for name, rent in found.items() if rent is not None}
        troubles = list(provider_troubles(asking))
        asking.close()
    if as_json:
        from tui.report.document import json_text

        entries = [box_entry(box, session, rents.get(box.name)) for box in boxes]
        session.console.say_all([json_text({"schema_version": 1, "boxes": entries})])
    elif asking is not None and not boxes:
        session.console.say(nobody_text(asking))
    else:
        session.console.say_all(box_lines(boxes, session, rents))
    wrong = [box for box in boxes if _is_wrong(box, session)]
    for error in [*(UserError(box.fault or "", box.hint) for box in wrong), *troubles]:
        session.console.tell_error(error)
    return USAGE if wrong else NOT_CONFIRMED if troubles else 0


def _is_wrong(box: Box, session: Session) -> bool:
    """Whether boxtop.toml is: that an instance has no address now is told of the instance."""
    from tui.targets.instances import is_enabled

    settings = session.configuration.settings
    told = box.instance is not None and box.from_provider and is_enabled(box.instance, settings)
    return box.fault is not None and not told


def box_entry(box: Box, session: Session, rent: RentView | None = None) -> dict[str, Any]:
    """Return what is known of a box; what is not is null."""
    from tui.report.document import exact, rate_document, rent_document

    running, stopped = _rates(box, session, rent)
    return {
        "name": exact(box.name),
        "target": exact(box.text),
        "kind": _kind(box),
        "error": box.fault if _is_wrong(box, session) else None,
        "roots": [exact(root) for root in box.roots],
        "console": box.console,
        "rate_running": rate_document(running),
        "rate_stopped": rate_document(stopped),
        "address": _address(box),
        "provider": None if rent is None else rent_document(rent),
    }


def box_lines(
    boxes: Sequence[Box], session: Session, rents: Mapping[str, RentView] | None = None
) -> Iterator[str]:
    """Yield a few lines for each box, or what to do when there is none; then the sum."""
    from tui.report.lines import Span, cells, pad
    from tui.report.plain import rate_text
    from tui.report.rent import rent_spans, rent_warnings, total_lines

    paper = session.console.paper
    if not boxes:
        yield from _nobody(session)
        return
    rents = rents or {}
    width = max(cells(box.name) for box in boxes)
    indent = " " * (width + 2)
    for box in boxes:
        rent = rents.get(box.name)
        running, stopped = _rates(box, session, rent)
        spans = [Span(pad(box.name, width), "bold")]
        if box.text != box.name and not box.from_provider:
            spans.append(Span(box.text))
        if rent is not None and rent.provider != COMMAND:
            spans += rent_spans(rent)
        else:
            for rate, when in ((running, "running"), (stopped, "stopped")):
                if rate.usd_per_hour is not None:
                    spans.append(Span(f"{rate_text(rate.usd_per_hour)} {when}"))
            if rent is not None and rent.state != "unknown":
                spans.append(Span(rent.state, "yellow" if rent.is_off else ""))
        if box.from_provider and (place := _address(box)) is not None:
            spans.append(Span(place, "dim"))
        spans += [Span(root, "dim") for root in box.roots]
        yield from paper.flow(spans, "", indent)
        for text, style in rent_warnings(rent, None) if rent is not None else ():
            yield from paper.flow([Span(text, style)], indent, indent)
    for span in total_lines(list(rents.values())):
        yield from paper.flow([span], "", "  ")


def _address(box: Box) -> str | None:
    return box.target.place or None if isinstance(box.target, SshTarget) else None


def _nobody(session: Session) -> Iterator[str]:
    from tui.fleet import no_boxes
    from tui.rented.opening import accounts_named
    from tui.report.lines import Span

    paper = session.console.paper
    if accounts := accounts_named(session.configuration.settings):
        text = f"no box of its own; `boxtop boxes` lists those of {', '.join(accounts)}"
        yield from paper.flow([Span(text)], "", "  ")
        return
    nobody = no_boxes()
    yield from paper.flow([Span(str(nobody))], "", "  ")
    yield from paper.flow([Span(nobody.hint or "")], "  ", "  ")
    hosts = session.names.ssh_hosts().names
    if hosts:
        text = "hosts of ~/.ssh/config can be named, too:"
        yield from paper.flow([Span(text), *(Span(host) for host in hosts)], "", "  ")


def _rates(box: Box, session: Session, rent: RentView | None) -> tuple[Rate, Rate]:
    """Return the hourly price running and stopped: the provider's word, else boxtop.toml's."""
    from tui.money import NO_RATE, Rate, stopped_rate

    section = session.configuration.settings.box.get(box.name)
    own = box.price_per_hour
    running = NO_RATE if own is None else Rate(own, "user")
    stopped = NO_RATE
    if section is not None:
        stopped = stopped_rate(gb=section.disk_gb, usd_per_gb_month=section.storage_gb_month)
    if rent is not None and rent.rate_running.usd_per_hour is not None:
        running = rent.rate_running
    if rent is not None and rent.rate_stopped.usd_per_hour is not None:
        stopped = rent.rate_stopped
    return running, stopped


def _kind(box: Box) -> str:
    match box.target:
        case SshTarget():
            return "ssh"
        case LocalTarget():
            return "local"
        case RecordingTarget():
            return "recording"
