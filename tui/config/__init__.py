"""boxtop.toml: typed settings, and errors that name file, line and key."""

from __future__ import annotations

from tui.config.load import Configuration, load_configuration
from tui.config.paths import config_path, data_directory
from tui.config.settings import BoxSettings, Settings

__all__ = [
    "BoxSettings",
    "Configuration",
    "Settings",
    "config_path",
    "data_directory",
    "load_configuration",
]
