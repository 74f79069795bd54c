"""Who is there: all boxes of the configuration, or those named; no two have the same name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tui.boxes import Box
from tui.errors import UserError
from tui.targets import Names, configured_box, parse_target


def join_boxes(targets: Sequence[str], names: Names | None = None) -> tuple[Box, ...]:
    """Return the boxes of the targets, or all of boxtop.toml when there are no targets.

    A target that is given twice counts once. Raises UserError for a target that names no box.
    """
    names = names or Names()
    if not targets:
        return tuple(configured_box(name, names) for name in names.settings.box)
    return with_unique_names([parse_target(text, names) for text in targets])


def with_unique_names(boxes: Sequence[Box]) -> tuple[Box, ...]:
    """Return the boxes, each once, with a name that no other has.

    The name is where a box's mirror lies, so the first box keeps its own; another run or another
    address behind the same name adds what tells it apart.
    """
    unique: dict[str, Box] = {}
    places: set[tuple[object, ...]] = set()
    for box in boxes:
        place = (box.target, box.roots, box.run)
        if place in places:
            continue
        places.add(place)
        name = _free_name(box, unique)
        unique[name] = replace(box, name=name)
    return tuple(unique.values())


def _free_name(box: Box, taken: dict[str, Box]) -> str:
    if box.name not in taken:
        return box.name
    user = getattr(box.target, "user", None)
    parts = [box.name, *([f"{user}@{box.name}"] if user else [])]
    if box.run:
        parts = [name for part in parts for name in (part, f"{part}:{box.run}")]
    for name in parts:
        if name not in taken:
            return name
    number = 2
    while f"{box.name}-{number}" in taken:
        number += 1
    return f"{box.name}-{number}"


def no_boxes() -> UserError:
    """Return what to say when nothing was named and boxtop.toml has no box."""
    return UserError(
        "no boxes: boxtop.toml names none",
        "name one (boxtop 'ssh -p 41022 root@203.0.113.7'), write boxtop.toml "
        "(boxtop config init), or try boxtop demo",
    )
