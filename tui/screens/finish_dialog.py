"""Asks what shall be done when all training on a box is done; a destroy takes the typed name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from tui.actions.finish_wish import ALSO, End, Save, Wish
from tui.screens.dialog import Dialog, line
from tui.text import one_line
from tui.widgets.field import Field

SAVES: tuple[tuple[tuple[Save, ...], str], ...] = (
    (("push",), "push best.pt and last.pt to the Hub"),
    (("pull",), "pull best.pt and last.pt, below {here}"),
    (("push", "pull"), "push best.pt and last.pt, and pull them, below {here}"),
    ((), "save nothing (what is not saved stays)"),
)
ENDS: tuple[tuple[End | None, str], ...] = (
    (None, "leave the instance as it is"),
    ("stop", "STOP the instance; its disk bills on"),
    ("destroy", "DESTROY the instance and its disk"),
)
COUNTS = ("completed runs alone are done", "failed and dead runs are done, too")


@dataclass(frozen=True, slots=True)
class FinishOffer:
    """What can be asked for. ``lines`` are told first; ``names`` may be typed for the instance.

    ``problem`` says of a wish why it is not possible, None where it is. What is pulled goes below
    the directory ``here``.
    """

    lines: Sequence[str]
    saves: frozenset[Save]
    ends: frozenset[End]
    names: Sequence[str]
    problem: Callable[[Wish], str | None]
    here: str


@dataclass(frozen=True, slots=True)
class FinishAnswer:
    """The wish, and the name as it was typed."""

    wish: Wish
    typed: str | None = None


class FinishDialog(Dialog[FinishAnswer]):
    """Buttons that turn what is saved, what is ended, and which runs count."""

    heading = "when all training is done"
    is_guarded = True

    def __init__(self, offer: FinishOffer) -> None:
        super().__init__()
        self.offer = offer
        self._saves = [one for one in SAVES if set(one[0]) <= offer.saves]
        self._ends = [one for one in ENDS if one[0] is None or one[0] in offer.ends]
        self._turned = {"saves": 0, "ends": 0, "counts": 0}

    @property
    def wish(self) -> Wish | None:
        """What is chosen now, None for nothing at all."""
        saves, end = self._saves[self._turned["saves"]][0], self._ends[self._turned["ends"]][0]
        also = frozenset(ALSO if self._turned["counts"] else ())
        return Wish(saves, end, also) if saves or end else None

    def body(self) -> Iterable[Widget]:
        """Yield the box, the choices, the field for the name, and what is wrong."""
        for number, text in enumerate(self.offer.lines):
            yield line(one_line(text, 400), "" if number else "dialog-strong")
        for id in self._turned:
            yield Button(self._label(id), id=id, classes="dialog-way")
        name = one_line(self.offer.names[0]) if self.offer.names else ""
        asks = line(f"Type {name} to let boxtop destroy it then:", "dialog-strong finish-name")
        field = Field(id="name", classes="finish-name")
        asks.display = field.display = False
        yield asks
        yield field
        yield Static("", id="target-error", markup=False)

    def buttons(self) -> Iterable[Button]:
        """Cancel, or set it."""
        yield Button("Cancel", id="cancel")
        yield Button("Set", id="set", variant="primary")

    def first_focus(self) -> Widget:
        """Cancel, every time."""
        return self.query_one("#cancel", Button)

    def typed_field(self) -> Input | None:
        """Typing is the name's, where one is asked for."""
        field = self.query_one("#name", Input)
        return field if field.display else None

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Set it."""
        event.stop()
        self._take()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Turn a choice, or answer."""
        event.stop()
        match event.button.id:
            case "saves" | "ends" | "counts" as id:
                self._turned[id] = (self._turned[id] + 1) % len(self._choices(id))
                event.button.label = self._label(id)
                self._show_name()
            case "set":
                self._take()
            case _:
                self.cancel()

    def _choices(self, id: str) -> Sequence[str]:
        if id == "counts":
            return COUNTS
        if id == "saves":
            return [text.format(here=self.offer.here) for _, text in self._saves]
        return [text for _, text in self._ends]

    def _label(self, id: str) -> Content:
        return Content(f"{id}: {self._choices(id)[self._turned[id]]}")

    def _show_name(self) -> None:
        wish = self.wish
        for widget in self.query(".finish-name"):
            widget.display = wish is not None and wish.end == "destroy"

    def _take(self) -> None:
        wish = self.wish
        problem = "nothing is asked for" if wish is None else self.offer.problem(wish)
        if wish is None or problem is not None:
            self._tell(problem or "")
            return
        typed = self.query_one("#name", Input).value.strip() or None
        if wish.end == "destroy" and typed not in self.offer.names:
            self.query_one("#name", Input).focus()
            self._tell(f"type {self.offer.names[0]} to let boxtop destroy it then")
            return
        self.dismiss(FinishAnswer(wish, typed if wish.end == "destroy" else None))

    def _tell(self, problem: str) -> None:
        self.query_one("#target-error", Static).update(Content(one_line(problem)))
