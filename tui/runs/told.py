"""Why a run ended, in one line: its own status is believed before any log."""

from __future__ import annotations

from tui.runs.model import Run
from tui.text import said


def own_error(run: Run) -> str | None:
    """Return the error of a failed run's status, where what a log tells does not name it."""
    error, found = run.error, run.diagnosis
    if error is None or run.verdict != "failed" or not error.type:
        return None
    told = "" if found is None else "\n".join((found.summary, *found.excerpt))
    if error.type.rpartition(".")[2] in told:
        return None
    return said(": ".join(part for part in (error.type, error.message) if part))


def cause_text(run: Run) -> str:
    """Return the one line that says most of why a run is as it is."""
    own = own_error(run)
    if own is not None:
        return own
    return said(run.diagnosis.summary if run.diagnosis else run.reason or run.headline)
