"""A judged run a few seconds later, when nothing new was heard: only its times have moved on."""

from __future__ import annotations

import msgspec

from tui.runs.model import Run
from tui.runs.words import clock_text

JUDGE_AGAIN_SECONDS = 5.0
"""A silent run is judged anew this often: stalled, overdue and wasted depend on the time alone."""


def advance(run: Run, seconds: float) -> Run:
    """Return the run with its age and ETA carried on; a judgement costs fifty times as much."""
    if run.age_s is None:
        return run
    eta = None if run.eta_s is None else max(0.0, run.eta_s - seconds)
    counting = eta is not None and not run.eta_text.startswith("overdue")
    return msgspec.structs.replace(
        run,
        age_s=run.age_s + seconds,
        eta_s=eta,
        eta_text=clock_text(eta) if counting and eta is not None else run.eta_text,
    )
