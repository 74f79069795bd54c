"""Who is there: all boxes of the configuration, or those named; no two have the same name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tui.boxes import Box, LocalTarget, RecordingTarget, SshTarget
from tui.errors import UserError
from tui.targets import Names, configured_box, default_roots, parse_target


def join_boxes(targets: Sequence[str], names: Names | None = None) -> tuple[Box, ...]:
    """Return the boxes of the targets, or all of boxtop.toml when there are no targets.

    A target that is given twice counts once. Raises UserError for a target that names no box; of
    all boxes one that is wrong leaves the others as they are.
    """
    names = names or Names()
    if not targets:
        return tuple(_configured(name, names) for name in names.settings.box)
    return with_unique_names([parse_target(text, names) for text in targets])


def _configured(name: str, names: Names) -> Box:
    """Return a box of boxtop.toml; one that cannot be reached as it is written says so itself."""
    try:
        return configured_box(name, names)
    except UserError as error:
        section = names.settings.box[name]
        return Box(
            name=name,
            text=section.path or section.ssh or name,
            target=LocalTarget(Path(section.path)) if section.path else SshTarget(name),
            roots=default_roots(names.settings, section),
            price_per_hour=section.price_per_hour,
            fault=str(error),
            hint=error.hint,
        )


def with_unique_names(boxes: Sequence[Box]) -> tuple[Box, ...]:
    """Return the boxes, each once, with a name that no other has.

    All that share a name add what tells them apart, so that it does not matter which comes first.
    """
    distinct: dict[tuple[object, ...], Box] = {}
    for box in boxes:
        distinct.setdefault((box.target, box.roots, box.run), box)
    unique: dict[str, Box] = {}
    for box in distinct.values():
        alike = [other for other in distinct.values() if other.name == box.name]
        name = _free_name(_telling_name(box, alike), unique)
        unique[name] = replace(box, name=name, mirror=box.kept_as)
    return tuple(unique.values())


def _telling_name(box: Box, alike: Sequence[Box]) -> str:
    """Return a box's name with the first part of its address that is another for each of them."""
    for parts in _PARTS:
        names = {_named(other, parts) for other in alike}
        if len(names) == len(alike):
            return _named(box, parts)
    return box.name


_PARTS = ("", "u", "r", "d", "j", "ur", "ud", "dr", "udr", "ju", "judr")
"""What is added to a name, the least first: user, run, directory, jump host."""


def _named(box: Box, parts: str) -> str:
    target = box.target
    name = box.name
    if isinstance(target, SshTarget):
        if "u" in parts and target.user:
            name = f"{target.user}@{name}"
        if "d" in parts and box.roots:
            name = f"{name}:{box.roots[0]}"
    if "r" in parts and box.run:
        name = f"{name}:{box.run}"
    if "j" in parts and isinstance(target, SshTarget) and target.jump:
        name = f"{name} via {target.jump}"
    return name


def _free_name(name: str, taken: dict[str, Box]) -> str:
    number, free = 2, name
    while free in taken:
        free = f"{name}-{number}"
        number += 1
    return free


def at_speed(boxes: Sequence[Box], speed: float) -> tuple[Box, ...]:
    """Return the boxes with the recordings among them played at a speed.

    Raises UserError when there is none.
    """
    if not any(isinstance(box.target, RecordingTarget) for box in boxes):
        raise UserError("--speed is for recordings", "name one: a recording.jsonl")
    return tuple(
        replace(box, target=replace(box.target, speed=speed))
        if isinstance(box.target, RecordingTarget)
        else box
        for box in boxes
    )


def no_boxes() -> UserError:
    """Return what to say when nothing was named and boxtop.toml has no box."""
    return UserError(
        "no boxes: boxtop.toml names none",
        "name one (boxtop 'ssh -p 41022 root@203.0.113.7'), write boxtop.toml "
        "(boxtop config init), or try boxtop demo",
    )
