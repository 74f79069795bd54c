"""What a person wants when the training on a box is done: weights saved, and the bill ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from tui.actions.instance_plan import Bound
from tui.errors import UserError, closest
from tui.text import one_line

Save = Literal["push", "pull"]
End = Literal["stop", "destroy"]
Also = Literal["failed", "dead"]

SAVES: tuple[Save, ...] = get_args(Save)
ENDS: tuple[End, ...] = get_args(End)
ALSO: tuple[Also, ...] = get_args(Also)


@dataclass(frozen=True, slots=True)
class Wish:
    """``saves`` are done first, ``end`` last; ``also`` are ends of runs that count as done too."""

    saves: tuple[Save, ...]
    end: End | None = None
    also: frozenset[Also] = frozenset()

    def __str__(self) -> str:
        """``push, pull, destroy``."""
        return ", ".join([*self.saves, *([self.end] if self.end else [])])


@dataclass(frozen=True, slots=True)
class Setting:
    """A finish line of one box. With an ``end`` it is bound to one instance from now on.

    ``typed`` is the name that a person typed when it was set: without it nothing is destroyed.
    Raises ValueError for a setting that could end what nobody named.
    """

    box: str
    wish: Wish
    bound: Bound | None = None
    typed: str | None = None

    def __post_init__(self) -> None:
        if self.wish.end is not None and self.bound is None:
            raise ValueError(f"no instance is named to {self.wish.end}")
        if self.wish.end == "destroy" and not self.typed:
            raise ValueError("nobody typed the name of what is to be destroyed")
        if not self.wish.saves and self.wish.end is None:
            raise ValueError("nothing is asked for")


def parse_wish(when_done: str, also: str = "") -> Wish:
    """Return what ``push,pull,stop`` and ``failed,dead`` ask for. Raises UserError."""
    words = _words(when_done, (*SAVES, *ENDS), "--when-done")
    ends = [end for end in ENDS if end in words]
    if len(ends) > 1:
        raise UserError("--when-done can stop or destroy, not both", "leave one of them out")
    more = _words(also, ALSO, "--also") if also else []
    return Wish(
        saves=tuple(save for save in SAVES if save in words),
        end=ends[0] if ends else None,
        also=frozenset(word for word in ALSO if word in more),
    )


def _words(text: str, known: Iterable[str], option: str) -> list[str]:
    names = list(known)
    words = [word.strip() for word in text.split(",") if word.strip()]
    for word in words:
        if word not in names:
            near = closest(word, names)
            guess = f"did you mean {near}? " if near else ""
            raise UserError(
                f"{option}: {one_line(word, 40)!r} is not known",
                f"{guess}it takes {', '.join(names)}, with commas between",
            )
    if not words:
        raise UserError(f"{option} names nothing", f"it takes {', '.join(names)}")
    return words
