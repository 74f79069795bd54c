"""What a person is told: one event, or a few of them as one message. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from tui.config.settings import AlertKind
from tui.text import said

GOOD: frozenset[AlertKind] = frozenset({"new_best", "completed", "finished"})
"""Kinds that are no trouble."""
LINES_MOST = 10
TITLE_LENGTH = 120
TEXT_LENGTH = 300


class Event(msgspec.Struct, frozen=True):
    """One thing that happened ``at`` a time of this machine, told in ``text``: one clean line.

    ``box`` and ``run`` are names for people; a run's is its id, None where none is meant.
    """

    kind: AlertKind
    box: str
    run: str | None
    text: str
    at: float


class Message(msgspec.Struct, frozen=True):
    """What is sent: a title, its lines, and the events in it, the oldest first."""

    title: str
    lines: tuple[str, ...]
    events: tuple[Event, ...]
    at: float

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines)

    @property
    def is_trouble(self) -> bool:
        """Whether something in it wants a person."""
        return any(event.kind not in GOOD for event in self.events)


def event(kind: AlertKind, box: str, run: str | None, text: str, at: float) -> Event:
    """Return an event with clean words; what a box says of itself is hostile."""
    return Event(
        kind, said(box, 64), None if run is None else said(run, 120), said(text, TEXT_LENGTH), at
    )


def event_document(event: Event) -> dict[str, Any]:
    """Return an event for programs; its time is UTC."""
    return {
        "kind": event.kind,
        "box": event.box,
        "run": event.run,
        "text": event.text,
        "at": utc_text(event.at),
    }


def utc_text(at: float) -> str:
    """Return a time as ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def message_of(events: Sequence[Event], at: float, *, held: bool = False) -> Message:
    """Return one message for events, which are at least one; ``held`` ones waited for the morning.

    Trouble stands first; of many alike the newest are told, and how many more there are.
    """
    ordered = sorted(events, key=lambda one: (one.kind in GOOD, -one.at))
    lines = [one.text for one in ordered[:LINES_MOST]]
    more = len(ordered) - len(lines)
    if more > 0:
        lines.append(f"and {more} more")
    oldest_first = tuple(sorted(events, key=lambda one: one.at))
    return Message(_title(ordered, held=held), tuple(lines), oldest_first, at)


def only(message: Message, kinds: Collection[AlertKind]) -> Message | None:
    """Return a message about some kinds of events alone, None where it has none of them."""
    events = [event for event in message.events if event.kind in kinds]
    return message_of(events, message.at) if events else None


def trial(at: float) -> Message:
    """Return the message of `boxtop alerts test`; it has no events."""
    text = "This is a test: what needs a person would be told here."
    return Message("boxtop: test", (text,), (), at)


def _title(events: Sequence[Event], *, held: bool) -> str:
    if len(events) == 1 and not held:
        first = events[0]
        where = first.box if first.run is None else f"{first.box} {first.run}"
        return said(f"boxtop: {first.kind.replace('_', ' ')}: {where}", TITLE_LENGTH)
    alerts = "1 alert" if len(events) == 1 else f"{len(events)} alerts"
    when = " of the quiet time" if held else ""
    return said(f"boxtop: {alerts}{when}: {_counts(one.kind for one in events)}", TITLE_LENGTH)


def _counts(kinds: Iterable[AlertKind]) -> str:
    """Return how many there are of each kind: ``2 dead, 1 idle``."""
    found: dict[str, int] = {}
    for kind in kinds:
        name = kind.replace("_", " ")
        found[name] = found.get(name, 0) + 1
    return ", ".join(f"{count} {name}" for name, count in found.items())
