"""What a box's own word of now, and what is followed of it, tell of one run together. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from tui.actions.gate_facts import ENDED_STATES, FoundRun
from tui.actions.gate_survey import Place


def places_of(place: Place) -> tuple[str, ...]:
    """Return the real places of a run, of its weights, and of each that is a link."""
    own = [place.real, place.real_weights or place.real]
    return tuple(dict.fromkeys([*own, *(file.real for file in place.files if file.real)]))


def known_of(place: Place, runs: Sequence[FoundRun]) -> list[FoundRun]:
    """Return the runs that are followed and lie there."""
    paths = (place.real, *place.ways)
    return [run for run in runs if run.path in paths]


def is_alive(place: Place, followed: Sequence[FoundRun]) -> bool | None:
    """Return whether a run's training lives; the box's own word of now may make it unknown.

    Who writes a run lives, whatever its status says: that may be another training's.
    """
    if place.written:
        return True
    if not followed:
        if place.state in ENDED_STATES:
            return None if place.pid_lives else False
        if place.quiet and not place.pid_lives:
            return False
        return True if place.state == "running" and place.pid_lives else None
    told = [_still(place, known) for known in followed]
    return True if True in told else None if None in told else False


def _still(place: Place, known: FoundRun) -> bool | None:
    """Return what is known of a followed run, unless another training began in its directory."""
    other = place.pid is not None and place.pid != known.pid
    if known.alive is False and (other or place.state != known.state):
        return True if place.pid_lives else None
    return known.alive


def trouble_of(place: Place) -> str | None:
    """Return why the weights of a run cannot be told."""
    if not place.exists:
        return "its directory is not there any more"
    return place.reason or "they cannot be read" if place.weights == "unreadable" else None
