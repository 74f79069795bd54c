"""What a target may refer to, and the error for a word that names nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from tui.boxes import Box
from tui.config.settings import Settings
from tui.errors import UserError
from tui.targets.ssh_hosts import SshHosts


class UnknownTarget(UserError):
    """Nothing here has a name: it may be one of a list of instances."""


def _nobody(text: str) -> Box | None:
    """Know no instance by its name."""
    return None


class Names(msgspec.Struct, frozen=True):
    """What a target may refer to: the configuration, ~/.ssh/config, and this directory.

    ``kept`` returns the box of an instance by the name that the last list had, ``listed`` by that
    of a list that may be asked for: it may block, and raise ProviderError.
    """

    settings: Settings = Settings()
    cwd: Path = msgspec.field(default_factory=Path.cwd)
    ssh_hosts: Callable[[], SshHosts] = SshHosts.of_user
    places: Mapping[str, str] = {}
    """Where each box of the configuration stands: ``boxtop.toml:12``."""
    kept: Callable[[str], Box | None] = _nobody
    listed: Callable[[str], Box | None] = _nobody
