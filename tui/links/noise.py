"""What a login printed instead of running our command, and what a person can do about it."""

from __future__ import annotations

import re

from tui.links.base import LinkError
from tui.text import one_line

RUNPOD_HINT = (
    'this gateway runs no commands: use the pod\'s "SSH over exposed TCP" address'
    " (public IP and the mapped port of 22) instead of ssh.runpod.io"
)
TMUX_HINT = "tmux starts at login there: run `touch ~/.no_auto_tmux` on the box, then connect again"

_OTHER_USER = re.compile(r'log ?in as the user "?([\w.-]+)"?', re.IGNORECASE)
_RUNPOD = re.compile(r"client doesn'?t support PTY", re.IGNORECASE)
_TMUX = re.compile(
    r"^no sessions\s*$|open terminal failed: not a terminal|no server running on .*tmux"
    r"|\.no_auto_tmux|in a tmux session",
    re.IGNORECASE | re.MULTILINE,
)
_NO_LOGIN = re.compile(r"account is (currently )?not available|nologin", re.IGNORECASE)


def is_final(text: str) -> bool:
    """Whether a text alone tells that no command will ever run, without waiting for the end."""
    return _RUNPOD.search(text) is not None


def explain_noise(text: str, errors: str = "") -> LinkError:
    """Return the error for a reply that holds no frame; ``errors`` is its standard error."""
    both = f"{text}\n{errors}"
    other = _OTHER_USER.search(both)
    if _RUNPOD.search(both):
        return LinkError("no_exec", "the box's SSH gateway runs no commands", RUNPOD_HINT)
    if other:
        user = one_line(other[1], 40)
        return LinkError("no_exec", f"the box wants another user: {user}", f"log in as {user}@…")
    if _TMUX.search(both):
        return LinkError("no_exec", "the login starts tmux instead of our command", TMUX_HINT)
    if _NO_LOGIN.search(both):
        return LinkError("no_exec", "this account may not run commands on the box")
    said = last_line(errors) or last_line(text)
    if said:
        return LinkError("protocol", f"the box did not run our command; it said: {said}")
    return LinkError("protocol", "reply cut: the box ended the command without a word")


def last_line(text: str) -> str:
    """Return the last line that says something, made harmless."""
    lines = [line for line in text.splitlines() if line.strip()]
    return one_line(lines[-1].strip(), 200) if lines else ""
