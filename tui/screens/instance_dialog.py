"""Asks before an instance is stopped, started or destroyed: everything that is known, then a yes.

Cancel has the focus every time. A destroy, and whatever the gate refuses, takes the typed name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from tui.actions.instance_consequence import plan_lines
from tui.actions.instance_plan import Consent, Plan
from tui.actions.instance_words import question
from tui.money.advice import Line, Tone
from tui.screens.dialog import Dialog, line
from tui.text import one_line
from tui.widgets.field import Field

Way = Literal["push", "pull", "kill"]
"""What helps against a refusal, and is a key of its own."""

HELPS: dict[Way, str] = {"push": "Push now", "pull": "Pull now", "kill": "End the training"}
_KINDS: dict[Tone, str] = {"plain": "", "good": "dialog-good", "bad": "dialog-bad", "dim": ""}
_WIDE = 12


def line_text(told: Line) -> str:
    """Return a line with its heading in front of it."""
    return f"{told.heading}: {told.text}" if told.heading else told.text


class InstanceDialog(Dialog[Consent | Way]):
    """The plan, and the answer to it: a consent, what helps first, or None for no."""

    is_guarded = True

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan
        self.heading = f"{plan.action} an instance"

    def body(self) -> Iterable[Widget]:
        """Yield the plan's lines, what helps, and for a name a field."""
        for number, told in enumerate(plan_lines(self.plan)):
            kind = _KINDS[told.tone] if number else "dialog-strong"
            yield line(one_line(line_text(told), 600), kind)
        judgement = self.plan.judgement
        for way, text in HELPS.items():
            if judgement is not None and way in judgement.offers:
                yield Button(text, id=way, classes="dialog-way")
        if self.plan.needs == "name":
            yield line(one_line(question(self.plan), 300), "dialog-strong")
            yield Field(id="name")
            yield Static("", id="name-error", classes="dialog-bad", markup=False)

    def buttons(self) -> Iterable[Button]:
        """Cancel, and the action."""
        yield Button("Cancel", id="cancel")
        yield Button(self.plan.action.capitalize(), id="act", variant="error")

    def first_focus(self) -> Widget:
        """Cancel, every time."""
        return self.query_one("#cancel", Button)

    def typed_field(self) -> Input | None:
        """Typing is the name's, though Cancel has the focus."""
        return self.query_one("#name", Input) if self.plan.needs == "name" else None

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Do it, if the name was typed."""
        event.stop()
        self._take()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer."""
        event.stop()
        match event.button.id:
            case "act":
                self._take()
            case "push" | "pull" | "kill" as way:
                self.dismiss(way)
            case _:
                self.cancel()

    def _take(self) -> None:
        if self.plan.needs == "yes":
            self.dismiss(Consent())
            return
        typed = self.query_one("#name", Input).value
        if self.plan.is_named(typed):
            self.dismiss(Consent(typed, self.plan.refused))
            return
        name = one_line(self.plan.names[0])
        self.query_one("#name", Input).focus()
        self.query_one("#name-error", Static).update(
            Content(f"type {name} to {self.plan.action} it")
        )
