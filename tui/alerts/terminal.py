"""A desktop notification by the terminal: OSC 9 and OSC 777, through tmux and screen too. Pure.

Each terminal shows what it knows and drops the rest; where it is known which one it is, it gets one
of them alone, for some know both and would show it twice.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from tui.alerts.event import Message
from tui.text import said

TITLE_LENGTH = 100
BODY_LENGTH = 240
_ESC, _BELL, _END = "\x1b", "\x07", "\x1b\\"
_ONLY_9 = ("KITTY_WINDOW_ID", "ITERM_SESSION_ID")
_ONLY_777 = ("GHOSTTY_RESOURCES_DIR", "WEZTERM_PANE", "VTE_VERSION")
_DEAF = ("linux", "dumb", "")
"""The console of Linux would show such a sequence as text."""


def notification(message: Message, env: Mapping[str, str] = os.environ) -> str:
    """Return what to write to this terminal; "" where none of it can be understood."""
    term = env.get("TERM", "")
    if term in _DEAF:
        return ""
    title = _plain(message.title, TITLE_LENGTH, env)
    body = _plain(" / ".join(message.lines), BODY_LENGTH, env)
    nine = f"{_ESC}]9;{title}: {body}{_BELL}"
    seven = f"{_ESC}]777;notify;{title};{body}{_BELL}"
    known = env.get("TERM_PROGRAM", "").lower()
    if "kitty" in term or known == "iterm.app" or any(name in env for name in _ONLY_9):
        wanted = [nine]
    elif (
        term.startswith(("foot", "rxvt", "xterm-ghostty"))
        or known in ("wezterm", "ghostty")
        or any(name in env for name in _ONLY_777)
    ):
        wanted = [seven]
    else:
        wanted = [nine, seven]
    return "".join(_through(sequence, env) for sequence in wanted)


def _plain(text: str, limit: int, env: Mapping[str, str]) -> str:
    """Return words that end no sequence and begin none, and no field of one.

    A text of OSC 9 that begins with a number is another command to some: ours begins with a word.
    """
    told = said(text, limit).replace(";", ",").replace("…", "...")
    is_utf8 = any("utf" in env.get(name, "").lower() for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    return told if is_utf8 else told.encode("ascii", "replace").decode("ascii")


def _through(sequence: str, env: Mapping[str, str]) -> str:
    """Wrap a sequence so that a multiplexer hands it on; tmux does with allow-passthrough."""
    if env.get("TMUX"):
        return f"{_ESC}Ptmux;{sequence.replace(_ESC, _ESC * 2)}{_END}"
    if env.get("STY"):
        return f"{_ESC}P{sequence}{_END}"
    return sequence
