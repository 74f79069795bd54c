"""Where boxtop keeps its configuration and its data on this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from tui.errors import UserError

CONFIG_NAME = "boxtop.toml"
CONFIG_VARIABLE = "BOXTOP_CONFIG"
DATA_VARIABLE = "BOXTOP_DATA_DIR"


def config_path(given: str | None = None, env: Mapping[str, str] = os.environ) -> tuple[Path, bool]:
    """Return the path of boxtop.toml, and whether a person named it (then it has to exist)."""
    named = given or env.get(CONFIG_VARIABLE)
    if named:
        return at_home(named), True
    return _platform_directory("config", env) / CONFIG_NAME, False


def data_directory(given: str | None = None, env: Mapping[str, str] = os.environ) -> Path:
    """Return the directory that holds the mirrors."""
    named = given or env.get(DATA_VARIABLE)
    return at_home(named) if named else _platform_directory("data", env)


def at_home(path: str | Path) -> Path:
    """Return a path that a person named, ``~`` filled in. Raises UserError for nobody's home."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise UserError(f"there is no user of this name here: {path}") from None


def data_is_named(given: str | None = None, env: Mapping[str, str] = os.environ) -> bool:
    """Whether a person named the data directory."""
    return bool(given or env.get(DATA_VARIABLE))


def data_problem(data: Path) -> str | None:
    """Return why nothing can be read from a data directory; None when it can, or is not there."""
    try:
        if data.is_dir():
            return None if os.access(data, os.R_OK | os.X_OK) else f"{data}: permission denied"
        return f"{data} is not a directory" if data.exists() else None
    except OSError as error:
        return f"{data}: {error.strerror}"


def keeping_problem(data: Path) -> str | None:
    """Make a data directory; return why nothing can be kept in it, None when it can."""
    try:
        (data / "boxes").mkdir(parents=True, exist_ok=True, mode=0o700)
    except FileExistsError as error:
        return f"{error.filename} is not a directory"
    except OSError as error:
        return f"{error.filename or data}: {error.strerror}"
    return None if os.access(data / "boxes", os.W_OK | os.X_OK) else f"{data}: permission denied"


def _platform_directory(kind: str, env: Mapping[str, str]) -> Path:
    if sys.platform != "linux":
        import platformdirs

        where = platformdirs.user_config_path if kind == "config" else platformdirs.user_data_path
        return where("boxtop", appauthor=False)
    # The same rule as platformdirs' on Linux, whose import costs a tenth of `boxtop status`.
    variable, below = {
        "config": ("XDG_CONFIG_HOME", ".config"),
        "data": ("XDG_DATA_HOME", ".local/share"),
    }[kind]
    base = env.get(variable, "").strip()
    return (Path(base) if base else Path(env.get("HOME") or "~").expanduser() / below) / "boxtop"
