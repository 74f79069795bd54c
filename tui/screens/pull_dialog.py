"""Asks what to pull, and into which directory of this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tui.screens.transfer_dialog import TransferDialog


@dataclass(frozen=True, slots=True)
class PullWish:
    """What a person asked for."""

    names: tuple[str, ...]
    directory: Path


class PullDialog(TransferDialog[PullWish]):
    """The place is a directory."""

    heading = "pull weights to this machine"
    asks = "into the directory:"
    yes = "Pull"

    def wish(self) -> PullWish | str:
        """Return the files and the directory; ``~`` and ``~name`` are homes."""
        if not self.typed:
            return "name a directory"
        try:
            return PullWish(self.names, Path(self.typed).expanduser())
        except RuntimeError:
            return f"there is no {self.typed.partition('/')[0]}"
