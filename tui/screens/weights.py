"""Keys that get weights out: the dialogs before a transfer, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tui.actions.access import FleetAccess
from tui.actions.auto_push import AutoPush
from tui.actions.errors import ActionError
from tui.actions.hub_account import Checked
from tui.actions.hub_names import filled, safe_name
from tui.actions.hub_problem import HubError
from tui.actions.hub_token import find_token
from tui.actions.journal import Journal
from tui.actions.push_plan import PushPlan
from tui.actions.push_words import confirm_lines
from tui.actions.saving import Saving
from tui.actions.transfer import BoxAccess, Pull, TransferView, kind_of, run_of
from tui.actions.transfers import Transfers
from tui.config.settings import HubSettings
from tui.errors import UserError
from tui.links.base import Asker, LinkError
from tui.runs.embargo import Embargo
from tui.screens.feed import BoxesChanged
from tui.screens.rows import Row
from tui.screens.weight_choices import choices, title
from tui.view import RunView
from tui.watch.fleet import Fleet

if TYPE_CHECKING:
    from tui.app import BoxtopApp
    from tui.screens.looking import Looking
    from tui.screens.pull_dialog import PullWish
    from tui.screens.push_dialog import PushWish

SAVED_SECONDS = 20.0
"""A transfer that ended well, or was cancelled, is shown for so long."""


@dataclass(frozen=True)
class WeightsDesk:
    """What getting weights out needs; ``read_only`` forbids it."""

    transfers: Transfers
    access: Callable[[str], BoxAccess | None]
    hub: HubSettings
    read_only: bool = False
    auto: AutoPush | None = None
    journal: Journal | None = None

    def close(self) -> None:
        """Begin nothing more; what a box uploads goes on."""
        if self.auto is not None:
            self.auto.close()
        self.transfers.close()


def open_desk(
    fleet: Fleet,
    asker: Asker,
    hub: HubSettings,
    *,
    read_only: bool,
    data: Path | None = None,
) -> WeightsDesk:
    """Return a desk for the boxes of a fleet, and look after pushes of earlier days.

    ``data`` is where the journal of what was done lies, None for nowhere.
    """
    access = FleetAccess(fleet, asker)
    transfers = Transfers(access, embargo=Embargo(data) if data is not None else None)
    if read_only:
        return WeightsDesk(transfers, access, hub, read_only=True)
    auto = AutoPush(fleet, transfers, access, hub, claimed=access.claimed)
    auto.start()
    journal = Journal(data) if data is not None else None
    return WeightsDesk(transfers, access, hub, auto=auto, journal=journal)


class Weights:
    """Opens the dialogs of an app, and starts what was agreed to."""

    def __init__(self, app: BoxtopApp, desk: WeightsDesk) -> None:
        self.app = app
        self.desk = desk
        desk.transfers.subscribe(lambda _view: app.post_message(BoxesChanged()))

    def shown(self) -> tuple[TransferView, int] | None:
        """Return the transfer that is shown, and how many more there are; None for none.

        One that failed stays until it is dismissed, one that ended well for a while.
        """
        now = self.app.steady_time()
        views = [
            view
            for view in self.desk.transfers.views()
            if not view.is_over or view.state == "failed" or now - view.at < SAVED_SECONDS
        ]
        if not views:
            return None
        first = next((view for view in views if view.state == "failed"), views[0])
        return first, len(views) - 1

    def end(self) -> None:
        """Cancel the transfer that is shown, or dismiss it when it is over.

        Of one that failed everything is told first: its row may have had no room for the next step.
        """
        shown = self.shown()
        if shown is None:
            self.app.say("nothing is being transferred")
            return
        view = shown[0]
        if view.state == "failed":
            self._tell_failed(view)
        elif view.is_over:
            self.desk.transfers.dismiss(view.number)
        else:
            self.desk.transfers.cancel(view.number)
        self.app.refresh_views()

    def _tell_failed(self, view: TransferView) -> None:
        from tui.screens.push_dialog import AskDialog

        what = f"{', '.join(view.names)} of {view.run_id} on {view.box}"
        lines = [view.text, view.hint or "", f"{what}, to {view.where}"]

        def closed(_yes: bool | None) -> None:
            self.desk.transfers.dismiss(view.number)
            self.app.refresh_views()

        self.app.push_screen(AskDialog(f"{view.kind} failed", lines), closed)

    def undone(self) -> list[str]:
        """Return what is on its way and would be cut off or lost sight of, in words."""
        return [
            f"{view.kind} of {view.run_id} on {view.box} is on its way"
            for view in self.desk.transfers.views()
            if view.state == "running"
        ]

    def push(self, row: Row | None) -> None:
        """Ask what to push and where to."""
        from tui.screens.push_dialog import PushDialog

        found = self._run(row, "push")
        if found is None or row is None:
            return
        hub = self.desk.hub
        place = ""
        if hub.to is not None:
            try:
                place = str(filled(hub.to, found.run.id, row.box.name))
            except UserError as error:
                self.app.say(str(error))
        dialog = PushDialog(title(row), choices(found), place, hub.via)
        self.app.push_screen(dialog, lambda wish: self._wished(row, found, wish))

    def pull(self, row: Row | None) -> None:
        """Ask what to pull and whereto."""
        from tui.screens.pull_dialog import PullDialog

        found = self._run(row, "pull")
        if found is None or row is None:
            return
        directory = str(Path.cwd() / safe_name(f"{row.box.name}-{found.run.id}"))
        dialog = PullDialog(title(row), choices(found), directory)
        self.app.push_screen(dialog, lambda wish: self._pull(row, found, wish))

    def _run(self, row: Row | None, action: str) -> RunView | None:
        if self.desk.read_only:
            self.app.say(f"--read-only forbids {action}")
        elif row is None or row.run is None:
            self.app.say(f"select a run to {action}")
        elif not row.run.run.checkpoints:
            self.app.say(f"{row.run.run.id} has no checkpoint yet")
        elif self._is_moving(row, action):
            self.app.say(f"weights of {row.run.run.id} are on their way already")
        else:
            return row.run
        return None

    def _is_moving(self, row: Row, action: str) -> bool:
        """Whether the same is going on; one that waits for its next try holds up nothing."""
        assert row.run is not None
        return any(
            view.kind == action and not view.is_over and view.retry_in_s is None
            for view in self.desk.transfers.views(row.box.name, row.run.run.path)
        )

    def _start(self, task: PushPlan | Pull) -> None:
        """Begin what was agreed to; what waits for its next try gives way only now."""
        for view in self.desk.transfers.views(task.box, run_of(task)[0]):
            if view.kind == kind_of(task) and view.retry_in_s is not None:
                self.desk.transfers.give_way(view.number)
        self.desk.transfers.start(task)

    def _pull(self, row: Row, view: RunView, wish: PullWish | None) -> None:
        if wish is not None:
            run = view.run
            self._start(Pull(row.box.name, run.path, run.id, wish.names, wish.directory))

    def _wished(self, row: Row, view: RunView, wish: PushWish | None) -> None:
        if wish is None:
            return
        plan = PushPlan(
            box=row.box.name,
            run=view.run,
            names=wish.names,
            place=wish.place,
            via=wish.via,
            private=self.desk.hub.private,
            console=view.console_path,
            provider=row.box.rent.provider if row.box.rent else None,
        )
        self._ask_hub(plan)

    def _ask_hub(self, plan: PushPlan, *, install: bool = False) -> None:
        """Ask the Hub in a thread, and go on with its answer."""
        from tui.screens.looking import Looking

        step = "installing huggingface_hub on the box" if install else "asking the Hub"
        look = Looking("push", f"{', '.join(plan.names)} to {plan.place}", step)
        self.app.push_screen(
            look, lambda ended: None if ended else self.app.say("nothing is pushed")
        )
        self.app.run_worker(
            lambda: self._checked(plan, look, install=install), thread=True, exit_on_error=False
        )

    def _checked(self, plan: PushPlan, look: Looking, *, install: bool) -> None:
        """In a thread: who the token is, what it may do there, whether it is public."""
        go_on: Callable[[], None]
        try:
            token = find_token()
            box = self.desk.access(plan.box)
            if box is None:
                raise ActionError("usage", f"{plan.box} is not watched any more")
            saving = Saving(box.shell(), box.proofs)
            try:
                if install:
                    saving.install(token, plan.place)
                found = saving.check(token, plan.place, plan.via)
            finally:
                saving.close()
        except HubError as error:
            problem = error.problem
            can_install = problem.kind == "no_client" and plan.via == "box" and not install
            lines = [problem.message, problem.hint or ""]
            go_on = lambda: self._refused(plan, lines, can_install=can_install)  # noqa: E731
        except (ActionError, LinkError) as error:
            lines = [str(error), error.hint or ""]
            go_on = lambda: self._refused(plan, lines, can_install=False)  # noqa: E731
        else:
            source = token.source
            go_on = lambda: self._confirm(plan, found, source)  # noqa: E731
        self.app.call_from_thread(look.then, go_on)

    def _refused(self, plan: PushPlan, lines: list[str], *, can_install: bool) -> None:
        from tui.screens.push_dialog import AskDialog

        if not can_install:
            self.app.push_screen(AskDialog("not pushed", lines))
            return
        question = "Install it there, into ~/.cache/boxtop/packages? Its training is not touched."
        dialog = AskDialog("huggingface_hub is missing", [lines[0], question], "Install")

        def answered(yes: bool | None) -> None:
            if yes:
                self._ask_hub(plan, install=True)

        self.app.push_screen(dialog, answered)

    def _confirm(self, plan: PushPlan, found: Checked, source: str) -> None:
        from tui.screens.push_dialog import ConfirmPush

        if found.place.exists:
            plan = replace(plan, private=found.place.private is not False)
        files = ", ".join(plan.names)
        lines = list(confirm_lines(plan, files, found, source))

        def answered(yes: bool | None) -> None:
            if yes:
                self._start(replace(plan, public=not plan.private))

        self.app.push_screen(ConfirmPush(lines, is_public=not plan.private), answered)
