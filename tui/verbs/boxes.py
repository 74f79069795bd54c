"""`boxtop boxes`: who is there and what it costs, without connecting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from tui.boxes import Box, LocalTarget, RecordingTarget, SshTarget
from tui.cli.options import Verb
from tui.cli.session import Session
from tui.errors import UserError
from tui.report.exit_code import USAGE


@click.command(cls=Verb)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.pass_obj
def command(session: Session, as_json: bool) -> int:
    """List the boxes of boxtop.toml with their prices; nothing is connected."""
    from tui.fleet import join_boxes

    boxes = join_boxes([], session.names)
    if as_json:
        from tui.report.document import json_text

        entries = [box_entry(box, session) for box in boxes]
        session.console.say_all([json_text({"schema_version": 1, "boxes": entries})])
    else:
        session.console.say_all(box_lines(boxes, session))
    for box in boxes:
        if box.fault is not None:
            session.console.tell_error(UserError(box.fault, box.hint))
    return USAGE if any(box.fault for box in boxes) else 0


def box_entry(box: Box, session: Session) -> dict[str, Any]:
    """Return what is configured of a box; what is not is null."""
    from tui.report.document import exact, number

    running, stopped = _rates(box, session)
    return {
        "name": exact(box.name),
        "target": exact(box.text),
        "kind": _kind(box),
        "error": box.fault,
        "roots": [exact(root) for root in box.roots],
        "console": box.console,
        "rate_running": {"usd_per_hour": number(running[0]), "source": running[1]},
        "rate_stopped": {"usd_per_hour": number(stopped[0]), "source": stopped[1]},
    }


def box_lines(boxes: Sequence[Box], session: Session) -> Iterator[str]:
    """Yield one line or two for each box, or what to do when there is none."""
    from tui.report.lines import Span, cells, pad
    from tui.report.plain import rate_text

    paper = session.console.paper
    if not boxes:
        yield from _nobody(session)
        return
    width = max(cells(box.name) for box in boxes)
    for box in boxes:
        running, stopped = _rates(box, session)
        spans = [Span(pad(box.name, width), "bold")]
        if box.text != box.name:
            spans.append(Span(box.text))
        for rate, when in ((running[0], "running"), (stopped[0], "stopped")):
            if rate is not None:
                spans.append(Span(f"{rate_text(rate)} {when}"))
        spans += [Span(root, "dim") for root in box.roots]
        yield from paper.flow(spans, "", " " * (width + 2))


def _nobody(session: Session) -> Iterator[str]:
    from tui.fleet import no_boxes
    from tui.report.lines import Span

    paper = session.console.paper
    nobody = no_boxes()
    yield from paper.flow([Span(str(nobody))], "", "  ")
    yield from paper.flow([Span(nobody.hint or "")], "  ", "  ")
    hosts = session.names.ssh_hosts().names
    if hosts:
        text = "hosts of ~/.ssh/config can be named, too:"
        yield from paper.flow([Span(text), *(Span(host) for host in hosts)], "", "  ")


def _rates(box: Box, session: Session) -> tuple[tuple[float | None, str], tuple[float | None, str]]:
    """Return the hourly price running and stopped, each with its source."""
    from tui.money import stopped_rate

    section = session.configuration.settings.box.get(box.name)
    running = (box.price_per_hour, "user" if box.price_per_hour is not None else "unknown")
    if section is None:
        return running, (None, "unknown")
    stopped = stopped_rate(gb=section.disk_gb, usd_per_gb_month=section.storage_gb_month)
    return running, (stopped.usd_per_hour, stopped.source)


def _kind(box: Box) -> str:
    match box.target:
        case SshTarget():
            return "ssh"
        case LocalTarget():
            return "local"
        case RecordingTarget():
            return "recording"
