"""What is said of an event, on one line each. Pure."""

from __future__ import annotations

from tui.config.settings import AlertKind
from tui.money import Rate, bills_text, hours_text, usd_text
from tui.runs.model import Run
from tui.runs.words import clock_text
from tui.view import BoxView

OLD_LIST_SECONDS = 900.0
"""What a provider said so long ago may be different by now."""

KINDS: dict[AlertKind, str] = {
    "failed": "a run ended with an error",
    "dead": "a run's process is gone without a word",
    "stalled": "a run lives, but writes nothing new",
    "diverged": "the loss of a run is not finite any more",
    "completed": "a run is done",
    "new_best": "a run has a new best epoch, at most every 10 minutes",
    "disk_full": "the disk of a run at work is nearly full, or soon will be",
    "idle": "a box bills, and no run was at work for 10 minutes",
    "runway": "credit or contract ends before training does, or within a day",
    "unreachable": "a box does not answer for 5 minutes, or its provider stopped it at work",
    "push_failed": "a push failed for good",
    "finished": "a finish line saved, and ended, what it was set for",
    "finish_failed": "a finish line was given up, refused, or could not confirm the end",
}
"""All kinds, and what each says."""


def rate_of(box: BoxView) -> Rate | None:
    """Return what a box costs now; None where nobody bills it, or nobody said."""
    rent = box.rent
    is_told = rent is not None and is_listed(box) and rent.rate_now.usd_per_hour is not None
    if box.price_per_hour is not None and not is_told:
        return Rate(box.price_per_hour, "user")
    return None if rent is None else rent.rate_now


def is_listed(box: BoxView) -> bool:
    """Whether a box's provider told of it now, and not in an earlier session."""
    return box.rent is not None and box.rent.listed_at is not None


def run_text(box: BoxView, run: Run) -> str:
    """Return ``lab run12 stalled: nothing new for 25:00 (...); epoch 12/100``."""
    why = run.reason or (run.diagnosis.summary if run.diagnosis else None)
    verb = "is dead" if run.verdict == "dead" else run.verdict
    told = f"{box.name} {run.id} {verb}" + (f": {why}" if why else "")
    where = _epoch(run)
    return f"{told}; {where}" if where else told


def end_text(box: BoxView, run: Run) -> str:
    """Return how a run ended, and what its box goes on costing."""
    if run.verdict in ("failed", "dead"):
        told = run_text(box, run)
    else:
        told = f"{box.name} {run.id} completed: {_result(run)}"
    rate = rate_of(box)
    return told if rate is None else f"{told}; {bills_text(box.name, rate)}"


def best_text(box: BoxView, run: Run) -> str:
    """Return ``lab run12 has a new best: mAP50-95 0.5712 in epoch 11; epoch 12/100``."""
    return f"{box.name} {run.id} has a new best: {_best(run)}; {_epoch(run)}"


def idle_words(box: BoxView, idle_s: float, rate: Rate, *, ended: bool) -> str:
    """Return ``lab is idle: its last run ended 3h12m ago; lab still bills $3.4828/h``."""
    time = hours_text(idle_s)
    why = f"its last run ended {time} ago" if ended else f"no run at work for {time}"
    return f"{box.name} is idle: {why}; {bills_text(box.name, rate)}"


def unreachable_text(box: BoxView, seconds: float, *, alone: bool) -> str:
    """Return how long a box has not answered, why, and what it may cost meanwhile.

    Where it is not ``alone`` in that, it may be this machine.
    """
    age = max(seconds, box.link.age_s or 0.0)
    why = f": {box.link.error}" if box.link.error else ""
    told = f"{box.name} does not answer for {clock_text(age)}{why}"
    online = None if alone else "no other box answers either: is this machine online?"
    return "; ".join(filter(None, (told, _still_billing(box), online)))


def taken_text(box: BoxView) -> str:
    """Return that a provider stopped a box at work, with the provider's own words."""
    rent = box.rent
    assert rent is not None
    state = "gone" if rent.gone else rent.raw_state or rent.state
    why = f" ({rent.reason})" if rent.reason else ""
    return f"{box.name} was at work, and {rent.provider} says it is {state}{why}"


def _still_billing(box: BoxView) -> str | None:
    rent = box.rent
    if rent is None or not is_listed(box) or rent.state == "unknown":
        price = box.usd_per_hour
        return None if not price else f"if it runs, it bills {usd_text(price)}/h"
    usd = box.usd_per_hour
    price_text = "at an unknown price" if usd is None else f"{usd_text(usd)}/h"
    age = rent.age_s or 0.0
    when = f" {hours_text(age)} ago" if age >= OLD_LIST_SECONDS else ""
    return f"still billing {price_text} (API: {rent.raw_state or rent.state}{when})"


def _result(run: Run) -> str:
    parts = [
        run.headline.removeprefix("completed - ") or "done",
        _best(run) and f"best {_best(run)}",
    ]
    if run.verdict == "diverged":
        parts.append(run.reason or "the loss is not finite")
    return ", ".join(filter(None, parts))


def _best(run: Run) -> str:
    best = run.best
    if best is None or best.value is None:
        return ""
    where = "" if best.epoch is None else f" in epoch {best.epoch}"
    return f"{best.name or 'metric'} {best.value:.4g}{where}"


def _epoch(run: Run) -> str:
    if run.epoch is None:
        return ""
    return f"epoch {run.epoch}/{run.total_epochs}" if run.total_epochs else f"epoch {run.epoch}"
