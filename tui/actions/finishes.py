"""Finish lines at work: one thread for each box looks, saves, lets the gate look, and ends it.

Nothing of them outlives this process. What was sent to a provider goes on there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.finish_check import Finding, checked, of_error, of_report
from tui.actions.finish_desk import FinishDesk
from tui.actions.finish_journal import ended_entry, set_entry
from tui.actions.finish_line import Act, Begin, FinishLine, FinishView, Order, Seen, Verify
from tui.actions.finish_saves import task_of
from tui.actions.finish_wish import Setting
from tui.actions.instance_gate import guards
from tui.actions.instance_plan import Consent, Moment, Plan
from tui.actions.instance_words import moment_progress
from tui.actions.journal import Journal
from tui.actions.progress import progress_text
from tui.actions.transfer import TransferView
from tui.debug import record_fault
from tui.errors import UserError
from tui.links.base import LinkError
from tui.providers.errors import ProviderError

JOIN_SECONDS = 5.0


class Finishes:
    """All finish lines, by the names of their boxes. ``told`` is called, from their threads, with
    every change."""

    def __init__(self, desk: FinishDesk, told: Callable[[FinishView], object]) -> None:
        self._desk = desk
        self._told = told
        self._lock = threading.Lock()
        self._all: dict[str, _Finish] = {}
        self._moves: dict[int, TransferView] = {}
        desk.transfers.subscribe(self._take_move)

    def set(self, setting: Setting) -> None:
        """Begin to watch for the end of all training on a box.

        Raises ActionError where a line is set for it already, where nothing can be ended here, and
        where it cannot be written down.
        """
        end, desk = setting.wish.end, self._desk
        if end is not None and (desk.actions is None or desk.sight is None):
            raise ActionError("denied", f"nothing can {end} an instance here")
        with self._lock:
            for other in self._all.values():
                if not other.line.view.is_over and _same(other.line.setting, setting):
                    raise ActionError("busy", f"a finish line of {setting.box} is set already")
            if desk.journal is not None:
                _write(desk.journal, setting)
            finish = self._all[setting.box] = _Finish(setting, desk, self._told, self._moves_of)
        finish.start()

    def views(self) -> tuple[FinishView, ...]:
        """Return how each stands, in the order in which they were set."""
        with self._lock:
            return tuple(finish.line.view for finish in self._all.values())

    def view(self, box: str) -> FinishView | None:
        """Return how the one of a box stands, None where none is set."""
        with self._lock:
            finish = self._all.get(box)
        return None if finish is None else finish.line.view

    def cancel(self, box: str) -> None:
        """End the one of a box: nothing is sent any more."""
        with self._lock:
            finish = self._all.get(box)
        if finish is not None:
            finish.cancel()

    def dismiss(self, box: str) -> None:
        """Forget one that is over."""
        with self._lock:
            finish = self._all.get(box)
            if finish is not None and finish.line.view.is_over:
                del self._all[box]

    def close(self) -> None:
        """End all of them, and wait a moment for what is written down of it."""
        with self._lock:
            finishes = list(self._all.values())
        for finish in finishes:
            finish.cancel()
        for finish in finishes:
            finish.join()

    def _take_move(self, view: TransferView) -> None:
        """Keep how each transfer ended, also of one that somebody hides."""
        self._moves[view.number] = view

    def _moves_of(self, box: str) -> Sequence[TransferView]:
        """Return all transfers of a box; one that gave way to a person's own is none."""
        listed = {view.number: view for view in self._desk.transfers.views(box)}
        ended = {
            number: view
            for number, view in dict(self._moves).items()
            if view.box == box and view.is_over
        }
        return list((ended | listed).values())


def _same(one: Setting, other: Setting) -> bool:
    if one.box == other.box:
        return True
    if one.bound is None or other.bound is None:
        return False
    return (one.bound.provider, one.bound.id) == (other.bound.provider, other.bound.id)


def _write(journal: Journal, setting: Setting) -> None:
    try:
        journal.add(set_entry(setting))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        message = f"no finish line is set: {journal.path} cannot be written ({reason})"
        raise ActionError("denied", message, "make room there, then set it again") from None


class _Finish:
    """One finish line and its thread."""

    def __init__(
        self,
        setting: Setting,
        desk: FinishDesk,
        told: Callable[[FinishView], object],
        moves: Callable[[str], Sequence[TransferView]],
    ) -> None:
        self.line = FinishLine(setting, desk.timing)
        self._desk = desk
        self._told = told
        self._moves = moves
        self._cancel = Cancel()
        self._wake = threading.Event()
        self._has_told = False
        self._shown: FinishView | None = None
        name = f"finish line of {setting.box}"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def cancel(self) -> None:
        """Send nothing more."""
        self._cancel.cancel()
        self.line.cancel()
        self._wake.set()

    def join(self) -> None:
        """Wait a moment for the end."""
        if self._thread.is_alive():
            self._thread.join(JOIN_SECONDS)

    def _run(self) -> None:
        while not self.line.view.is_over:
            try:
                order = self.line.look(self._seen())
                self._tell()
                if order is not None:
                    self._do(order)
                    self._tell()
            except Exception as error:  # noqa: BLE001 - one loud line, and nothing more is done
                record_fault(error)
                self.line.fail(f"boxtop erred: {type(error).__name__}; --debug tells more")
            if not self.line.view.is_over:
                self._wake.wait(self._desk.timing.tick)
                self._wake.clear()
        self._write_down()
        self._tell()

    def _seen(self) -> Seen:
        box = self._desk.boxes.box(self.line.setting.box)
        if box is not None and not self._has_told and box.link.state == "live":
            self._has_told = self._desk.boxes.has_told(box.name)
        moves = self._moves(self.line.setting.box)
        return Seen(self._desk.clock(), box, self._has_told, moves, self._desk.wall())

    def _do(self, order: Order) -> None:
        match order:
            case Begin():
                self._begin(order)
            case Verify():
                self.line.verified(self._desk.clock(), self._verify())
            case Act():
                finding = self._act(order.plan)
                self.line.acted(self._desk.clock(), finding)

    def _begin(self, order: Begin) -> None:
        box = self._desk.boxes.box(self.line.setting.box)
        for work in order.works:
            if box is None or self._cancel.cancelled:
                return
            try:
                task = task_of(work, self.line.setting, box, self._desk.hub, self._desk.folder)
            except UserError as error:
                self.line.fail(f"nothing was sent: {error}")
                return
            number = self._desk.transfers.start(task, automatic=True)
            self.line.begun(work, number)

    def _verify(self) -> Finding:
        """Let the gate look at everything as it is now."""
        try:
            return checked(self._plan(), self.line.setting)
        except (ActionError, ProviderError, LinkError) as error:
            return of_error(error)

    def _plan(self) -> Plan:
        setting, desk = self.line.setting, self._desk
        assert desk.actions is not None and desk.sight is not None
        assert setting.wish.end is not None and setting.bound is not None
        sight = desk.sight(setting.box)
        return desk.actions.plan(setting.wish.end, setting.bound, sight, self._say, self._cancel)

    def _act(self, plan: Plan) -> Finding:
        """Do it, once, through the gate; before a stop that no gate guards all is looked at anew.

        The consent is the name that was typed when it was set, and never to a loss.
        """
        desk, setting = self._desk, self.line.setting
        assert desk.actions is not None and desk.sight is not None
        sight = desk.sight(setting.box)
        try:
            if not guards(plan.action, plan.instance):
                plan = self._plan()
                finding = checked(plan, setting)
                if finding.plan is None:
                    return finding
            consent = Consent(setting.typed, lose_weights=False)
            report = desk.actions.act(plan, consent, sight, self._say, self._cancel)
        except (ActionError, ProviderError, LinkError) as error:
            return of_error(error)
        return of_report(report)

    def _say(self, moment: Moment) -> None:
        self.line.say(progress_text(moment_progress(moment)))
        self._tell()

    def _tell(self) -> None:
        view = self.line.view
        if view != self._shown:
            self._shown = view
            self._told(view)

    def _write_down(self) -> None:
        if self._desk.journal is None:
            return
        try:
            self._desk.journal.add(ended_entry(self.line.view))
        except OSError as error:
            record_fault(error)
