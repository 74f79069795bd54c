"""What of the user's own world no test may see: HOME, XDG directories, agents and settings."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path

HIDDEN_NAMES = frozenset(
    {
        "SSH_AUTH_SOCK",
        "SSH_AGENT_PID",
        "SSH_ASKPASS",
        "SSH_CONNECTION",
        "SSH_CLIENT",
        "SSH_TTY",
        "KRB5CCNAME",
        "HUGGING_FACE_HUB_TOKEN",
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "COLORTERM",
        "COLUMNS",
        "LINES",
        "TMUX",
        "VAST_API_KEY",
        "VAST_URL",
        "VAST_CONTAINERLABEL",
        "CONTAINER_ID",
        "CONTAINER_API_KEY",
        "RUNPOD_API_KEY",
        "RUNPOD_API_BASE_URL",
        "RUNPOD_POD_ID",
        "LAMBDA_API_KEY",
        "LC_ALL",
        "LC_CTYPE",
        "PYTHONUTF8",
        "PYTHONIOENCODING",
        "TZ",
    }
)
KEPT_PREFIX = "TEXTUAL_SNAPSHOT"
"""Set by the plugin that compares pictures of the screen, for itself."""
HIDDEN_PREFIXES = ("XDG_", "HF_", "BOXTOP_", "TEXTUAL")


def hidden_names(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the variables of ``environment`` that would let the user's world into a test."""
    return [
        name
        for name in environment
        if (name in HIDDEN_NAMES or name.startswith(HIDDEN_PREFIXES))
        and not name.startswith(KEPT_PREFIX)
    ]


def shielded_environment(home: Path) -> dict[str, str]:
    """Return the values every test runs with; all of ``hidden_names`` are to be removed first."""
    return {"HOME": str(home), "LANG": "C.UTF-8", "TERM": "xterm-256color", "TZ": "UTC"}


def take_signals() -> None:
    """Let this process and its children be interrupted again.

    A shell's background job and ``nohup`` hand down ignored signals, and a program that inherits
    those is right not to end on Ctrl-C.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
