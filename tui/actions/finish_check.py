"""What a look of the gate, or an action, means for a finish line: go on, try again, or the end.

An override is not possible here: what is not proven is never ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.actions.errors import ActionError
from tui.actions.finish_wish import Setting
from tui.actions.gate import Kind, Refusal, witness_of
from tui.actions.gate_facts import BoxFile, RunFacts
from tui.actions.instance_plan import GateRefused, NothingToDo, NotPossible, Plan, Report
from tui.actions.instance_words import report_lines
from tui.links.base import LinkError
from tui.providers.errors import ProviderError
from tui.text import said

if TYPE_CHECKING:
    from tui.actions.finish_line import Result

_HEALING: frozenset[Kind] = frozenset(
    {"unreachable", "unreadable", "unlisted", "alive", "maybe_alive"}
)
"""What another look may find otherwise, without a person."""

NOTHING = "nothing was sent"


@dataclass(frozen=True, slots=True)
class Finding:
    """``plan`` where everything is proven; else ``text`` says why not, ``lines`` tell more.

    ``may_heal``: nothing was sent, and a later look may find it otherwise.
    """

    result: Result
    text: str = ""
    lines: tuple[str, ...] = ()
    plan: Plan | None = None
    may_heal: bool = False


def checked(plan: Plan, setting: Setting) -> Finding:
    """Return what a fresh look at everything means."""
    bound = setting.bound
    if bound is None or plan.bound != bound or plan.action != setting.wish.end:
        return Finding("failed", f"nothing was sent: {plan.bound} is not what was meant")
    if setting.typed is not None and not plan.is_named(setting.typed):
        typed = said(setting.typed, 80)
        return Finding("failed", f"nothing was sent: {typed!r} names more than {plan.bound} now")
    judgement = plan.judgement
    if judgement is None:
        return Finding("refused", f"nothing was sent: nobody looked at {plan.bound}", may_heal=True)
    if judgement.refusals:
        heals = all(_heals(one, plan.runs) for one in judgement.refusals)
        return _refused(plan, [one.text for one in judgement.refusals], heals)
    unproven = [text for run in plan.runs for text in _unproven(run, plan.action == "destroy")]
    if unproven or not plan.runs:
        return _refused(plan, unproven or ["no run was found on it"], may_heal=True)
    return Finding("done", plan=plan)


def of_report(report: Report) -> Finding:
    """Return what the end of an action means; what was sent is never sent again."""
    texts = tuple(line.text for line in report_lines(report))
    result: Result = "unconfirmed"
    if report.well:
        result = "done"
    elif report.outcome == "refused":
        result = "failed"
    return Finding(result, texts[0] if texts else report.outcome, texts[1:])


def of_error(error: ActionError | ProviderError | LinkError) -> Finding:
    """Return what an error means that was raised before anything was sent."""
    text = said(str(error))
    if not text.startswith(NOTHING):
        text = f"{NOTHING}: {text}"
    lines = (said(error.hint),) if error.hint else ()
    match error:
        case NothingToDo():
            return Finding("done", said(str(error)), lines)
        case GateRefused():
            told = tuple(said(one.text) for one in error.judgement.refusals)
            return Finding("refused", text, (*told, *lines), may_heal=True)
        case NotPossible():
            return Finding("failed", text, lines, may_heal=not error.never)
        case ProviderError():
            return Finding("failed", text, lines, may_heal=error.heals)
        case LinkError():
            return Finding("failed", text, lines, may_heal=error.retried)
        case _ if error.kind == "cancelled":
            return Finding("cancelled", "nothing was sent: it was cancelled")
        case _:
            again = error.kind == "busy" or (error.heals and error.kind != "changed")
            return Finding("failed", text, lines, may_heal=again)


def _refused(plan: Plan, texts: Sequence[str], may_heal: bool) -> Finding:
    more = f" (and {len(texts) - 1} more)" if len(texts) > 1 else ""
    text = f"nothing was sent, {plan.bound} bills on: {said(texts[0])}{more}"
    return Finding("refused", text, tuple(said(one) for one in texts[1:]), may_heal=may_heal)


def _unproven(run: RunFacts, loses_all: bool) -> Sequence[str]:
    """Return what is not known of a run though the gate passes: a stop may keep it all the same."""
    if not run.places:
        return [f"{run.name} was not looked at"]
    if run.alive is not False:
        return [f"{run.name} may still be training"]
    files = run.files if loses_all else ()
    return [f"{run.name}: {file.name} is not proven" for file in files if witness_of(file) is None]


def _heals(refusal: Refusal, runs: Sequence[RunFacts]) -> bool:
    """Whether a later look may say otherwise; so a proof whose place could not be asked."""
    if refusal.kind in _HEALING:
        return True
    if refusal.kind != "unsaved":
        return False
    files = [file for run in runs if run.path == refusal.path for file in run.files]
    return any(_is_unasked(file) for file in files if file.name == refusal.file)


def _is_unasked(file: BoxFile) -> bool:
    """Whether the Hub holds a proof of it and gave no answer; a copy here is there or is not."""
    return any(
        one.proof.on_hub and one.proof.sha256 == file.sha256 and one.seen is None
        for one in file.witnesses
    )
