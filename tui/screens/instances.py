"""Keys that stop, start and destroy instances: the look, the question, the way, and the end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.instance import InstanceActions
from tui.actions.instance_gate import Sight
from tui.actions.instance_plan import (
    Bound,
    Consent,
    GateRefused,
    Moment,
    NothingToDo,
    Plan,
    Report,
)
from tui.actions.instance_words import moment_progress, report_lines, unwatched_text
from tui.actions.progress import progress_text
from tui.debug import record_fault
from tui.keys import shown
from tui.links.base import LinkError
from tui.providers.errors import ProviderError
from tui.rent import RentAction
from tui.rented.rental import Rental
from tui.screens.instance_dialog import InstanceDialog, Way, line_text
from tui.screens.looking import Looking
from tui.screens.push_dialog import AskDialog
from tui.screens.rows import Row

if TYPE_CHECKING:
    from tui.app import BoxtopApp


@dataclass(frozen=True)
class InstanceDesk:
    """What actions on instances need; ``actions`` is None where no journal can be kept.

    ``sight`` returns how the gate looks at a box, by its name.
    """

    rental: Rental
    actions: InstanceActions | None
    sight: Callable[[str], Sight]
    read_only: bool = False

    def close(self) -> None:
        """Ask no provider any more."""
        self.rental.close()


class Instances:
    """One action per instance at a time, each in a thread of its own."""

    def __init__(self, app: BoxtopApp, desk: InstanceDesk) -> None:
        self.app = app
        self.desk = desk
        self._busy: set[tuple[str, str]] = set()
        self._sent: dict[tuple[str, str], Plan] = {}
        self._cancel = Cancel()

    def ask(self, action: RentAction, row: Row | None) -> None:
        """Look at the instance of a row and its box, and ask; it is bound by its id from now on."""
        problem = self._problem(action, row)
        if problem is not None or row is None or row.box.rent is None:
            self.app.say(problem or "select a box")
            return
        bound = Bound.shown(row.box.rent, row.box.name)
        self._busy.add((bound.provider, bound.id))
        look = Looking(f"{action} an instance", str(bound), "looking at it")
        self.app.push_screen(look, lambda ended: None if ended else self._left(bound))
        self._in_thread(bound, lambda: self._plan(action, bound, row, look), look)

    def undone(self) -> list[str]:
        """Return what was sent and is not confirmed yet, in words."""
        return [
            f"{plan.action} {plan.bound}: nobody will see whether that was done"
            for plan in self._sent.values()
        ]

    def close(self) -> None:
        """Begin nothing more; what was sent to a provider goes on there."""
        self._cancel.cancel()

    def _problem(self, action: RentAction, row: Row | None) -> str | None:
        """Return why there is nothing to ask."""
        if row is None:
            return f"select a box to {action}"
        if self.desk.read_only:
            return f"--read-only forbids {action}"
        if self.desk.actions is None:
            return f"no {action} without a journal: nothing can be kept here (--data-dir)"
        rent = row.box.rent
        if rent is None:
            return f"nobody is known who rents {row.box.name} out: see [providers] in boxtop.toml"
        if action in rent.cannot:
            return f"{row.box.name}: {rent.cannot[action]}"
        if (rent.provider, rent.id) in self._busy:
            return f"{row.box.name}: an action on it is under way already"
        return None

    def _left(self, bound: Bound) -> None:
        self._busy.discard((bound.provider, bound.id))
        self.app.say(f"nothing was sent: {bound} stays as it is")

    def _in_thread(
        self, bound: Bound, act: Callable[[], None], look: Looking | None = None
    ) -> None:
        def run() -> None:
            try:
                act()
            except NothingToDo as so:
                self._tell(bound, "nothing to do", [str(so)], look)
            except GateRefused as error:
                refusals = [one.text for one in error.judgement.refusals]
                lines = [str(error), *refusals, error.hint or ""]
                self._tell(bound, "nothing was sent", lines, look)
            except (ActionError, ProviderError, LinkError) as error:
                self._tell(bound, "nothing was sent", [str(error), error.hint or ""], look)
            except Exception as error:  # noqa: BLE001 - one line, and the screen goes on
                record_fault(error)
                lines = [f"boxtop erred: {type(error).__name__}", "look at the list before again"]
                self._tell(bound, "unconfirmed", lines, look)

        threading.Thread(target=run, name="act on an instance", daemon=True).start()

    def _plan(self, action: RentAction, bound: Bound, row: Row, look: Looking) -> None:
        """In a thread: look at the instance and, for the gate, at its box."""
        assert self.desk.actions is not None

        def show(moment: Moment) -> None:
            self._on_screen(lambda: look.tell(progress_text(moment_progress(moment))))

        sight = self.desk.sight(row.box.name)
        plan = self.desk.actions.plan(action, bound, sight, show, look.stop)
        self._on_screen(lambda: look.then(lambda: self._open(plan, row, sight)))

    def _open(self, plan: Plan, row: Row, sight: Sight) -> None:
        def answered(answer: Consent | Way | None) -> None:
            if isinstance(answer, Consent):
                self._in_thread(plan.bound, lambda: self._act(plan, answer, sight))
                return
            self._left(plan.bound)
            if answer is not None:
                self._help(answer, plan, row)

        self.app.push_screen(InstanceDialog(plan), answered)

    def _help(self, way: Way, plan: Plan, row: Row) -> None:
        """Do what helps first, on the first run that stands against the action."""
        refusals = plan.judgement.refusals if plan.judgement is not None else ()
        paths = [one.path for one in refusals if way in one.offers and one.path is not None]
        box = next((box for box in self.app.boxes if box.name == row.box.name), row.box)
        for run in box.runs:
            if run.run.path in paths:
                self.app.questions.help_with(way, Row(box, run))
                return
        self.app.say(unwatched_text(way, plan.instance, paths[0] if paths else None))

    def _act(self, plan: Plan, consent: Consent, sight: Sight) -> None:
        """In a thread: do it, and wait until the provider's list says so."""
        assert self.desk.actions is not None
        self._sent[plan.bound.provider, plan.bound.id] = plan
        report = self.desk.actions.act(plan, consent, sight, self._show, self._cancel)
        self.desk.rental.publish()
        lines = [line_text(one) for one in report_lines(report)]
        if report.outcome == "queued":
            key = shown(self.app.keymap["stop"].key, self.app.ascii_only)
            lines.insert(1, f"{key} on it cancels the queued start")
        self._tell(plan.bound, _heading(report), lines)

    def _show(self, moment: Moment) -> None:
        self._on_screen(lambda: self.app.say(progress_text(moment_progress(moment))))

    def _tell(
        self, bound: Bound, heading: str, lines: list[str], look: Looking | None = None
    ) -> None:
        """Show how it ended, or how the look before it did; from a thread."""

        def show() -> None:
            self._busy.discard((bound.provider, bound.id))
            self._sent.pop((bound.provider, bound.id), None)
            self.app.hush()
            self.app.push_screen(AskDialog(heading, lines))

        self._on_screen(show if look is None else lambda: look.then(show))

    def _on_screen(self, act: Callable[[], object]) -> None:
        if not self._cancel.cancelled and self.app.is_running:
            self.app.call_from_thread(act)


def _heading(report: Report) -> str:
    if report.outcome == "queued":
        return f"{report.plan.action}: queued, NOT running"
    return report.plan.action if report.well else f"{report.plan.action}: NOT as it should be"
