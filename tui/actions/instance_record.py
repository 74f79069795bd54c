"""What the journal keeps of an action on an instance: one line before it is sent, one after."""

from __future__ import annotations

from typing import Any

from tui.actions.gate import Judgement, Proven
from tui.actions.instance_gate import Passed
from tui.actions.instance_plan import Outcome, Plan, Report
from tui.actions.journal import Entry, now_text
from tui.providers.base import Instance, Reply

ASKED = "asked"
_OUTCOMES: dict[Outcome, str] = {
    "done": "done",
    "already": "done",
    "refused": "refused",
    "still_there": "left",
    "queued": "left",
}


def asked_entry(plan: Plan, passed: Passed | None) -> Entry:
    """Return the line that stands before anything is sent."""
    return _entry(plan, ASKED, passed, {})


def ended_entry(plan: Plan, passed: Passed | None, report: Report | None) -> Entry:
    """Return the line of the end; without a report nobody knows what came of it."""
    if report is None:
        return _entry(plan, "unknown", passed, {"outcome": "interrupted"})
    seen = {
        "outcome": report.outcome,
        "reply": _reply(report.reply),
        "listed": _listed(report.instance),
        "seconds": round(report.seconds, 1),
        "error": report.error,
    }
    outcome = _OUTCOMES.get(report.outcome, "unknown")
    return _entry(plan, outcome, passed, seen)


def _entry(
    plan: Plan,
    outcome: str,
    passed: Passed | None,
    seen: dict[str, Any],
) -> Entry:
    asked: dict[str, Any] = {
        "provider": plan.bound.provider,
        "id": plan.bound.id,
        "instance": _listed(plan.instance),
        "gate": _gate(passed.judgement if passed is not None else None),
        "override": passed.typed if passed is not None else None,
    }
    return Entry(
        at=now_text(),
        action=plan.action,
        box=plan.bound.name,
        outcome=outcome,
        asked=asked,
        seen=seen,
    )


def _gate(judgement: Judgement | None) -> dict[str, Any] | None:
    if judgement is None:
        return None
    return {
        "passes": judgement.passes,
        "refusals": [one.text for one in judgement.refusals],
        "proven": [_proven(one) for one in judgement.proven],
        "warnings": list(judgement.warnings),
    }


def _proven(proven: Proven) -> dict[str, Any]:
    return {
        "run": proven.path,
        "file": proven.file,
        "where": proven.where,
        "sha256": proven.sha256,
        "bytes": proven.size,
        "commit": proven.commit,
    }


def _reply(reply: Reply | None) -> dict[str, Any] | None:
    if reply is None:
        return None
    return {"result": reply.result, "message": reply.message, "queued": reply.queued}


def _listed(instance: Instance | None) -> dict[str, Any] | None:
    if instance is None:
        return None
    return {
        "name": instance.name,
        "state": str(instance.state),
        "raw_state": instance.raw_state,
        "gpu": instance.gpu_name,
        "gpus": instance.gpu_count,
        "usd_per_hour": instance.rate_now.usd_per_hour,
    }
