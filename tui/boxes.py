"""What a box is before anything connects to it: its name, and how it is reached."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SshTarget:
    """An SSH address as a person gave it; what is None comes from the OpenSSH configuration.

    ``ignored`` names options of a pasted ssh line that boxtop cannot use. ``host_key_alias`` is
    the name its host key is kept under, where that is not its address.
    """

    host: str
    user: str | None = None
    port: int | None = None
    identity_files: tuple[str, ...] = ()
    jump: str | None = None
    ignored: tuple[str, ...] = ()
    host_key_alias: str | None = None

    @property
    def place(self) -> str:
        """Host and port as people write them: ``203.0.113.7``, ``[2001:db8::5]:41022``."""
        if self.port in (None, 22):
            return self.host
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def address(self) -> str:
        """Everything that tells one machine and account from another, as an address.

        No name of boxtop.toml looks like it.
        """
        host = f"[{self.host}]" if ":" in self.host else self.host
        user = f"{self.user}@" if self.user else ""
        port = f":{self.port}" if self.port else ""
        return f"ssh://{user}{host}{port}" + (f",jump={self.jump}" if self.jump else "")


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
class InstanceName:
    """Which instance of which provider a box is; an id is always text."""

    provider: str
    id: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.id}"


@dataclass(frozen=True, slots=True)
class Box:
    """One box to watch: ``text`` is the target as given, ``run`` names a single run by its id.

    ``only`` is the one run to look for: it is found though it holds no more than its configuration.
    ``fault`` says what is wrong with it in boxtop.toml, ``hint`` what helps; it is not connected.
    ``mirror`` is the name of its mirror, where that is not its own name: a name may depend on what
    stands beside it, a mirror never does. ``instance`` says which rented instance it is; without
    an address in boxtop.toml (``from_provider``) its provider tells how it is reached, and
    ``fault`` that it is not told yet.
    """

    name: str
    text: str
    target: Target
    roots: tuple[str, ...] = ()
    console: str | None = None
    run: str | None = None
    price_per_hour: float | None = None
    mirror: str | None = None
    only: str | None = None
    fault: str | None = None
    hint: str | None = None
    instance: InstanceName | None = None
    from_provider: bool = False

    @property
    def kept_as(self) -> str:
        """The name of its mirror."""
        return self.mirror or self.name
