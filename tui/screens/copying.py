"""What a person takes along: an ssh command for a box."""

from __future__ import annotations

from collections.abc import Callable

from tui.boxes import Box, SshTarget
from tui.errors import UserError
from tui.text import one_line, quote
from tui.view import BoxView


def ssh_command(box: BoxView, parse: Callable[[str], Box] | None) -> str:
    """Return the command that opens a shell on a box; of a box without ssh, its target."""
    text = one_line(box.target)
    if text.startswith("ssh ") or parse is None:
        return text
    try:
        target = parse(box.target).target
    except UserError:
        return text
    return _command(target) if isinstance(target, SshTarget) else text


def _command(target: SshTarget) -> str:
    words = ["ssh"]
    words += [] if target.port is None else ["-p", str(target.port)]
    for path in target.identity_files:
        words += ["-i", _word(path)]
    words += [] if target.jump is None else ["-J", _word(target.jump)]
    words.append(_word(target.host if target.user is None else f"{target.user}@{target.host}"))
    return " ".join(words)


def _word(text: str) -> str:
    """Return a word for a shell, quoted only where it must be."""
    plain = text.replace("@", "").replace(".", "").replace("-", "").replace("_", "")
    is_plain = all(c.isalnum() or c in "/~:+,%" for c in plain) and not text.startswith("-")
    return text if is_plain and text.isascii() else quote(text)
