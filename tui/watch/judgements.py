"""What was said of each run last, so that a run nothing happened to is not judged again."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from tui.facts import Vitals
from tui.money import Source
from tui.runs.advance import JUDGE_AGAIN_SECONDS, advance
from tui.runs.assess import assess
from tui.runs.model import Run
from tui.watch.run_state import RunState

Prices = tuple[float | None, float | None, Source]
"""What a box costs while it runs, and now, in US dollars an hour, and who says so.

None is unknown.
"""


@dataclass(frozen=True, slots=True)
class _Judged:
    """A run as it was judged, and what it was judged from."""

    revision: int
    now: float
    clock: float
    box: Vitals | None
    prices: Prices
    run: Run


class Judgements:
    """The last judgement of each run of one box, by the run's path."""

    def __init__(self) -> None:
        self._last: dict[str, _Judged] = {}

    def judge(
        self, run: RunState, now: float, clock: float, box: Vitals | None, prices: Prices
    ) -> Run:
        """Judge a run when something of it changed or its last judgement is some seconds old.

        Times are those of ``Evidence``.
        """
        known = self._last.get(run.found.path)
        same = known is not None and known.revision == run.revision and known.prices == prices
        if known is not None and same and known.box is box:
            passed = clock - known.clock
            if passed == 0.0 and now == known.now:
                return known.run
            if 0.0 <= passed < JUDGE_AGAIN_SECONDS and known.run.verdict != "starting":
                return advance(known.run, passed)
        judged = assess(run.evidence(now, clock, box, prices))
        if not run.live:
            judged = msgspec.structs.replace(judged, pid_alive=None)
        self._last[run.found.path] = _Judged(run.revision, now, clock, box, prices, judged)
        return judged

    def forget(self, path: str) -> None:
        """Judge a run anew next time."""
        self._last.pop(path, None)
