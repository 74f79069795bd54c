"""When checkpoints go to the Hub by themselves: pure, decided from what is proven already.

Nothing is remembered but the proofs, so a restart pushes neither twice nor never.
"""

from __future__ import annotations

from dataclasses import dataclass

from tui.config.settings import AutoPush
from tui.runs.assess import ENDED
from tui.runs.model import Checkpoint, Run
from tui.runs.saved import MATTER, epoch_of, saved_state

BEST, LAST = MATTER


@dataclass(frozen=True, slots=True)
class Due:
    """Checkpoints that should be pushed now, and why, in words."""

    names: tuple[str, ...]
    reason: str


def due(run: Run, rule: AutoPush, now: float) -> Due | None:
    """Return what the rule asks for now, None for nothing; ``now`` is this machine's clock.

    A checkpoint that is saved as it is, or is damaged, is never asked for.
    """
    files = {file.name: file for file in run.checkpoints}
    unsaved = [name for name in MATTER if name in files and _open(files[name])]
    if not unsaved:
        return None
    if rule.on_end and run.verdict in ENDED:
        return Due(tuple(unsaved), f"the run {_ending(run)}")
    if rule.every_epochs and LAST in unsaved and _passed(files[LAST], run, rule.every_epochs):
        return Due(tuple(unsaved), f"epoch {run.epoch}")
    if rule.best_every is not None and BEST in unsaved:
        saved = files[BEST].saved
        if saved is None or now - saved.at >= rule.best_every:
            return Due((BEST,), f"a new best{_at(files[BEST], run)}")
    return None


def asks_for_anything(rule: AutoPush) -> bool:
    """Whether a rule ever pushes."""
    return rule.on_end or rule.every_epochs is not None or rule.best_every is not None


def _open(file: Checkpoint) -> bool:
    return saved_state(file) in ("unsaved", "older")


def _passed(last: Checkpoint, run: Run, every: int) -> bool:
    """Whether a multiple of ``every`` epochs was finished since the saved one."""
    if run.epoch is None:
        return False
    before = last.saved.epoch if last.saved and last.saved.epoch else 0
    if before > run.epoch:  # of a training that stood at this path before
        before = 0
    return run.epoch // every > before // every


def _at(file: Checkpoint, run: Run) -> str:
    epoch = epoch_of(file, run)
    return f" at epoch {epoch}" if epoch else ""


def _ending(run: Run) -> str:
    return {"dead": "died", "stopped": "was stopped"}.get(run.verdict, run.verdict)
