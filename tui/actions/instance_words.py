"""Stop, start and destroy in words: what is asked, on the way, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator

from tui.actions.instance_consequence import after_text, now_text
from tui.actions.instance_plan import Moment, Plan, Report
from tui.actions.progress import Progress
from tui.money import bills_text
from tui.money.advice import Line
from tui.providers.base import Action, Instance, RefusedFor, Reply, State
from tui.providers.errors import ProviderError
from tui.runs.words import clock_text
from tui.text import said

LONG = 400

NEXT: dict[RefusedFor, str] = {
    "capacity": "no GPU is free on its host: ask again later, or save what it holds and destroy it",
    "credit": "add credit to the account, then ask again",
    "not_now": "look at its state, and ask again when that has changed",
    "auth": "give boxtop a key whose scopes allow it",
    "rate": "ask again in a moment",
    "other": "look at its state, or at the provider's page",
}
"""What helps against each refusal, where the provider's answer names nothing better."""

_REASONS: dict[str, RefusedFor] = {
    "no_key": "auth",
    "bad_key": "auth",
    "auth": "auth",
    "forbidden": "auth",
    "rate": "rate",
}
_ASKED: dict[Action, str] = {"stop": "stopped", "start": "started", "destroy": "destroyed"}


def refusal_of(error: ProviderError) -> Reply:
    """Return what an error means that says that nothing was sent."""
    why = _REASONS.get(error.kind, "other")
    message = str(error)
    if "nothing was sent" not in message:
        message = f"{message}; nothing was sent"
    return Reply("refused", message, error.hint, why, retry_after_s=error.retry_after_s)


def question(plan: Plan) -> str:
    """Return what a person is asked for: a yes, or the name."""
    if plan.needs == "yes":
        return f"{plan.action.capitalize()} it? [y/N]"
    loses = " and lose this" if plan.refused else ""
    return f"Type {said(plan.names[0], 200)} to {plan.action} it{loses}:"


def unwatched_text(way: str, instance: Instance, path: str | None) -> str:
    """Return how a run that is not on the screen is pushed, pulled or ended: by its path."""
    address = next((one.target.address for one in instance.addresses if one.runs_commands), None)
    if address is None or path is None:
        return f"that run is not watched here: `boxtop {way}` takes its address and path"
    return f"that run is not watched here: `boxtop {way} {said(address + path)}`"


def moment_progress(moment: Moment) -> Progress:
    """Return how far it is, for whoever shows progress."""
    match moment.stage:
        case "reading":
            return Progress("asking its provider")
        case "checking":
            return Progress("looking at its weights")
        case "sending":
            return Progress(f"asking for the {moment.action}")
    if moment.error is not None:
        state = f"its list cannot be read: {said(moment.error, 120)}"
    else:
        state = f"it is {moment.state}" if moment.state is not None else "it is not listed"
    asked = "was asked for" if _lost(moment.reply) else "was accepted"
    left = f"{clock_text(moment.left)} more at most"
    return Progress(f"the {moment.action} {asked}", note=f"{state}; waiting {left}")


def _lost(reply: Reply | None) -> bool:
    return reply is None or reply.result == "unconfirmed"


def report_lines(report: Report) -> Iterator[Line]:
    """Yield what was seen, never what was hoped for, and the next step."""
    yield from _ENDS[report.outcome](report)
    if report.reply is not None and report.reply.result == "unconfirmed" and report.well:
        told = f"the reply got lost ({said(report.reply.message, 160)}); the list says so"
        yield Line("", told, "dim")
    if report.unwritten is not None:
        yield Line("journal", f"how it ended is not recorded: {said(report.unwritten)}", "bad")


def _done(report: Report) -> Iterator[Line]:
    plan, instance = report.plan, report.instance
    took = f" after {clock_text(report.seconds)}" if report.seconds >= 1 else ""
    seen = f"{plan.bound.provider}'s list says so{took}"
    match plan.action:
        case "destroy":
            yield Line("", f"{plan.bound} is gone: {seen}", "good")
            for thing in plan.instance.keeps.outlives:
                yield Line("", f"stays and bills on: {said(thing)}", "bad")
        case "stop":
            yield Line("", f"{plan.bound} is stopped: {seen}", "good")
            yield _bills(report)
        case "start":
            yield Line("", f"{plan.bound} runs: {seen}", "good")
            if instance is not None:
                yield Line("", f"it bills {now_text(instance.rate_now, instance.rate_assumed)}")
            address = instance.watched_by if instance is not None else None
            if address is not None:
                yield Line("", f"it is at {said(address.target.place)} now")


def _already(report: Report) -> Iterator[Line]:
    sent = "nothing was sent" if report.reply is None else "it was so already"
    words = {"destroy": "is gone", "stop": "is stopped", "start": "runs"}
    hand = " by another hand" if report.reply is None else ""
    yield Line("", f"{report.plan.bound} {words[report.plan.action]}{hand}: {sent}", "good")


def _vanished(report: Report) -> Iterator[Line]:
    provider = report.plan.bound.provider
    yield Line("", f"{report.plan.bound} is gone: {provider} does not list it any more", "bad")
    yield Line("", "somebody else destroyed it, or the provider did: a look at its page tells")


def _queued(report: Report) -> Iterator[Line]:
    plan = report.plan
    said_so = f": {said(report.reply.message)}" if report.reply and report.reply.message else ""
    yield Line("", f"{plan.bound} is NOT running: it waits for a GPU{said_so}", "bad")
    rate = plan.instance.rate_running
    price = "" if rate.usd_per_hour is None else f" {now_text(rate)}"
    yield Line("", f"it may start, and bill{price}, at any hour: a stop cancels that", "bad")
    yield _bills(report)


def _refused(report: Report) -> Iterator[Line]:
    plan, reply = report.plan, report.reply or Reply("refused")
    message = said(reply.message) or "no reason"
    yield Line("", f"{plan.bound} was NOT {_ASKED[plan.action]}: {message}", "bad")
    yield Line("", said(reply.hint or NEXT[reply.why or "other"]))
    if reply.retry_after_s:
        yield Line("", f"it asks to wait {clock_text(reply.retry_after_s)}")
    if plan.action != "start" or reply.why == "capacity":
        yield _bills(report)


def _still_there(report: Report) -> Iterator[Line]:
    plan, instance = report.plan, report.instance
    state = instance.state if instance is not None else State.UNKNOWN
    after = f"{clock_text(report.seconds)} after {plan.bound.provider} accepted the {plan.action}"
    if plan.action == "destroy":
        yield Line("", f"{plan.bound} STILL EXISTS, still billing, {after} ({state})", "bad")
    else:
        not_yet = "is NOT stopped" if plan.action == "stop" else "does NOT run"
        yield Line("", f"{plan.bound} {not_yet}, {after}: it is {state}", "bad")
    if instance is not None and instance.reason:
        yield Line("", f"its provider says: {said(instance.reason)}")
    yield _bills(report)
    yield Line("", "nothing is sent again by itself: look again, then ask again or see its page")


def _unconfirmed(report: Report) -> Iterator[Line]:
    plan, reply = report.plan, report.reply
    lost = reply is not None and reply.result == "unconfirmed"
    why = reply.message if lost and reply is not None else report.error or "no list came"
    yield Line("", f"the {plan.action} of {plan.bound} is UNCONFIRMED: {said(why)}", "bad")
    if report.error is not None:
        yield Line("", f"its list cannot be read: {said(report.error)}", "bad")
    elif report.instance is not None:
        yield Line("", f"it is listed as {report.instance.state}", "bad")
        yield _bills(report)
    yield Line("", "it may have been done or not: look again before asking again")


def _untold(report: Report) -> Iterator[Line]:
    plan = report.plan
    message = said(report.reply.message, 160) if report.reply is not None else ""
    told = f" ({message})" if message else ""
    yield Line("", f"the {plan.action} of {plan.bound} was accepted{told}", "plain")
    yield Line("", "nothing tells its state, so nobody can confirm it: look at the box", "bad")
    yield Line("", "a state command in its section of boxtop.toml would tell")


def _unwatched(report: Report) -> Iterator[Line]:
    yield Line("", sent_text(report.plan, report.reply), "bad")


def sent_text(plan: Plan, reply: Reply | None) -> str:
    """Return what goes on when nobody waits for it any more."""
    provider = plan.bound.provider
    taken = "was asked for" if _lost(reply) else f"was accepted by {provider}"
    return (
        f"the {plan.action} of {plan.bound} {taken}, and goes on without boxtop; nothing more is "
        f"sent. Whether it is done only {provider}'s list tells: look again"
    )


def unsent_text(plan: Plan) -> str:
    """Return what stays when somebody gave up before anything was sent."""
    return f"nothing was sent: {plan.bound} stays as it is; {after_text(plan)}"


def _bills(report: Report) -> Line:
    """Say what it costs at this moment; unknown is never free."""
    instance = report.instance
    if instance is None:
        return Line("", "what it bills is not known: look at the provider's page", "bad")
    assumed = " (assumed: its state does not tell)" if instance.rate_assumed else ""
    bills = bills_text(report.plan.bound.name, instance.rate_now)
    return Line("", f"{said(bills, LONG)}{assumed}")


_ENDS = {
    "done": _done,
    "already": _already,
    "queued": _queued,
    "refused": _refused,
    "vanished": _vanished,
    "still_there": _still_there,
    "unconfirmed": _unconfirmed,
    "untold": _untold,
    "unwatched": _unwatched,
}
