"""What there is to tell of accounts, contracts and pushes. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui.actions.transfer import TransferView
from tui.alerts.memory import key_of
from tui.alerts.run_rules import is_at_work
from tui.alerts.sign import Sign
from tui.alerts.words import OLD_LIST_SECONDS, is_listed
from tui.money import Outlook, contract_outlook, credit_outlook
from tui.view import BoxView

HOLD_SECONDS = 30.0
CLEAR_SECONDS = 3 * 3600.0
"""An ETA that swings about the credit's end is one trouble."""


def runway_signs(boxes: Sequence[BoxView], now: float) -> Iterator[Sign]:
    """Yield whether an account's credit or a box's contract ends before its training does."""
    accounts: dict[str, list[BoxView]] = {}
    for box in boxes:
        rent = box.rent
        if (
            rent is None
            or not is_listed(box)
            or rent.gone
            or (rent.error and (rent.age_s or 0.0) > OLD_LIST_SECONDS)
        ):
            continue
        accounts.setdefault(rent.provider, []).append(box)
        if not box.is_off or rent.state == "stopped":
            outlook = contract_outlook(rent.contract_end, now, _eta([box]))
            yield from _signs(outlook, ("contract", box.name), box.name, box.name)
    for provider, theirs in accounts.items():
        found = next((box.rent for box in theirs if box.rent and box.rent.runway), None)
        if found is not None and found.runway is not None:
            outlook = credit_outlook(found.runway, _eta(theirs))
            yield from _signs(outlook, ("credit", provider), provider, f"{provider}'s")


def _signs(outlook: Outlook, names: tuple[str, str], who: str, whose: str) -> Iterator[Sign]:
    """Yield a sign for each level: an alarm counts as the warning, too."""
    what, name = names
    warning, alarm = key_of(f"{what}-warning", name), key_of(f"{what}-alarm", name)
    if outlook.level == "unknown":
        return
    text = f"{whose}: {outlook.text}" if who == whose else f"{whose} {outlook.text}"
    if outlook.level == "alarm":
        yield _runway(alarm, who, text, (warning,))
        return
    yield _runway(alarm, who)
    yield _runway(warning, who, text if outlook.level == "warning" else "")


def _runway(key: str, who: str, text: str = "", covers: tuple[str, ...] = ()) -> Sign:
    times = HOLD_SECONDS, CLEAR_SECONDS
    return Sign(key, bool(text), "runway", who, None, text, *times, covers=covers)


def _eta(boxes: Sequence[BoxView]) -> float | None:
    """Return the longest ETA of the runs at work, in seconds."""
    etas = [view.run.eta_s for box in boxes for view in box.runs if is_at_work(view.run)]
    return max((eta for eta in etas if eta is not None), default=None)


def push_signs(transfers: Sequence[TransferView], session: str) -> Iterator[Sign]:
    """Yield which pushes failed for good; ``transfers`` are the newest first.

    Pushes that boxtop begins by itself are told of once for a place, until one gets there: it
    tries again for ever. ``session`` tells the numbers of other starts of boxtop apart.
    """
    signs: dict[str, Sign] = {}
    for view in reversed(transfers):
        if view.kind != "push":
            continue
        place = key_of("push", view.box, view.run, view.where)
        own = key_of("push", view.box, view.run, view.where, str(view.number), session)
        if view.state == "saved":
            signs[place] = Sign(place, False, "push_failed", view.box, view.run_id, clear_s=0)
        elif view.state == "failed":
            key = place if view.automatic else own
            text = f"{view.box} {view.run_id}: push to {view.where} failed: {view.text}"
            signs[key] = Sign(key, True, "push_failed", view.box, view.run_id, text, 0)
    yield from signs.values()
