"""A push in words: what is asked before it, and what is said after it."""

from __future__ import annotations

from collections.abc import Iterator

from tui.actions.hub_account import Checked
from tui.actions.hub_names import Destination
from tui.actions.push import Pushed
from tui.actions.push_plan import PushPlan
from tui.runs.words import size_text
from tui.text import said


def confirm_lines(plan: PushPlan, files: str, checked: Checked, source: str) -> Iterator[str]:
    """Yield what will happen: what, to where and for whom to see, as whom, and which way."""
    account = checked.account
    token = f'token "{said(account.token_name, 60)}"' if account.token_name else "the token"
    yield f"push {files} of {said(plan.run.id)} on {said(plan.box)}"
    yield f"  to   {plan.place} ({visibility(plan, checked)})"
    yield f"  as   {said(account.name, 60)}, {token} from {said(source, 80)}"
    yield f"  via  {way(plan)}"


def visibility(plan: PushPlan, checked: Checked) -> str:
    """Return who will see the weights: ``new, private``, ``PUBLIC: everybody can read it``."""
    who = "private" if plan.private else "PUBLIC: everybody can read it"
    return who if checked.place.exists else f"new, {who}"


def way(plan: PushPlan) -> str:
    """Return which way is taken, and what that means for the token."""
    if plan.via == "here":
        return "this machine: the weights pass through it, and the token never leaves it"
    return (
        "the box itself: the token is sent to it for this upload, so whoever runs that machine "
        "could take it; via here, it never leaves this one"
    )


def saved_lines(pushed: Pushed, place: Destination) -> Iterator[str]:
    """Yield what is saved now, a line for each checkpoint."""
    for proof in pushed.proofs:
        held = f"epoch {proof.epoch}, " if proof.epoch else ""
        what = f"{said(proof.name)} ({held}{size_text(proof.bytes)})"
        yield f"saved {what} at {said(proof.where, 300)}"
    for name, why in pushed.left_out.items():
        yield f"without {said(name)}: {why}"
    seen = "" if pushed.private is None else ", private" if pushed.private else ", PUBLIC"
    yield f"commit {pushed.commit} of {place.repo}{seen}"
