"""A finish line in words: what it waits for, what it will do, and that it ends with boxtop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui.actions.finish_saves import SaveStep, weights_of
from tui.actions.finish_wish import Setting
from tui.actions.progress import progress_text
from tui.actions.transfer import TransferView
from tui.rent import RentView
from tui.runs.words import clock_text, count_text
from tui.text import said
from tui.view import BoxView, RunView

if TYPE_CHECKING:
    from tui.actions.finish_line import FinishView

GOES_ON = "what moves goes on"
LOOK = "`boxtop boxes` tells what became of it"
TELLS = "waits until the box has told everything"


def aim_text(setting: Setting) -> str:
    """Return what will be done: ``push and pull the weights, then DESTROY lab (vast 700001)``."""
    wish = setting.wish
    parts = [f"{' and '.join(wish.saves)} the weights"] if wish.saves else []
    if wish.end is not None:
        end = wish.end.upper() if wish.end == "destroy" else wish.end
        parts.append(f"{end} {setting.bound}")
    return ", then ".join(parts)


def when_text(setting: Setting) -> str:
    """Return what has to happen first, and what will be done then."""
    ends = ["completed", *("failed" for _ in {"failed"} & setting.wish.also)]
    ends += ["died" for _ in {"dead"} & setting.wish.also]
    return (
        f"when all training on {said(setting.box, 60)} has {' or '.join(ends)}: {aim_text(setting)}"
    )


def view_text(view: FinishView) -> str:
    """Return a finish line as one line for a strip or a log."""
    name = said(view.setting.box, 60)
    if view.phase == "over":
        good = {"done": "done", "cancelled": "cancelled"}
        return f"finish line of {name} {good.get(view.result or '', 'NOT done')}: {view.text}"
    if view.left_s is not None:
        return f"{view.text} in {clock_text(view.left_s + 0.999)}"
    detail = f", {view.detail}" if view.detail else ""
    return f"finish line of {name} ({view.setting.wish}): {view.text}{detail}"


def short_text(view: FinishView) -> str:
    """Return the same for a narrow strip: what matters stands at its beginning."""
    name = said(view.setting.box, 60)
    if view.phase == "over":
        good = {"done": "done", "cancelled": "cancelled"}
        return f"{name} {good.get(view.result or '', 'NOT done')}: {view.text}"
    if view.left_s is not None:
        end = (view.setting.wish.end or "end").upper()
        return f"{clock_text(view.left_s + 0.999)} to {end} {name}"
    return f"{name}: {view.text}"


def leaving_text(view: FinishView) -> str:
    """Return what is said of a finish line when boxtop is left.

    While it acts nobody can say that nothing will happen: it may have been sent.
    """
    if view.is_over:
        return view_text(view)
    if view.phase == "acting":
        return f"boxtop leaves amid the {acting_text(view.setting)}: {LOOK}"
    name = said(view.setting.box, 60)
    return f"the finish line of {name} ends with boxtop: nobody will {aim_text(view.setting)}"


def changed_text(setting: Setting, rent: RentView | None) -> str | None:
    """Return why the box is not the instance any more that was meant, None while it may be."""
    bound = setting.bound
    if bound is None or rent is None:
        return None
    if (rent.provider, rent.id) != (bound.provider, bound.id):
        return f"nothing was sent: {bound} was meant, and the box is {_named(rent)} now"
    if rent.gone:
        return f"nothing was sent: {bound} is gone, its provider lists it no more"
    if bound.label is not None and rent.is_listed and rent.name != bound.label:
        return f"nothing was sent: {bound} is named {said(rent.name, 60)!r} at its provider now"
    return None


def link_text(box: BoxView | None) -> str:
    """Return why nothing counts that is known of a box now."""
    if box is None or box.link.state == "live":
        return TELLS
    if box.is_off and box.rent is not None:
        return f"waits: its provider says that it is {said(box.rent.state, 40)}"
    why = f": {said(box.link.error, 160)}" if box.link.error else ""
    return f"waits for its link ({box.link.state}{why})"


def cancelled_text(setting: Setting) -> str:
    """Return what a cancel leaves as it is."""
    if setting.bound is None:
        return f"nothing more will begin; {GOES_ON}"
    return f"nothing was sent, {setting.bound} bills on; {GOES_ON}"


def saved_text(setting: Setting, runs: Sequence[RunView]) -> str:
    """Return what was done where nothing is to be ended."""
    saved = [run for run in runs if weights_of(run.run)]
    if not saved:
        return "all is done, and there was no checkpoint to save"
    way = {"push": "pushed", "pull": "pulled"}
    ways = " and ".join(way[save] for save in setting.wish.saves)
    return f"the weights of {count_text(len(saved), 'run')} were {ways}"


def saving_text(step: SaveStep) -> tuple[str, str]:
    """Return which transfers are on their way, and how far the first one is."""
    moves = [_move_text(one) for one in step.under_way]
    moves += [f"{work.save} of {said(work.run.run.id, 60)}" for work in step.begin]
    detail = _progress(step.under_way[0]) if step.under_way else ""
    more = f" and {len(moves) - 3} more" if len(moves) > 3 else ""
    return f"saves: {', '.join(moves[:3])}{more}", detail


def _move_text(move: TransferView) -> str:
    """Name a transfer; one that failed and is tried again says why."""
    again = f" ({said(move.text, 200)}; it is tried again)" if move.retry_in_s is not None else ""
    return f"{move.kind} of {said(move.run_id, 60)}{again}"


def _progress(move: TransferView) -> str:
    if move.retry_in_s is not None:
        return f"next try in {clock_text(move.retry_in_s)}"
    return said(move.text if move.progress is None else progress_text(move.progress), 200)


def verifying_text(setting: Setting) -> str:
    """Return what happens before the countdown."""
    return f"looks at every run and weight again before the {setting.wish.end}"


def again_text(seconds: float) -> str:
    """Return when it is tried again."""
    return f"looks again in {clock_text(seconds + 0.999)}"


def counting_text(setting: Setting) -> str:
    """Return what happens at the end of the countdown."""
    verb = "DESTROYS" if setting.wish.end == "destroy" else "stops"
    return f"all is saved and proven: {verb} {setting.bound}"


def acting_text(setting: Setting) -> str:
    """Return what is being done."""
    return f"{setting.wish.end} of {setting.bound}"


def _named(rent: RentView) -> str:
    return f"{rent.provider} {said(rent.id, 60)}"
