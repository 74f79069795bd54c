"""What there is to tell of a box: its disks, that it idles, that it does not answer. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from tui.alerts.memory import key_of
from tui.alerts.run_rules import is_at_work
from tui.alerts.sign import Sign
from tui.alerts.words import idle_words, is_listed, rate_of, taken_text, unreachable_text
from tui.facts import Disk
from tui.runs.disk import disk_full_text, disk_text
from tui.runs.words import rough_text, size_text
from tui.view import BoxView, RunView

UNREACHABLE_SECONDS = 300.0
"""Links come back by themselves within this time, as a rule."""
LINK_CLEAR_SECONDS = 600.0
"""A link that comes and goes more often than this is one trouble."""
IDLE_SECONDS = 600.0
IDLE_SEEN_SECONDS = 180.0
"""For so long of that somebody has watched it: a box that just started may be about to train."""
BUSY_PERCENT = 10.0
FULL_SOON_SECONDS = 7200.0
DISK_HOLD_SECONDS = 60.0
DISK_CLEAR_SECONDS = 3600.0
"""Checkpoints that come and go move a disk across the line each epoch."""


def disk_signs(box: BoxView) -> Iterator[Sign]:
    """Yield whether the disks that runs at work write to are nearly full, full, or soon full."""
    disks: dict[int, RunView] = {}
    for view in box.runs:
        if view.disk is not None and view.disk.total > 0 and is_at_work(view.run):
            known = disks.get(view.disk.total)
            if known is None or (view.disk_full_in_s or 1e12) < (known.disk_full_in_s or 1e12):
                disks[view.disk.total] = view
    for total, view in disks.items():
        assert view.disk is not None
        keys = [key_of(f"disk-{level}", box.name, str(total)) for level in ("soon", "low", "full")]
        texts = _soon_text(view), disk_text(view.disk), disk_full_text(view.disk)
        level = max((index for index, text in enumerate(texts) if text), default=-1)
        for index, key in enumerate(keys):
            if index == level:
                text = f"{box.name} {view.disk.path}: {texts[index]}"
                yield _disk(key, box, text, tuple(keys[:index]))
            elif index > level:
                yield _disk(key, box)


def _disk(key: str, box: BoxView, text: str = "", covers: tuple[str, ...] = ()) -> Sign:
    times = DISK_HOLD_SECONDS, DISK_CLEAR_SECONDS
    return Sign(key, bool(text), "disk_full", box.name, None, text, *times, covers=covers)


def _soon_text(view: RunView) -> str | None:
    """Return that a disk will be full before the run ends, and soon."""
    left, eta = view.disk_full_in_s, view.run.eta_s
    if left is None or not left <= FULL_SOON_SECONDS or (eta is not None and eta < left):
        return None
    disk = view.disk
    assert disk is not None
    return f"disk full in {rough_text(left)} at this rate ({_left(disk)})"


def _left(disk: Disk) -> str:
    return f"{size_text(disk.free)} left"


def idle_signs(box: BoxView, now: float) -> Iterator[Sign]:
    """Yield whether a box that answers bills while no run of it is at work.

    Another program on its GPUs is work, too. A box without a price is nobody's bill.
    """
    key = key_of("idle", box.name)
    rate = rate_of(box)
    if rate is None or rate.usd_per_hour == 0 or any(is_at_work(view.run) for view in box.runs):
        yield Sign(key, False, "idle", box.name, clear_s=60)
        return
    if any((gpu.util or 0.0) >= BUSY_PERCENT for gpu in box.gpus):
        yield Sign(key, False, "idle", box.name)
        return
    if not box.gpus and any(view.run.verdict == "unknown" for view in box.runs):
        return
    ends = [view.run.ended_at for view in box.runs if view.run.ended_at is not None]
    if not ends:
        text = idle_words(box, IDLE_SECONDS, rate, ended=False)
        yield Sign(key, True, "idle", box.name, None, text, IDLE_SECONDS)
        return
    idle = now + (box.clock_skew_s or 0.0) - max(ends)
    if idle >= IDLE_SECONDS - IDLE_SEEN_SECONDS:
        text = idle_words(box, idle, rate, ended=True)
        yield Sign(key, True, "idle", box.name, None, text, IDLE_SEEN_SECONDS)


def link_signs(
    box: BoxView, down_s: float, *, was_live: bool, alone: bool = True
) -> Iterator[Sign]:
    """Yield whether a box does not answer though it should; ``down_s`` for how long, awake.

    A box that its provider calls stopped is no trouble, unless a run was at work there and boxtop
    did not end it. One that never ``was_live`` is trouble only where it is known to bill. Others
    answer where it is ``alone`` in its trouble.
    """
    key = key_of("unreachable", box.name)
    rent = box.rent
    if box.link.state == "live":
        yield Sign(key, False, "unreachable", box.name, clear_s=LINK_CLEAR_SECONDS)
    elif is_listed(box) and box.is_off:
        taken = rent is None or not rent.ended_here
        if taken and any(is_at_work(view.run) for view in box.runs):
            yield Sign(key, True, "unreachable", box.name, None, taken_text(box), DISK_HOLD_SECONDS)
    elif was_live or (rent is not None and is_listed(box) and rent.state == "running"):
        text = unreachable_text(box, down_s, alone=alone)
        yield Sign(key, True, "unreachable", box.name, None, text, UNREACHABLE_SECONDS)
