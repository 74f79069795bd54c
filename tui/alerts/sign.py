"""A sign: something that is so, or is not so any more, at one look. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.config.settings import AlertKind
from tui.runs.model import Verdict

if TYPE_CHECKING:
    from tui.view import BoxView

AT_WORK: frozenset[Verdict] = frozenset({"starting", "running", "stalled", "diverged"})
ENDED_STATES = frozenset({"completed", "failed"})
CONFIRM_SECONDS = 4.0
"""Two looks: a verdict between two files that are read one after the other is no news."""


@dataclass(frozen=True, slots=True)
class Sign:
    """``key`` names what is ``on`` or not; ``text`` tells it.

    It is told after it was so for ``hold_s``, and can be told again after it was not so for
    ``clear_s``; a look without a sign of it says neither. What it ``covers`` counts as told with
    it. ``is_old``: it came to be before anybody looked, so it is no news.
    """

    key: str
    on: bool
    kind: AlertKind
    box: str
    run: str | None = None
    text: str = ""
    hold_s: float = CONFIRM_SECONDS
    clear_s: float = 600.0
    covers: tuple[str, ...] = ()
    is_old: bool = False


def local_time(box: BoxView, at: float | None) -> float | None:
    """Return a time of a box's clock by this machine's."""
    return None if at is None else at - (box.clock_skew_s or 0.0)
