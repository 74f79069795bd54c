"""The one table of keys: dispatch, footer and help are all made from it, so they cannot differ.

It is plain data and imports nothing of the screen, so that a configuration can be checked without.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal

Place = Literal["runs", "chart", "status", "log"]
"""What has the focus: the list of runs, a chart, the facts of a run, or its log."""

PLACES: tuple[Place, ...] = ("runs", "chart", "status", "log")
EVERYWHERE = frozenset(PLACES)

Group = Literal[
    "Move", "Panels", "Runs", "Charts", "Log", "Weights", "Training", "Instance", "Boxtop"
]

FOOTER_MOST = 7
"""More entries do not fit 80 columns, and nobody reads them."""

_EATEN = frozenset(f"ctrl+{letter}" for letter in "hijmabsqz[")
"""Keys that terminals, tmux, screen or flow control take before a program sees them."""

_NAMED = frozenset(
    {"enter", "escape", "tab", "space", "backspace", "delete", "insert", "home", "end"}
    | {"pageup", "pagedown", "up", "down", "left", "right"}
    | {f"f{number}" for number in range(1, 13)}
)


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a key does: ``keys[0]`` can be rebound, the others always work too.

    One without a key is done from the palette, or by a key that a person binds.

    ``label`` stands in the footer of the places named in ``footer``, in the order of its numbers.
    """

    id: str
    keys: tuple[str, ...]
    label: str
    help: str
    group: Group
    places: frozenset[Place] = EVERYWHERE
    footer: tuple[tuple[Place, int], ...] = ()

    @property
    def key(self) -> str:
        """The key that is shown, "" where there is none."""
        return self.keys[0] if self.keys else ""

    def rank(self, place: Place) -> int | None:
        """Where the action stands in a place's footer, None when it does not."""
        return dict(self.footer).get(place)


def _in(*places: Place) -> frozenset[Place]:
    return frozenset(places)


ACTIONS: tuple[Action, ...] = (
    Action("up", ("k", "up"), "up", "one line up", "Move"),
    Action("down", ("j", "down"), "down", "one line down", "Move"),
    Action("left", ("h", "left"), "left", "log: scroll left", "Move", _in("log")),
    Action("right", ("l", "right"), "right", "log: scroll right", "Move", _in("log")),
    Action("page_up", ("ctrl+u", "pageup"), "page up", "half a page up", "Move"),
    Action("page_down", ("ctrl+d", "pagedown"), "page down", "half a page down", "Move"),
    Action("top", ("g", "home"), "top", "to the first line", "Move"),
    Action("bottom", ("G", "end"), "bottom", "to the last line; the log follows", "Move"),
    Action(
        *("open", ("enter",), "open", "open the selected run", "Runs", _in("runs")),
        footer=(("runs", 1),),
    ),
    Action(
        *("back", ("escape",), "back", "one layer back; never quits", "Panels"),
        footer=(("chart", 6), ("status", 6), ("log", 6)),
    ),
    Action("next_panel", ("tab",), "panel", "next panel", "Panels"),
    Action("previous_panel", ("shift+tab",), "panel", "previous panel", "Panels"),
    Action("panel_1", ("1",), "runs", "panel 1: runs, or a run's status", "Panels"),
    Action("panel_2", ("2",), "loss", "panel 2: losses", "Panels"),
    Action("panel_3", ("3",), "metrics", "panel 3: validation metrics", "Panels"),
    Action("panel_4", ("4",), "rate", "panel 4: learning rate", "Panels"),
    Action("panel_5", ("5",), "log", "panel 5: log", "Panels"),
    Action(
        *("zoom", ("z",), "zoom", "panel on the whole screen, and back", "Panels"),
        footer=(("chart", 5), ("status", 2), ("log", 5)),
    ),
    Action(
        *("filter", ("/",), "filter", "runs: show only those that match", "Runs"),
        places=_in("runs", "chart", "status"),
        footer=(("runs", 2),),
    ),
    Action("search", ("/",), "search", "log: search", "Log", _in("log"), (("log", 2),)),
    Action("next_match", ("n",), "next", "log: next match", "Log", _in("log"), (("log", 3),)),
    Action("previous_match", ("N",), "previous", "log: match before", "Log", _in("log")),
    Action("sort", ("s",), "sort", "runs: next order", "Runs", footer=(("runs", 3),)),
    Action("reverse", ("I",), "reverse", "runs: turn the order around", "Runs"),
    Action("follow", ("f",), "follow", "log: follow its end", "Log", footer=(("log", 1),)),
    Action(
        "other_log",
        ("o",),
        "other log",
        "train.log or the console log",
        "Log",
        footer=(("log", 4),),
    ),
    Action(
        "smooth_more", ("+", "="), "smooth", "charts: smoother", "Charts", footer=(("chart", 1),)
    ),
    Action("smooth_less", ("-",), "rougher", "charts: less smooth", "Charts"),
    Action("smooth_none", ("0",), "raw", "charts: as measured", "Charts"),
    Action(
        *("log_y", ("l",), "log-y", "charts: logarithmic height", "Charts"),
        places=_in("runs", "chart", "status"),
        footer=(("chart", 2),),
    ),
    Action("axis", ("x",), "axis", "charts: by epoch or by time", "Charts", footer=(("chart", 3),)),
    Action(
        "metrics", ("m",), "metrics", "charts: choose the metrics", "Charts", footer=(("chart", 4),)
    ),
    Action(
        *("push", ("P",), "push", "push weights to the Hugging Face Hub", "Weights"),
        footer=(("status", 4),),
    ),
    Action("pull", ("W",), "pull", "pull weights to this machine", "Weights"),
    Action("kill", ("K",), "kill", "end the training; the box bills on", "Training"),
    Action("stop", ("S",), "stop", "stop the instance; its disk bills on", "Instance"),
    Action("start", (), "start", "start a stopped instance", "Instance"),
    Action("destroy", ("D",), "destroy", "destroy the instance and its disk", "Instance"),
    Action("finish", ("F",), "finish", "finish line: save, then end the box", "Instance"),
    Action("end_transfer", ("X",), "cancel", "cancel a transfer, or hide its end", "Weights"),
    Action("alerts", ("A",), "alerts", "alerts told while you were away", "Boxtop"),
    Action("pause", ("p",), "pause", "hold the screen still, and go on", "Boxtop"),
    Action(
        *("reconnect", ("r",), "reconnect", "connect the box anew now", "Boxtop"),
        footer=(("runs", 4), ("status", 3)),
    ),
    Action(
        *("copy", ("y",), "copy", "copy line, path or ssh command", "Boxtop"),
        footer=(("runs", 5), ("status", 1)),
    ),
    Action("plain", ("Y",), "plain", "show it plainly, to copy by hand", "Boxtop"),
    Action("add", ("a",), "add box", "watch one more box", "Boxtop"),
    Action("theme", ("t",), "theme", "dark or light", "Boxtop"),
    Action(
        *("palette", (":", "ctrl+p"), "commands", "find any command or run", "Boxtop"),
        footer=(("runs", 6),),
    ),
    Action(
        *("help", ("?", "f1"), "help", "this page", "Boxtop"),
        footer=(("runs", 7), ("chart", 7), ("status", 7), ("log", 7)),
    ),
    Action("quit", ("q", "ctrl+c"), "quit", "leave; trainings go on", "Boxtop"),
)


class KeyMap:
    """The table with a person's own keys in it."""

    def __init__(self, actions: Iterable[Action] = ACTIONS) -> None:
        self.actions = tuple(actions)
        self._by_id = {action.id: action for action in self.actions}

    def __getitem__(self, action_id: str) -> Action:
        return self._by_id[action_id]

    def at(self, place: Place) -> tuple[Action, ...]:
        """All actions that a key can reach in a place."""
        return tuple(action for action in self.actions if place in action.places)

    def footer(self, place: Place) -> tuple[Action, ...]:
        """The few actions that a place's footer names, in their order."""
        ranked = [(action.rank(place), action) for action in self.at(place)]
        shown = sorted((rank, action.id) for rank, action in ranked if rank is not None)
        return tuple(self._by_id[action_id] for _, action_id in shown[:FOOTER_MOST])

    def find(self, key: str, place: Place) -> Action | None:
        """The action of a key in a place, None when it has none."""
        return next((action for action in self.at(place) if key in action.keys), None)


def bind(mapping: Mapping[str, str]) -> tuple[KeyMap, tuple[str, ...]]:
    """Return the table with ``[keys]`` of boxtop.toml (action id = key) and all errors in it.

    An entry with an error is left out; the default key stays.
    """
    errors: list[str] = []
    known = {action.id: action for action in ACTIONS}
    own: set[str] = set()
    for action_id, key in mapping.items():
        problem = _problem(action_id, key, known)
        if problem:
            errors.append(problem)
        else:
            own.add(action_id)
            known[action_id] = replace(known[action_id], keys=(key, *known[action_id].keys[1:]))
    for first, second, key in _conflicts(known.values(), frozenset(own)):
        errors.append(f"keys.{first}: {shown(key)} is already the key of {second}")
        known[first] = next(action for action in ACTIONS if action.id == first)
    return KeyMap(known.values()), tuple(errors)


def _problem(action_id: str, key: str, known: Mapping[str, Action]) -> str | None:
    if action_id not in known:
        near = get_close_matches(action_id, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(known))}"
        return f"keys.{action_id}: no such action; {hint}"
    if key.startswith("shift+") and len(key) == len("shift+x"):
        return f"keys.{action_id}: write {key[-1].upper()} instead of {key}: terminals send that"
    if key in _EATEN or key.startswith("alt+"):
        return f"keys.{action_id}: {key} does not arrive: terminals or tmux keep it for themselves"
    is_control = key.startswith("ctrl+") and len(key) == len("ctrl+x") and key[-1].isalpha()
    if len(key) == 1 and key.isprintable() and key != " ":
        return None
    if key in _NAMED or is_control:
        return None
    return f"keys.{action_id}: {key!r} is no key; write one character, ctrl+x, f1 to f12 or enter"


def _conflicts(actions: Iterable[Action], own: frozenset[str]) -> list[tuple[str, str, str]]:
    """Return (action, other action, key) where both answer to one key in one place.

    The action that a person bound comes first: it is the one that can be named wrong.
    """
    found: list[tuple[str, str, str]] = []
    seen: dict[tuple[Place, str], Action] = {}
    for action in sorted(actions, key=lambda action: action.id in own):
        for key in action.keys:
            other = next(
                (seen[p, key] for p in PLACES if p in action.places and (p, key) in seen), None
            )
            if other is not None:
                found.append((action.id, other.id, key))
                break
        seen.update({(place, key): action for place in action.places for key in action.keys})
    return found


def shown(key: str, ascii_only: bool = False) -> str:
    """Return a key as people read it: ``⏎``, ``esc``, ``^p``, ``/``."""
    words = {
        "enter": "enter" if ascii_only else "⏎",
        "escape": "esc",
        "pageup": "pgup",
        "pagedown": "pgdn",
        "space": "spc",
    }
    if key.startswith("ctrl+"):
        return f"^{key[-1]}"
    return words.get(key, key)
