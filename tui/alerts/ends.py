"""What there is to tell of finish lines that ended: that all was done, or why it was not. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.actions.finish_words import leaving_text, view_text
from tui.alerts.memory import key_of
from tui.alerts.sign import Sign
from tui.config.settings import AlertKind
from tui.view import BoxView

if TYPE_CHECKING:
    from tui.actions.finish_line import FinishView

KINDS: frozenset[AlertKind] = frozenset({"finished", "finish_failed"})

LINES_MOST = 3
"""What was done is told with what it leaves, such as a disk that bills on."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A finish line that is over, or that only a person can make go on.

    ``what`` was to be done, and with which instance; ``result`` says how it ended. ``is_well``:
    all was done.
    """

    box: str
    what: str
    result: str
    text: str
    is_well: bool


def ended_of(view: FinishView) -> Ended | None:
    """Return how one ended; None where it goes on, and where a person cancelled it."""
    if view.result == "cancelled" or not (view.is_over or view.stuck):
        return None
    setting, is_well = view.setting, view.result == "done"
    what = f"{setting.wish} of {setting.bound}"
    text = f"{view.text}; {leaving_text(view)}"
    if view.is_over:
        text = "; ".join((view_text(view), *view.lines[:LINES_MOST]))
    return Ended(setting.box, what, view.result or "stuck", text, is_well)


def ended_early(view: FinishView, why: str) -> Ended:
    """Return that one is given up while it waits."""
    setting = view.setting
    what = f"{setting.wish} of {setting.bound}"
    return Ended(setting.box, what, "left", f"{why}; {leaving_text(view)}", False)


def key_of_end(end: Ended, boxes: Sequence[BoxView]) -> str:
    """Return what tells an end from others: one set anew over the same training, that ends alike,
    is the same."""
    runs = [view.run for box in boxes if box.name == end.box for view in box.runs]
    lives = sorted(f"{run.path} {run.pid}@{run.started_at}" for run in runs)
    return key_of("finish", end.box, end.what, end.result, *lives)


def finish_signs(keys: Mapping[Ended, str]) -> Iterator[Sign]:
    """Yield each end, by the key that it had when it came."""
    for end, key in keys.items():
        kind: AlertKind = "finished" if end.is_well else "finish_failed"
        yield Sign(key, True, kind, end.box, None, end.text, hold_s=0)
