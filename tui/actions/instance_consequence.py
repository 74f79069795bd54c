"""What a dialog shows before an instance is stopped, started or destroyed, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tui.actions.gate import Loses
from tui.actions.gate_facts import RunFacts
from tui.actions.gate_words import name_of
from tui.actions.instance_gate import guards, loses_of
from tui.actions.instance_plan import Plan
from tui.money import (
    DESTROY_WARNING,
    STOP_WARNING,
    Rate,
    break_even_h,
    hours_per_month,
    hours_text,
    hours_words,
    rate_text,
    runway_text,
    usd_text,
)
from tui.money.advice import Line, Tone
from tui.providers.base import Instance, State
from tui.text import said, said_path

MOST_RUNS = 12
SAYS_IT_ALL = ("releases the GPUs", "start again")
"""Where a provider's own note says this of a stop, nothing says it once more."""


def plan_lines(plan: Plan) -> Iterator[Line]:
    """Yield what is asked, what is lost or ended by it, which instance it is, and what follows."""
    yield Line("", f"{plan.action} {said(str(plan.bound), 200)}")
    if plan.here:
        yield Line("here", "boxtop itself runs on this instance, and ends with it", "bad")
    yield from _losses(plan)  # a small screen shows the first lines alone
    yield from _facts(plan)
    yield from _found(plan)
    match plan.action:
        case "stop":
            yield from _stop(plan)
        case "start":
            yield from _start(plan)
        case "destroy":
            yield from _destroy(plan)


def _facts(plan: Plan) -> Iterator[Line]:
    instance = plan.instance
    if instance.name not in (plan.bound.name, plan.bound.id):
        yield Line("named", f"{said(instance.name, 80)} at its provider")
    yield Line("GPU", gpu_text(instance))
    raw = said(instance.raw_state, 40)
    told = f" ({plan.bound.provider} says {raw!r})" if raw and raw != str(instance.state) else ""
    yield Line("state", f"{instance.state}{told}")
    if instance.reason:
        yield Line("", said(instance.reason, 160), "dim")
    addresses = [said(each.target.place, 80) for each in instance.addresses[:2]]
    yield Line("address", ", ".join(addresses) or "none now")
    if instance.created_at is not None:
        yield Line("age", hours_text(plan.at - instance.created_at))
    yield Line("bills now", now_text(instance.rate_now, instance.rate_assumed))
    yield Line("afterwards", after_text(plan))
    for warning in instance.warnings:
        yield Line("", said(warning), "bad")


def gpu_text(instance: Instance) -> str:
    """Return the GPUs in words: ``8 x RTX 4090``."""
    name = said(instance.gpu_name, 60) if instance.gpu_name else "not known"
    return f"{instance.gpu_count} x {name}" if instance.gpu_count else name


def now_text(rate: Rate, assumed: bool = False) -> str:
    """Return a rate with its source; what is only assumed says so."""
    more = "; assumed: its state does not tell" if assumed else ""
    return f"{rate_text(rate)}{more}"


def after_text(plan: Plan) -> str:
    """Return what it bills when the action is done."""
    match plan.action:
        case "stop":
            return f"{rate_text(plan.instance.rate_stopped)} for the disk"
        case "start":
            return rate_text(plan.instance.rate_running)
    if plan.instance.keeps.outlives:
        return "nothing for the instance; what stays bills on"
    return "nothing for the instance"


def _losses(plan: Plan) -> Iterator[Line]:
    """Yield what stands against it, and what it ends or takes away although nothing does."""
    judgement = plan.judgement
    if judgement is None:
        return
    refusals = [one.text for one in judgement.refusals]
    yield from _below("gate", [(text, "bad") for text in refusals])
    if refusals:
        yield Line("", f"what helps: {_helps(plan)}")
    yield from _below("ends", [(text, "bad") for text in judgement.ends])
    if plan.action == "stop":
        yield from _below("deletes", [(text, "bad") for text in _deleted(plan)])


def _found(plan: Plan) -> Iterator[Line]:
    """Yield what the gate found that is safe, and where it looked."""
    judgement = plan.judgement
    if judgement is None:
        return
    told: list[tuple[str, Tone]] = [(one.text, "good") for one in judgement.proven]
    if not told and not judgement.refusals and guards(plan.action, plan.instance):
        told.append(("no weights were found that could be lost", "plain"))
    told += [(text, "dim") for text in judgement.warnings if text not in judgement.ends]
    yield from _below("gate", told)


def _below(heading: str, told: Iterable[tuple[str, Tone]]) -> Iterator[Line]:
    """Yield lines below one heading, none where there is nothing to tell."""
    for text, tone in told:
        yield Line(heading, text, tone)
        heading = ""


def _helps(plan: Plan) -> str:
    judgement = plan.judgement
    offers = judgement.offers if judgement is not None else ()
    stopped = plan.instance.state is State.STOPPED and plan.capabilities.can_start
    words = {
        "push": "push the weights now",
        "pull": "pull them now",
        "kill": "end the training",
        "again": "start it and look again" if stopped else "look again",
        "override": f"or type {said(plan.names[0], 80)} to lose what is listed",
    }
    return ", ".join(words[offer] for offer in offers)


def _stop(plan: Plan) -> Iterator[Line]:
    instance = plan.instance
    note = instance.keeps.stop_note or plan.capabilities.stop_note or ""
    told = [said(note)] if note else []
    first, *more = told if all(each in note for each in SAYS_IT_ALL) else [STOP_WARNING, *told]
    yield Line("stop", first)
    rate = instance.rate_stopped
    if rate.usd_per_hour is None:
        yield Line("", "the disk bills on, at a price that is not known", "bad")
    elif rate.usd_per_hour > 0:
        month = usd_text(rate.usd_per_hour * _month(plan))
        day = usd_text(rate.usd_per_hour * 24)
        yield Line(
            "", f"the disk bills on: {usd_text(rate.usd_per_hour)}/h, {day} a day, {month} a month"
        )
    for text in more:
        yield Line("", text)
    yield from _survivors(plan)
    yield from _break_even(plan)


def _deleted(plan: Plan) -> Iterator[str]:
    """Yield each run whose path does not outlive the stop, as far as anybody knows."""
    loses = loses_of(plan.instance)
    told = 0
    for run in plan.runs:
        fates = _fates(run, loses)
        if fates == {False} and not run.in_memory:
            continue
        told += 1
        where = f"a stop DELETES {name_of(run)} ({said_path(run.path)})"
        if told > MOST_RUNS:
            continue
        if run.in_memory:
            yield f"{where}: it is in memory"
        elif True in fates:
            yield where
        else:
            yield f"whether a stop keeps {name_of(run)} is not known"
    if told > MOST_RUNS:
        yield f"and {told - MOST_RUNS} more runs"


def _survivors(plan: Plan) -> Iterator[Line]:
    """Say which runs outlive the stop."""
    loses = loses_of(plan.instance)
    kept = [run for run in plan.runs if _fates(run, loses) == {False} and not run.in_memory]
    for run in kept[:MOST_RUNS]:
        yield Line("", f"{name_of(run)} survives the stop", "good")
    if len(kept) > MOST_RUNS:
        yield Line("", f"and {len(kept) - MOST_RUNS} more runs", "good")


def _fates(run: RunFacts, loses: Loses) -> set[bool | None]:
    return {loses(place) for place in run.places or (run.path,)}


def _start(plan: Plan) -> Iterator[Line]:
    rate = plan.instance.rate_running
    if rate.usd_per_hour is None:
        yield Line("start", "it bills from then on, at a price that is not known", "bad")
    else:
        day = usd_text(rate.usd_per_hour * 24)
        yield Line("start", f"it bills from then on: {usd_text(rate.usd_per_hour)}/h, {day} a day")
    yield Line("", "without a free GPU it may be queued, and begin to bill at any hour")
    if plan.runway is not None:
        yield Line("", runway_text(plan.runway, plan.credit))


def _destroy(plan: Plan) -> Iterator[Line]:
    yield Line("destroy", DESTROY_WARNING, "bad")
    keeps = plan.instance.keeps
    for thing in keeps.outlives:
        yield Line("", f"stays and bills on: {said(thing)}", "bad")
    note = keeps.destroy_note or plan.capabilities.destroy_note
    if note:
        yield Line("", said(note))
    if plan.capabilities.can_stop and keeps.can_stop is not False:
        yield from _break_even(plan)


def _break_even(plan: Plan) -> Iterator[Line]:
    """Weigh one hour of setting up a new box against keeping this one stopped."""
    running, stopped = plan.instance.rate_running, plan.instance.rate_stopped
    if stopped.usd_per_hour == 0:
        yield Line("break-even", "none: stopping is free")
        return
    hours = break_even_h(running.usd_per_hour, stopped.usd_per_hour)
    if hours is None:
        yield Line("break-even", "not known without both rates; boxtop cost does the arithmetic")
        return
    text = f"each hour of setting up a new box costs as much as {hours_words(hours)} stopped"
    yield Line("break-even", text)


def _month(plan: Plan) -> float:
    return plan.instance.hours_per_month or hours_per_month(plan.bound.provider)
