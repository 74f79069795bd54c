"""Hostile text made harmless: everything a box or an API says passes here before it is shown."""

from __future__ import annotations


def clean(text: str) -> str:
    """Return text without C0 (but newline and tab), DEL, C1 and CSI/OSC/DCS sequences."""
    raise NotImplementedError


def one_line(text: str, limit: int = 400) -> str:
    """Return clean text on one line: newlines and tabs shown escaped, cut at ``limit``."""
    raise NotImplementedError


def redact(text: str) -> str:
    """Return text without tokens: ``hf_***``, API keys and Authorization values masked."""
    raise NotImplementedError
