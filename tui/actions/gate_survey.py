"""Where weights lie on a box, as ``tui.onbox.gate`` tells it: checked shapes, nothing believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from tui.actions.errors import ActionError
from tui.actions.program import Program
from tui.actions.replies import Message
from tui.actions.shell import Shell
from tui.actions.snapshot import converted
from tui.onbox.gate import machine, sign
from tui.providers.here import own_instance
from tui.runs import files
from tui.text import said

MODULE = "gate"
SURVEY_SECONDS = 120.0
OUTERMOST = "pid:[4026531836]"
"""How Linux names the processes of a machine outside of all containers."""
MOST_RUNS = 2000


class Entry(msgspec.Struct, frozen=True):
    """A checkpoint that matters: device, inode, size, both times of change; None for no file.

    ``real`` is where its bytes truly lie.
    """

    name: str
    identity: tuple[int, ...] | None = None
    real: str | None = None


class Place(msgspec.Struct, frozen=True):
    """A directory of a run. ``real`` and ``real_weights`` are where it truly lies.

    ``weights`` is none where there is no such directory. ``state`` and ``pid`` are those of its
    status, ``pid_lives`` whether any process has that number. ``alike`` are other paths of it.
    ``in_memory``: some of it lies on no disk. ``others`` are the newest of ``others_count``
    checkpoints that do not matter. ``quiet``: nothing of it was written for half a day;
    ``written``: a process has one of its files open for writing.
    """

    path: str
    real: str
    exists: bool
    weights: Literal["none", "there", "unreadable"]
    reason: str | None = None
    real_weights: str | None = None
    files: tuple[Entry, ...] = ()
    state: str | None = None
    pid: int | None = None
    pid_lives: bool | None = None
    alike: tuple[str, ...] = ()
    in_memory: bool = False
    others: tuple[str, ...] = ()
    others_count: int = 0
    quiet: bool = False
    written: bool = False

    @property
    def ways(self) -> tuple[str, ...]:
        """All paths that lead to it."""
        return (self.path, *self.alike)


class Trouble(msgspec.Struct, frozen=True):
    """A place that could not be looked at.

    ``root`` is True where a search was to begin, and whoever is logged in there may not look.
    """

    path: str
    reason: str
    root: bool = False


class Survey(msgspec.Struct, frozen=True):
    """Everything that was found at one moment; ``same_machine``: this machine is the box.

    ``partly`` are places elsewhere that were not searched to their end, ``searched`` the disks of
    the box that were searched beside those that were named.
    """

    places: tuple[Place, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    same_machine: bool = False
    partly: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()


def survey(
    shell: Shell,
    runs: Sequence[str],
    roots: Sequence[str],
    earlier: Sequence[str] = (),
    elsewhere: Sequence[str] = (),
) -> Survey:
    """Ask a box where these runs lie, and what else lies below the roots.

    ``earlier`` are paths where there may still be one, ``elsewhere`` places that are searched as
    far as time allows, and after them all other disks of a box that is not this very machine.
    Raises ActionError.
    """
    request = {
        **{"op": "survey", "runs": list(runs), "roots": list(roots)},
        **{"earlier": list(earlier), "elsewhere": list(elsewhere)},
        **{"widely": bool(elsewhere), "asker": asker()},
        **{"markers": list(files.MARKERS), "pruned": list(files.PRUNED)},
        "depth": files.SEARCH_DEPTH + 1,
    }
    places: list[Place] = []
    troubles: list[Trouble] = []
    partly: list[str] = []
    searched: list[str] = []
    done: dict[str, Any] = {}
    with Program(shell, MODULE, request) as program:
        for reply in program.replies(program.first, SURVEY_SECONDS):
            if not isinstance(reply, Message):
                raise ActionError("protocol", "the box sent data that nobody asked for")
            values = reply.values
            if "place" in values:
                places.append(converted(values["place"], Place))
            elif "trouble" in values:
                troubles.append(_trouble(values["trouble"]))
            elif isinstance(values.get("partly"), str):
                partly.append(values["partly"])
            elif isinstance(values.get("searched"), str):
                searched.append(values["searched"])
            elif isinstance(values.get("done"), dict):
                done = values["done"]
    if len(places) > MOST_RUNS:
        troubles.append(Trouble("the box", f"more than {MOST_RUNS} runs"))
    same = is_here(done, machine())
    return Survey(tuple(places), tuple(troubles), same, tuple(partly), tuple(searched))


def asker() -> str:
    """Return the sign of this machine, empty on a rented instance: all of that may go."""
    return "" if own_instance() else sign(machine())


def is_here(told: Mapping[str, Any], here: Mapping[str, str]) -> bool:
    """Whether this machine may go with the box.

    A container on this machine is a box of its own; who is in one cannot tell whether the box is
    the machine around it.
    """
    if not here["boot"] or told.get("boot") != here["boot"]:
        return False
    return told.get("processes") == here["processes"] or here["processes"] != OUTERMOST


def _trouble(values: object) -> Trouble:
    told = converted(values, Trouble)
    return Trouble(told.path, said(told.reason, 200), told.root)
