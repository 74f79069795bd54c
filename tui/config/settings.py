"""The settings of boxtop.toml, one Struct a section; each ``description`` says what is allowed."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

import msgspec

BoxPath = Annotated[str, msgspec.Meta(pattern=r"^(/|~/)")]
Roots = Annotated[
    tuple[BoxPath, ...],
    msgspec.Meta(description='a list of paths on the box that start with / or ~/, ["/root/runs"]'),
]
USUAL_ROOTS = ("/root/runs", "/workspace/runs")
"""Where runs are searched on every box, unless boxtop.toml says otherwise."""

Words = Annotated[str, msgspec.Meta(min_length=1, description="a text")]
Flag = Annotated[bool, msgspec.Meta(description="true or false")]
Dollars = Annotated[
    float, msgspec.Meta(ge=0, description="a number of US dollars, 0 or more, such as 3.48")
]
ClockTime = Annotated[str, msgspec.Meta(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]

AlertKind = Literal[
    "failed",
    "dead",
    "stalled",
    "diverged",
    "completed",
    "new_best",
    "disk_full",
    "idle",
    "runway",
    "unreachable",
    "push_failed",
    "finished",
    "finish_failed",
]
ALERTS: tuple[str, ...] = get_args(AlertKind)


class Duration(float):
    """Seconds, written as a number and a unit: ``"90s"``, ``"20m"``, ``"2h"``, ``"1d"``."""


class WatchSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[watch]: ``runs`` are the roots that are searched on every box."""

    runs: Roots = USUAL_ROOTS


class AutoPush(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[hub.auto]: when checkpoints go to the Hub by themselves; nothing set means never."""

    best_every: (
        Annotated[
            Duration, msgspec.Meta(description='a time of "5m" or more, such as "20m" or "2h"')
        ]
        | None
    ) = None
    every_epochs: (
        Annotated[int, msgspec.Meta(ge=1, description="a whole number of epochs, 1 or more")] | None
    ) = None
    on_end: Flag = False


USUAL_AUTO_PUSH = AutoPush(best_every=Duration(1200), every_epochs=10, on_end=True)
"""What `--auto-push` does where [hub.auto] says nothing."""


class HubSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[hub]: where weights go. ``to`` may hold ``{run}`` and ``{box}``."""

    to: (
        Annotated[
            str,
            msgspec.Meta(
                pattern=r"^[^/\s]+/[^/\s]+(/[^/\s]+)*$",
                description='a repository "owner/name", with {run} and {box} filled in',
            ),
        ]
        | None
    ) = None
    via: Annotated[
        Literal["box", "here"],
        msgspec.Meta(description='"box" (the box uploads) or "here" (this machine relays)'),
    ] = "box"
    private: Flag = True
    auto: AutoPush = AutoPush()


class AlertSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[alerts]: who is told, when not, and of what not; ``desktop`` goes by the terminal."""

    urls: Annotated[
        tuple[Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z][A-Za-z0-9+.-]*://\S+$")], ...],
        msgspec.Meta(description='a list of addresses, ["ntfy://topic"]'),
    ] = ()
    quiet: (
        Annotated[
            tuple[ClockTime, ClockTime],
            msgspec.Meta(description='two times of the day, ["23:00", "07:00"]'),
        ]
        | None
    ) = None
    desktop: Flag = True
    off: Annotated[
        tuple[AlertKind, ...],
        msgspec.Meta(description="a list of alerts out of " + ", ".join(ALERTS)),
    ] = ()


class ProviderSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[providers.NAME]: ``key`` is the secret itself, ``key_file`` where to read it."""

    enabled: Flag = True
    key: Words | None = None
    key_file: Annotated[str, msgspec.Meta(min_length=1, description="a file's path")] | None = None


class BoxSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[box.NAME]: ``ssh`` is what comes after ``ssh`` on the provider's page.

    Without ``ssh``, ``path`` and ``instance`` the name itself is a host of ~/.ssh/config. ``path``
    is a directory or a recording on this machine, ``instance`` a rented instance whose provider
    tells how it is reached. ``stop_keeps`` says what its own stop command leaves as it is.
    """

    ssh: (
        Annotated[
            str,
            msgspec.Meta(min_length=1, description='an ssh address, "root@203.0.113.7 -p 41022"'),
        ]
        | None
    ) = None
    path: (
        Annotated[str, msgspec.Meta(min_length=1, description="a path of this machine")] | None
    ) = None
    runs: Roots = ()
    console: (
        Annotated[
            str,
            msgspec.Meta(
                pattern=r"^(/|~/)",
                description='the path of the console log on the box, "/root/train.log"',
            ),
        ]
        | None
    ) = None
    price_per_hour: Dollars | None = None
    disk_gb: (
        Annotated[float, msgspec.Meta(gt=0, description="a number of GB above 0, such as 250")]
        | None
    ) = None
    storage_gb_month: Dollars | None = None
    stop: Words | None = None
    start: Words | None = None
    destroy: Words | None = None
    state: Words | None = None
    stop_keeps: Annotated[
        tuple[BoxPath, ...] | None,
        msgspec.Meta(description='the directories that a stop keeps, ["/"] for the whole disk'),
    ] = None
    instance: (
        Annotated[
            str,
            msgspec.Meta(
                pattern=r"^(vast|runpod|lambda|skypilot):[A-Za-z0-9][A-Za-z0-9._-]*$",
                description='a provider and the id of an instance, "vast:12345678"',
            ),
        ]
        | None
    ) = None


class Settings(msgspec.Struct, frozen=True):
    """All of boxtop.toml; ``keys`` maps an action's id to a key, ``box`` keeps the file's order."""

    watch: WatchSettings = WatchSettings()
    hub: HubSettings = HubSettings()
    alerts: AlertSettings = AlertSettings()
    keys: dict[str, str] = {}
    providers: dict[str, ProviderSettings] = {}
    box: dict[str, BoxSettings] = {}


PROVIDERS = ("vast", "runpod", "lambda", "skypilot", "modal")
"""Providers that [providers.NAME] may name; any other box has its own commands in [box.NAME]."""

SECRET_KEYS = ("key",)
"""Keys of [providers.NAME] that hold a secret."""
