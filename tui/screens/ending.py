"""The key that ends a training: what will happen, a yes, the way there, and what was seen."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.kill import Killing
from tui.actions.kill_plan import KillMoment, KillPlan, KillRules
from tui.actions.kill_program import NothingToEnd
from tui.actions.kill_tree import Member
from tui.actions.kill_words import hard_lines, moment_progress, plan_lines, report_lines
from tui.actions.progress import progress_text
from tui.actions.shell import Shell
from tui.actions.transfer import BoxAccess
from tui.debug import record_fault
from tui.links.base import LinkError
from tui.runs.ended import EndedFile
from tui.screens.looking import Looking
from tui.screens.push_dialog import AskDialog
from tui.screens.rows import Row
from tui.screens.weights import WeightsDesk

if TYPE_CHECKING:
    from tui.app import BoxtopApp


class Ending:
    """Ends the training of a row, each step in a thread of its own; one at a time."""

    def __init__(self, app: BoxtopApp, desk: WeightsDesk) -> None:
        self.app = app
        self.desk = desk
        self.rules = KillRules()
        self._is_busy = False
        self._killed = ""
        self._cancel = Cancel()

    def kill(self, row: Row | None) -> None:
        """Look at the training's processes, and ask."""
        if self.desk.read_only:
            self.app.say("--read-only forbids kill")
        elif row is None or row.run is None:
            self.app.say("select a run to end")
        elif self._is_busy:
            self.app.say("one training is being ended already")
        else:
            self._is_busy = True
            what = f"{row.run.run.id} on {row.box.name}"
            look = Looking("end a training", what, "looking at its processes")
            self.app.push_screen(look, lambda ended: None if ended else self._left())
            self._in_thread(lambda: self._plan(row, look), look)

    def undone(self) -> list[str]:
        """Return which training was signalled and has not ended yet, in words."""
        return [f"kill {self._killed}: nobody will see whether it ends"] if self._killed else []

    def close(self) -> None:
        """Send nothing more; a training that was signalled is left to itself."""
        self._cancel.cancel()

    def _left(self) -> None:
        self._is_busy = False
        self.app.say("nothing was ended")

    def _in_thread(self, act: Callable[[], None], look: Looking | None = None) -> None:
        def run() -> None:
            try:
                act()
            except (ActionError, LinkError) as error:
                self._tell("nothing was ended", [str(error), error.hint or ""], look)
            except Exception as error:  # noqa: BLE001 - one line, and the screen goes on
                record_fault(error)
                self._tell("nothing was ended", [f"boxtop erred: {type(error).__name__}"], look)

        threading.Thread(target=run, name="end a training", daemon=True).start()

    def _plan(self, row: Row, look: Looking) -> None:
        """In a thread: what would be signalled. Raises ActionError, LinkError."""
        assert row.run is not None
        run, box = row.run.run, self._box(row)
        shell = box.shell()
        try:
            plan = self._killing(shell, box).plan(row.box.name, run, look.stop)
        except NothingToEnd as gone:
            self._tell("nothing to end", [str(gone)], look)
            return
        finally:
            shell.close()
        lines = list(plan_lines(plan, self.rules, row.box.price_per_hour))
        self._on_screen(lambda: look.then(lambda: self._ask(row, plan, lines)))

    def _ask(self, row: Row, plan: KillPlan, lines: list[str]) -> None:
        def answered(yes: bool | None) -> None:
            if yes:
                self._in_thread(lambda: self._kill(row, plan))
            else:
                self._left()

        dialog = AskDialog("end a training", [line.strip() for line in lines], "End it")
        self.app.push_screen(dialog, answered)

    def _kill(self, row: Row, plan: KillPlan) -> None:
        """In a thread: signal and wait. Raises ActionError, LinkError."""
        self._killed = f"{row.box.name} / {plan.run.id}"
        box = self._box(row)
        shell = box.shell()
        try:
            report = self._killing(shell, box).kill(plan, self._agree, self._show, self._cancel)
        finally:
            shell.close()
            box.changed(plan.run.path)
        lines = list(report_lines(report, row.box.price_per_hour))
        self._tell("the training has ended" if report.ended else "NOT ended", lines)

    def _agree(self, members: tuple[Member, ...]) -> bool:
        """Ask for SIGKILL, and wait for the answer: the first yes was not for that."""
        done, answer = threading.Event(), [False]

        def answered(yes: bool | None) -> None:
            answer[0] = bool(yes)
            done.set()

        lines = [line.strip() for line in hard_lines(members)]
        dialog = AskDialog("it does not end", lines, "Send SIGKILL")
        self._on_screen(lambda: self.app.push_screen(dialog, answered))
        while not done.wait(0.2):
            self._cancel.check()
        return answer[0]

    def _show(self, moment: KillMoment) -> None:
        self._on_screen(lambda: self.app.say(progress_text(moment_progress(moment))))

    def _tell(self, heading: str, lines: list[str], look: Looking | None = None) -> None:
        """Show how it ended, or how the look before it did; from a thread."""

        def show() -> None:
            self._is_busy, self._killed = False, ""
            self.app.hush()
            self.app.push_screen(AskDialog(heading, [line.strip() for line in lines]))

        self._on_screen(show if look is None else lambda: look.then(show))

    def _on_screen(self, act: Callable[[], object]) -> None:
        if not self._cancel.cancelled and self.app.is_running:
            self.app.call_from_thread(act)

    def _box(self, row: Row) -> BoxAccess:
        box = self.desk.access(row.box.name)
        if box is None:
            raise ActionError("usage", f"{row.box.name} is not watched any more")
        return box

    def _killing(self, shell: Shell, box: BoxAccess) -> Killing:
        journal = self.desk.journal
        return Killing(shell, lambda run: EndedFile(box.proofs(run)), journal, self.rules)
