"""What the journal keeps of a finish line: one line when it is set, one when it is over.

What it sends to a provider has lines of its own, with the proofs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tui.actions.finish_wish import Setting
from tui.actions.journal import Entry, now_text

if TYPE_CHECKING:
    from tui.actions.finish_line import FinishView

ACTION = "finish line"
_OUTCOMES = {"done": "done", "refused": "refused", "failed": "left", "cancelled": "left"}


def set_entry(setting: Setting) -> Entry:
    """Return the line of what a person asked for, with the name as it was typed."""
    return Entry(
        at=now_text(), action=ACTION, box=setting.box, outcome="asked", asked=_asked(setting)
    )


def ended_entry(view: FinishView) -> Entry:
    """Return the line of how it ended."""
    return Entry(
        at=now_text(),
        action=ACTION,
        box=view.setting.box,
        outcome=_OUTCOMES.get(view.result or "", "unknown"),
        asked=_asked(view.setting),
        seen={"result": view.result, "text": view.text, "lines": list(view.lines)},
    )


def _asked(setting: Setting) -> dict[str, Any]:
    bound = setting.bound
    return {
        "when_done": str(setting.wish),
        "also": sorted(setting.wish.also),
        "provider": bound.provider if bound is not None else None,
        "id": bound.id if bound is not None else None,
        "typed": setting.typed,
    }
