"""Where this machine keeps its Hugging Face token, as the client itself looks for it.

The order is that of ``huggingface_hub`` (``utils/_auth.py``, ``constants.py``): HF_TOKEN,
HUGGING_FACE_HUB_TOKEN, then one file: HF_TOKEN_PATH, else ``token`` in HF_HOME, which is
``huggingface`` in XDG_CACHE_HOME or ``~/.cache``.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tui.actions.hub_problem import HubError, HubProblem
from tui.text import one_line

VARIABLES = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
MIN_TOKEN = 8
MAX_TOKEN = 4096


@dataclass(frozen=True, slots=True)
class Token:
    """A token and where it was found. Its text is in no ``repr`` and no message."""

    secret: str = field(repr=False)
    source: str
    """In words, for example ``HF_TOKEN`` or ``~/.cache/huggingface/token``."""
    warning: str | None = None
    """What is wrong with how it is kept, None when nothing is."""


def find_token(environment: Mapping[str, str] = os.environ) -> Token:
    """Return this machine's token. Raises HubError ``no_token`` with the places looked at."""
    looked = []
    for name in VARIABLES:
        secret = environment.get(name, "").strip()
        if secret:
            return Token(_usable(secret, name), name)
        looked.append(f"{name} (not set)")
    path = token_file(environment)
    shown = _shown(path, environment)
    try:
        secret = _content(path).strip()
        if secret:
            return Token(_usable(secret, shown), shown, _warning(path, shown))
        looked.append(f"{shown} (empty)")
    except FileNotFoundError:
        looked.append(f"{shown} (no such file)")
    except _NoRegularFile:
        looked.append(f"{shown} (no regular file)")
    except (OSError, UnicodeDecodeError):
        looked.append(f"{shown} (cannot be read)")
    raise HubError(no_token(looked))


class _NoRegularFile(Exception):
    """Reading it might never end."""


def _content(path: Path) -> str:
    """Return what a regular file holds, as far as a token can be long. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise _NoRegularFile
        return file.read(2 * MAX_TOKEN).decode("utf-8")


def no_token(looked: list[str]) -> HubProblem:
    """Return the problem of having none, with the places that were looked at."""
    return HubProblem(
        "no_token",
        "there is no Hugging Face token here; looked at " + ", ".join(looked),
        "run `hf auth login`, or set HF_TOKEN to a token from huggingface.co/settings/tokens",
    )


def token_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the file that the client would read the token from."""
    home = environment.get("HOME") or str(Path.home())
    cache = environment.get("XDG_CACHE_HOME") or f"{home}/.cache"
    hub_home = _expanded(environment.get("HF_HOME") or f"{cache}/huggingface", environment, home)
    return Path(
        _expanded(environment.get("HF_TOKEN_PATH") or f"{hub_home}/token", environment, home)
    )


def _expanded(path: str, environment: Mapping[str, str], home: str) -> str:
    """Return a path with ``~`` and ``$NAME`` filled in from this environment."""
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    parts = [_variable(part, environment) for part in path.split("/")]
    return "/".join(parts)


def _variable(part: str, environment: Mapping[str, str]) -> str:
    name = part.removeprefix("$").removeprefix("{").removesuffix("}")
    return environment.get(name, part) if part.startswith("$") else part


def _shown(path: Path, environment: Mapping[str, str]) -> str:
    home = environment.get("HOME") or str(Path.home())
    text = str(path)
    return one_line(f"~{text[len(home) :]}" if text.startswith(f"{home}/") else text, 200)


def _usable(secret: str, source: str) -> str:
    """Return a token that can be a header's value; HubError for what cannot be one."""
    plain = secret.isascii() and secret.isprintable() and " " not in secret
    if plain and MIN_TOKEN <= len(secret) <= MAX_TOKEN:
        return secret
    message = f"what {source} holds is no token"
    raise HubError(HubProblem("no_token", message, "put one token there, on one line"))


def _warning(path: Path, shown: str) -> str | None:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None
    if mode & 0o077:
        return f"{shown} can be read by others (mode {mode:04o}): chmod 600 {shown}"
    return None
