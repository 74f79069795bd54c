"""One fact of a run or its box, as the status panel has it."""

from __future__ import annotations

import msgspec

from tui.widgets.spans import Span


class Known(msgspec.Struct, frozen=True):
    """One fact; ``weight`` says what is left out first where there is little room (1 stays)."""

    label: str
    spans: tuple[Span, ...]
    weight: int = 2
