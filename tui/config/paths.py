"""Where boxtop keeps its configuration and its data on this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

CONFIG_NAME = "boxtop.toml"
CONFIG_VARIABLE = "BOXTOP_CONFIG"
DATA_VARIABLE = "BOXTOP_DATA_DIR"


def config_path(given: str | None = None, env: Mapping[str, str] = os.environ) -> tuple[Path, bool]:
    """Return the path of boxtop.toml, and whether a person named it (then it has to exist)."""
    named = given or env.get(CONFIG_VARIABLE)
    if named:
        return Path(named).expanduser(), True
    return _platform_directory("config", env) / CONFIG_NAME, False


def data_directory(given: str | None = None, env: Mapping[str, str] = os.environ) -> Path:
    """Return the directory that holds the mirrors."""
    named = given or env.get(DATA_VARIABLE)
    return Path(named).expanduser() if named else _platform_directory("data", env)


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
