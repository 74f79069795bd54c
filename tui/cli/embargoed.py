"""The Hub's wish to be left alone, heeded across calls and said with a time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from tui.actions.hub_problem import HubError, HubProblem
from tui.cli.session import Session
from tui.runs.embargo import LONGEST_SECONDS, Embargo
from tui.runs.words import clock_text


@contextmanager
def embargoed(session: Session, repo: str, anyway: bool) -> Iterator[None]:
    """Refuse a push before the time that the Hub named last, and keep what it names now.

    ``anyway`` tries all the same. Raises HubError.
    """
    embargo = Embargo(session.data)
    until = None if anyway else embargo.until(repo)
    if until is not None:
        message = f"the Hub wants {repo} to be left alone: {_not_before(until)}"
        raise HubError(HubProblem("rate", message, "--now tries all the same"))
    try:
        yield
    except HubError as error:
        wait = error.problem.retry_after_s
        if wait:
            until = time.time() + min(wait, LONGEST_SECONDS)
            with suppress(OSError):
                embargo.keep(repo, until)
            hint = f"{_not_before(until)}: then `boxtop push` again"
            error.problem = replace(error.problem, hint=hint)
        raise


def _not_before(until: float) -> str:
    """Return ``not before 02:14, in 59:30``."""
    at = time.strftime("%H:%M", time.localtime(until))
    return f"not before {at}, in {clock_text(until - time.time())}"
