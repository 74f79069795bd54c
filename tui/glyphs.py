"""One sign for each verdict, in Unicode and in ASCII; a word always stands beside it."""

from __future__ import annotations

from tui.runs.model import Verdict

_UNICODE: dict[Verdict, str] = {
    "starting": "◌",
    "running": "●",
    "stalled": "◐",
    "diverged": "≈",
    "dead": "✕",
    "stopped": "■",
    "failed": "✗",
    "completed": "✓",
    "unknown": "?",
}
_ASCII: dict[Verdict, str] = {
    "starting": "~",
    "running": ">",
    "stalled": "!",
    "diverged": "^",
    "dead": "x",
    "stopped": "#",
    "failed": "X",
    "completed": "+",
    "unknown": "?",
}


def verdict_glyphs(ascii_only: bool) -> dict[Verdict, str]:
    """Return the signs that a terminal can show, each one cell wide."""
    return _ASCII if ascii_only else _UNICODE
