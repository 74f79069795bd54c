"""What a box is before anything connects to it: its name, and how it is reached."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SshTarget:
    """An SSH address as a person gave it; what is None comes from the OpenSSH configuration.

    ``ignored`` names options of a pasted ssh line that boxtop cannot use.
    """

    host: str
    user: str | None = None
    port: int | None = None
    identity_files: tuple[str, ...] = ()
    jump: str | None = None
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LocalTarget:
    """Directories of this machine. ``mirror`` says that they are copies of a box's runs."""

    path: Path
    mirror: bool = False


@dataclass(frozen=True, slots=True)
class RecordingTarget:
    """A recorded run (``timeline.jsonl``); ``speed`` 1.0 plays it as it happened, 0 at once."""

    path: Path
    speed: float = 1.0


Target = SshTarget | LocalTarget | RecordingTarget


@dataclass(frozen=True, slots=True)
class Box:
    """One box to watch: ``text`` is the target as given, ``run`` names a single run by its id."""

    name: str
    text: str
    target: Target
    roots: tuple[str, ...] = ()
    console: str | None = None
    run: str | None = None
    price_per_hour: float | None = None
