"""Weights from a box to this machine, proven byte for byte before they get their names."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tui.actions.cancel import Cancel
from tui.actions.copies import Copy, is_itself
from tui.actions.errors import ActionError
from tui.actions.progress import Progress, Rate, measured
from tui.actions.pull_lanes import Lanes
from tui.actions.pull_part import Part, check_name
from tui.actions.shell import Shell
from tui.actions.snapshot import Identity, Rules, Snapshot, Stage, TakenFile, snapshot
from tui.text import one_line

TRIES = 3
PAUSE_SECONDS = 1.0
TELL_SECONDS = 0.1
STAGES = {"wait": "waiting for", "copy": "copying", "check": "checking"}
"""What the box does, as people are told."""

Tell = Callable[[Progress], None]
MayReplace = Callable[[Path], bool]


@dataclass(frozen=True, slots=True)
class Pulled:
    """A checkpoint that arrived whole at ``path``; ``identity`` is that of its source then.

    ``copy`` tells the file at ``path`` from whatever is put there later.
    """

    name: str
    path: Path
    size: int
    sha256: str
    epoch: int | None
    identity: Identity
    copy: Copy


@dataclass(slots=True)
class PullReport:
    """What arrived, in the order asked for, and why the others did not."""

    pulled: list[Pulled] = field(default_factory=list)
    failed: dict[str, ActionError] = field(default_factory=dict)


def pull(
    shell: Shell,
    run: str,
    names: Sequence[str],
    directory: Path,
    *,
    tell: Tell | None = None,
    cancel: Cancel | None = None,
    rules: Rules | None = None,
    tries: int = TRIES,
    may_replace: MayReplace | None = None,
    arrived: Callable[[Pulled], None] = lambda _pulled: None,
) -> PullReport:
    """Pull checkpoints of a run directory one after the other, as ``pull_one`` does each.

    ``arrived`` is called with each as soon as it is there, for the next may take hours. A failure
    that the next one would meet as well (the link, the disk, a cancel) ends the pull.
    """
    report = PullReport()
    for name in names:
        try:
            found = pull_one(
                *(shell, run, name, directory),
                tell=tell,
                cancel=cancel,
                rules=rules,
                tries=tries,
                may_replace=may_replace,
            )
        except ActionError as error:
            report.failed[name] = error
            if error.kind not in ("changed", "damaged", "missing", "denied", "refused", "busy"):
                break
        else:
            report.pulled.append(found)
            arrived(found)
    return report


def pull_one(
    shell: Shell,
    run: str,
    name: str,
    directory: Path,
    *,
    tell: Tell | None = None,
    cancel: Cancel | None = None,
    rules: Rules | None = None,
    tries: int = TRIES,
    may_replace: MayReplace | None = None,
) -> Pulled:
    """Pull one checkpoint into a directory, which is made where it is missing.

    It comes to ``NAME.part``, from where a later call goes on when the bytes on the box are still
    the same. A lost link, and a source that changed, are tried again. ``tell`` is called from this
    thread; ``may_replace`` says whether another file of that name may go, None that any may. A
    connect that hangs ends when the shell is closed, not by ``cancel``.
    Raises ActionError; nothing is left under ``name`` that was not proven.
    """
    check_name(name)
    cancel = cancel or Cancel()
    teller = _Teller(name, tell)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{one_line(str(directory))} cannot be made: {error.strerror}"
        raise ActionError("denied", message, "name another directory") from error
    for left in reversed(range(tries)):
        cancel.check()
        try:
            return _Pull(shell, run, name, directory, teller, cancel, may_replace).run(rules)
        except ActionError as error:
            cancel.check()
            if not left or not (error.heals or error.kind == "damaged") or _is_final(error):
                raise
            teller.stage("waiting for", None, None, str(error))
            cancel.pause(PAUSE_SECONDS)
    raise ActionError("usage", "no try was asked for")


class _Teller:
    """Tells progress, not too often."""

    def __init__(self, name: str, tell: Tell | None) -> None:
        self._name = one_line(name)
        self._tell = tell
        self._rate = Rate()
        self._stage = ""
        self._told = 0.0

    def stage(self, stage: str, done: int | None, total: int | None, note: str = "") -> None:
        """Tell bytes done of bytes in all."""
        now = time.monotonic()
        if self._tell is None:
            return
        if stage != self._stage:
            self._rate = Rate()
        elif now - self._told < TELL_SECONDS and done != total:
            return
        self._stage, self._told = stage, now
        self._tell(measured(self._rate, stage, self._name, done, total, note))


class _Refused(ActionError):
    """The box has tried as often as it makes sense."""


def _is_final(error: ActionError) -> bool:
    return isinstance(error, _Refused)


@dataclass(frozen=True, slots=True)
class _Pull:
    """One try."""

    shell: Shell
    run_path: str
    name: str
    directory: Path
    teller: _Teller
    cancel: Cancel
    may_replace: MayReplace | None

    def run(self, rules: Rules | None) -> Pulled:
        def told(stage: Stage) -> None:
            self.cancel.check()
            self.teller.stage(STAGES.get(stage.stage, stage.stage), stage.done, stage.total)

        self.teller.stage("asking for", None, None)
        with snapshot(
            self.shell,
            self.run_path,
            [self.name],
            rules=rules,
            tell=told,
            bulk=True,
            cancel=self.cancel,
        ) as held:
            if self.name in held.refused:
                error = held.refused[self.name]
                raise _Refused(error.kind, str(error), error.hint)
            taken = held.checkpoints[self.name]
            self._check_source(taken)
            with Part(self.directory, self.name, taken.size, taken.sha256) as part:
                path = self._fetched(held, taken, part)
                copy = part.copy
        return Pulled(self.name, path, taken.size, taken.sha256, taken.epoch, taken.identity, copy)

    def _fetched(self, held: Snapshot, taken: TakenFile, part: Part) -> Path:
        if part.is_there():
            part.drop()
            return self.directory / self.name
        self._check_target()
        part.need_room()

        def pulling(done: int) -> None:
            self.teller.stage("pulling", done, taken.size)

        try:
            Lanes(self.shell, held, taken, part, self.cancel, pulling).run()
            confirmed = held.confirm(taken)
        except ActionError as error:
            if error.kind == "changed":
                part.discard()
            raise
        if not confirmed:
            part.discard()
            raise ActionError("changed", f"{one_line(self.name)} changed while it was pulled")
        part.prove(self._checked(taken.size))
        return part.finish()

    def _check_source(self, taken: TakenFile) -> None:
        """Raise ActionError("refused") where the file itself lies: that saves nothing."""
        target = self.directory / self.name
        if is_itself(target, taken.identity):
            message = f"{one_line(str(target))} is the very file that was to be copied"
            raise _Refused("refused", message, "name another directory")

    def _check_target(self) -> None:
        """Raise ActionError("refused") for a file that is no earlier copy of this checkpoint."""
        target = self.directory / self.name
        if self.may_replace is None or not os.path.lexists(target) or self.may_replace(target):
            return
        message = f"{one_line(str(target))} is there already and is no copy of this run's"
        raise ActionError("refused", message, "name another directory, or move it away")

    def _checked(self, total: int) -> Callable[[int], None]:
        def tell(done: int) -> None:
            self.cancel.check()
            self.teller.stage("checking", done, total)

        return tell
