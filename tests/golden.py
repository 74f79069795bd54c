"""Golden files: whole outputs that were read by eye once, compared byte for byte ever after."""

from __future__ import annotations

import os
from pathlib import Path

GOLDEN = Path(__file__).parent / "data" / "golden"


def assert_golden(name: str, text: str) -> None:
    """Compare with ``tests/data/golden/NAME``; WRITE_GOLDEN=1 writes it anew, to be read."""
    path = GOLDEN / name
    if os.environ.get("WRITE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
