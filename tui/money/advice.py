"""Stop against destroy in words: what each costs, takes away and leaves, for people to decide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from tui.money.figures import COVERAGE, rate_text, usd_text
from tui.money.pause import DESTROY_WARNING, STOP_WARNING, hours_words
from tui.money.question import Answer

Tone = Literal["plain", "good", "bad", "dim"]


class Line(msgspec.Struct, frozen=True):
    """One thing to know below a heading; "" goes on below the last one."""

    heading: str
    text: str
    tone: Tone = "plain"


def advice_lines(found: Answer) -> Iterator[Line]:
    """Yield everything that is known of a box's cost, what is not, and what to do."""
    yield from _rates(found)
    yield from _stop(found)
    yield from _destroy(found)
    yield from _pause(found)
    yield from _before(found)
    yield Line("included", f"{COVERAGE}; bandwidth, volumes and taxes are not in it", "dim")


def _rates(found: Answer) -> Iterator[Line]:
    asked = found.question
    yield Line("running", rate_text(asked.price))
    if asked.terms.can_stop is False:
        return
    text = rate_text(found.stopped)
    if found.stopped.source == "computed" and asked.gb is not None and asked.storage is not None:
        per = f"{usd_text(asked.storage)} a GB-month"
        text += f": {asked.gb:g} GB at {per} / {found.month_hours:g} h"
    elif found.stopped.usd_per_hour is None:
        text += ": it takes --gb and --rate, or disk_gb and storage_gb_month of the box"
    yield Line("stopped", text)


def _stop(found: Answer) -> Iterator[Line]:
    terms = found.question.terms
    if terms.can_stop is False:
        yield Line("stop", terms.stop_note or "this box cannot be stopped", "bad")
        return
    saved = found.saved_share
    if saved is not None and saved >= 0:
        yield Line("stop", f"saves {100 * saved:.0f} % of the running rate")
    elif saved is not None:
        yield Line("stop", "costs more than running", "bad")
    yield Line("stop" if saved is None else "", STOP_WARNING)
    rate = found.stopped.usd_per_hour
    if rate is None:
        yield Line("", "the disk bills on, at a price that is not known")
    elif rate > 0:
        month = usd_text(rate * found.month_hours)
        yield Line("", f"the disk bills on: {usd_text(rate * 24)} a day, {month} a month")
    if terms.stop_note:
        yield Line("", terms.stop_note)
    yield from _places(found)


def _places(found: Answer) -> Iterator[Line]:
    """Say of each place of runs whether it outlives a stop."""
    by_fate: dict[bool | None, list[str]] = {}
    for path, survives in found.survive:
        by_fate.setdefault(survives, []).append(path)
    if False in by_fate:
        lost = ", ".join(by_fate[False])
        yield Line("", f"a stop DELETES {lost}: save the weights first, as before a destroy", "bad")
    if True in by_fate:
        yield Line("", f"survives a stop: {', '.join(by_fate[True])}", "good")
    if None in by_fate:
        places = ", ".join(by_fate[None])
        yield Line("", f"whether a stop keeps {places} is not known: ask the provider")


def _destroy(found: Answer) -> Iterator[Line]:
    asked, terms = found.question, found.question.terms
    yield Line("destroy", DESTROY_WARNING)
    for thing in terms.outlives:
        yield Line("", f"stays and bills on: {thing}", "bad")
    if terms.destroy_note:
        yield Line("", terms.destroy_note)
    rebuild = found.rebuild
    if rebuild.usd is None:
        yield Line("", "what a new box costs until it trains is not known")
        return
    text = f"a new box costs {usd_text(rebuild.usd)} until it trains ({rebuild.source})"
    if rebuild.source == "computed" and asked.setup_hours is not None:
        text += f": {asked.setup_hours:g} h at {usd_text(asked.price.usd_per_hour)}/h"
        if asked.gb_in and asked.usd_per_gb_in is not None:
            text += f" + {asked.gb_in:g} GB at {usd_text(asked.usd_per_gb_in)}/GB"
    yield Line("", text)


def _pause(found: Answer) -> Iterator[Line]:
    if found.question.terms.can_stop is False:
        yield Line("pause", "there is nothing to weigh: only a destroy ends the bill")
        return
    yield Line("break-even", _break_even(found))
    compared = found.comparison
    if compared is not None and found.question.pause_h is not None:
        word = {"stop": "stop", "destroy": "push, then destroy", "equal": "either"}
        advice = word.get(compared.advice, "no advice")
        pause = hours_words(found.question.pause_h)
        yield Line("advice", f"for a pause of {pause}: {advice} ({compared.reason})", "good")
        if compared.advice == "stop" and found.lost:
            yield Line("", "but this stop deletes where runs lie", "bad")


def _break_even(found: Answer) -> str:
    hours = found.break_even_h
    if found.stopped.usd_per_hour == 0:
        return "none: stopping is free"
    if hours == 0:
        return "0 h: rebuilding is free"
    if hours is not None:
        return (
            f"{hours_words(hours)}: stop for a shorter pause; push, then destroy for a longer one"
        )
    missing = []
    if found.rebuild.usd is None:
        missing.append("what a rebuild costs (--rebuild, or --setup-hours and --gb-in)")
    if found.stopped.usd_per_hour is None:
        missing.append("the stopped rate (--stopped, or --gb and --rate)")
    if not missing:
        return "beyond any pause: stopping costs next to nothing"
    return f"no advice without {' and '.join(missing)}"


def _before(found: Answer) -> Iterator[Line]:
    """What to know before anything is rented."""
    asked = found.question
    if asked.hours is not None:
        cost = usd_text(found.training.usd)
        yield Line("training", f"{asked.hours:g} h cost {cost} (compute alone)")
    if found.disk_gb is not None:
        sizes = f"({asked.data_gb:g} GB data + {asked.checkpoints_gb:g} GB weights) x 1.3"
        yield Line("disk", f"rent {found.disk_gb} GB: {sizes}, rounded up")
