"""The key for finish lines: set one, see it all the time, and cancel it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui.actions.errors import ActionError
from tui.actions.finish_desk import FinishDesk, FleetBoxes
from tui.actions.finish_line import FinishView
from tui.actions.finish_saves import no_place
from tui.actions.finish_wish import ENDS, End, Save, Setting, Wish
from tui.actions.finish_words import leaving_text, view_text, when_text
from tui.actions.finishes import Finishes
from tui.actions.hub_problem import HubError
from tui.actions.hub_token import find_token
from tui.actions.instance_plan import Bound
from tui.screens.feed import BoxesChanged
from tui.screens.finish_dialog import FinishAnswer, FinishDialog, FinishOffer
from tui.screens.push_dialog import AskDialog
from tui.screens.rows import Row
from tui.text import said, said_path
from tui.watch.fleet import Fleet
from tui.widgets.finish_strip import FinishStrip

if TYPE_CHECKING:
    from tui.app import BoxtopApp
    from tui.screens.monitor import MonitorScreen

STRIP = "finish-strip"
FOLDER_CELLS = 40
"""Of a longer directory its end is shown: a dialog has no room for all."""

_BAD = ("refused", "failed", "unconfirmed")


def open_finishing(app: BoxtopApp, fleet: Fleet, setting: Setting | None) -> Finishing | None:
    """Return what sets finish lines of a fleet, with the first one set; None without transfers."""
    app.questions.open_weights()
    weights, instances = app.questions.weights, app.questions.instances
    if weights is None:
        return None
    desk = FinishDesk(
        FleetBoxes(fleet),
        weights.desk.transfers,
        weights.desk.hub,
        actions=None if instances is None else instances.desk.actions,
        sight=None if instances is None else instances.desk.sight,
        journal=weights.desk.journal,
    )
    finishing = Finishing(app, fleet, desk, read_only=weights.desk.read_only)
    if setting is not None:
        finishing.set(setting)
    return finishing


class Finishing:
    """All finish lines of an app; ``read_only`` forbids them."""

    def __init__(
        self, app: BoxtopApp, fleet: Fleet, desk: FinishDesk, *, read_only: bool = False
    ) -> None:
        self.app = app
        self.desk = desk
        self.finishes = Finishes(desk, self._told)
        self._fleet = fleet
        self._read_only = read_only
        self._rung: set[tuple[str, str]] = set()
        self._refused: list[str] = []

    def set(self, setting: Setting) -> None:
        """Set one; what stands against it is told, also when boxtop is left."""
        try:
            self.finishes.set(setting)
        except ActionError as error:
            self._refused.append(f"no finish line was set: {error}")
            self.app.push_screen(AskDialog("no finish line is set", [str(error), error.hint or ""]))
        self.app.refresh_views()

    def key(self, row: Row | None) -> None:
        """Cancel the countdown that is shown, hide what is over, or ask about the row's box."""
        urgent = self._shown()
        if urgent is not None and urgent.phase in ("counting", "acting", "over"):
            self._answer(urgent)
        elif row is None:
            self.app.say("select a box for a finish line")
        elif (view := self.finishes.view(row.box.name)) is not None:
            self._answer(view)
        elif self._read_only:
            self.app.say("--read-only forbids a finish line")
        else:
            self._ask(row)
        self.app.refresh_views()

    def show(self, screen: MonitorScreen) -> None:
        """Show the finish line that matters most on a screen, whatever is its size."""
        view = self._shown()
        strips = screen.query(FinishStrip)
        if not strips and view is not None and screen.footer.is_attached:
            strip = FinishStrip(id=STRIP)
            screen.mount(strip, before=screen.footer)
            strip.show(view, len(self.finishes.views()) - 1)
        for strip in strips:
            strip.show(view, len(self.finishes.views()) - 1)

    def undone(self) -> list[str]:
        """Return which would end with boxtop, in words."""
        return [leaving_text(view) for view in self.finishes.views() if not view.is_over]

    def close(self) -> list[str]:
        """End all; return what is left undone, and what was done, in words."""
        views = self.finishes.views()
        self.finishes.close()
        after = self.finishes.views()
        told = [
            end if was.is_over or end.result in ("done", "unconfirmed") else was
            for was, end in zip(views, after, strict=True)
        ]
        return [*self._refused, *(leaving_text(view) for view in told)]

    def _shown(self) -> FinishView | None:
        return min(self.finishes.views(), key=_rank, default=None)

    def _answer(self, view: FinishView) -> None:
        box = view.setting.box
        if view.phase in ("counting", "acting"):
            self.finishes.cancel(box)
            self.app.say(f"finish line of {box}: what was not sent is not sent any more")
        elif view.result in ("done", "cancelled"):
            self.finishes.dismiss(box)
        elif view.is_over:
            self.app.push_screen(
                AskDialog("the finish line was NOT reached", [view.text, *view.lines]),
                lambda _: self._hide(box),
            )
        else:
            dialog = AskDialog(
                "finish line", [when_text(view.setting), view_text(view)], "Cancel it"
            )
            self.app.push_screen(dialog, lambda yes: self.finishes.cancel(box) if yes else None)

    def _hide(self, box: str) -> None:
        self.finishes.dismiss(box)
        self.app.refresh_views()

    def _ask(self, row: Row) -> None:
        """Ask what shall be done; the instance is bound by its id from now on."""
        rent, box = row.box.rent, row.box.name
        bound = None
        if rent is not None and rent.is_listed and not rent.gone:
            bound = Bound.shown(rent, box)
        names: Sequence[str] = ()
        if bound is not None and self.desk.actions is not None:
            names = self.desk.actions.names(bound)
        ends, why = self._ends(row)
        offer = FinishOffer(
            [*_lines(row, bound, self.app.key_of("finish")), *([why] if why else [])],
            frozenset[Save](("push", "pull") if self.desk.hub.to else ("pull",)),
            ends if names else frozenset(),
            names,
            self._problem,
            said_path(str(self.desk.folder), FOLDER_CELLS),
        )

        def answered(answer: FinishAnswer | None) -> None:
            if answer is not None:
                end = answer.wish.end
                self.set(Setting(box, answer.wish, bound if end else None, answer.typed))

        self.app.push_screen(FinishDialog(offer), answered)

    def _ends(self, row: Row) -> tuple[frozenset[End], str]:
        """Return what can be done to the instance, and why not more."""
        rent = row.box.rent
        if rent is None:
            return frozenset(), "nobody is known who rents it out: it can only be saved"
        if self.desk.actions is None:
            return frozenset(), "nothing can be ended without a journal: it can only be saved"
        if any(box.run for box in self._fleet.boxes_watched() if box.name == row.box.name):
            return frozenset(), "one of its runs is watched alone: it can only be saved"
        ends = frozenset[End](end for end in ENDS if end not in rent.cannot)
        why = [f"no {end}: {said(rent.cannot[end], 160)}" for end in ENDS if end in rent.cannot]
        return ends, "; ".join(why)

    def _problem(self, wish: Wish) -> str | None:
        """Return what is known now to stand against a wish."""
        if "push" not in wish.saves:
            return None
        if self.desk.hub.to is None:
            return str(no_place())
        try:
            find_token()
        except HubError as error:
            return str(error)
        return None

    def _told(self, view: FinishView) -> None:
        """From a finish line's thread: show it, and ring for a countdown and for a bad end."""
        self.app.post_message(BoxesChanged())
        if view.phase == "counting" or view.result in _BAD or view.stuck:
            self.app.call_later(self._ring, (view.setting.box, view.phase))

    def _ring(self, what: tuple[str, str]) -> None:
        if what not in self._rung and not self.app._exit:
            self._rung.add(what)
            self.app.bell()


def _rank(view: FinishView) -> tuple[int, float]:
    order = {"acting": 0, "counting": 1, "over": 2, "verifying": 4, "saving": 4, "waiting": 5}
    if view.stuck:
        return 3, 0.0
    bad = 0.0 if view.result in _BAD else 1.0
    return order[view.phase], view.left_s if view.left_s is not None else bad


def _lines(row: Row, bound: Bound | None, key: str) -> Sequence[str]:
    box = row.box
    return [
        f"{box.name}: when all of its training has ended",
        f"it is {bound}" if bound is not None else f"its runs: {len(box.runs)}",
        "boxtop has to stay open till then; "
        f"before an end it rings and counts down, and {key} cancels",
    ]
