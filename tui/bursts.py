"""Text that is pasted where the terminal does not say so comes as keys, faster than any hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual.events import Key, Paste
from textual.message import Message

BURST_KEYS = 3
"""So many different keys at once are no typing. Two may be: a slow line brings them together."""

_WHITE = {"enter": "\n", "tab": "\t", "ctrl+j": "\n"}


class Burst(Paste):
    """Keys that came at once, as the text that they are: a field takes it, nothing obeys it."""


Burst.handler_name = Paste.handler_name


def without_bursts(events: Iterable[Message]) -> Iterator[Message]:
    """Yield what came from the terminal at one moment, each row of keys of a paste as a Burst.

    A key that is held is one key many times, and stays keys.
    """
    row: list[Key] = []
    for event in events:
        if isinstance(event, Key) and _text_of(event):
            row.append(event)
            continue
        yield from _taken(row)
        row = []
        yield event
    yield from _taken(row)


def _taken(row: list[Key]) -> Iterable[Message]:
    is_held = len({event.key for event in row}) < 2
    return row if len(row) < BURST_KEYS or is_held else [Burst("".join(map(_text_of, row)))]


def _text_of(event: Key) -> str:
    """Return what a key writes, "" for one that no text holds."""
    if event.is_printable and event.character:
        return event.character
    return _WHITE.get(event.key, "")
