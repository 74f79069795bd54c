"""Which weights a finish line still has to save, and what became of those it began with. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui.actions.choice import choose
from tui.actions.finish_wish import Save, Setting
from tui.actions.hub_names import filled, safe_name
from tui.actions.push_plan import PushPlan
from tui.actions.transfer import Pull, Task, TransferView, transfer_text
from tui.config.settings import HubSettings
from tui.errors import UserError
from tui.runs.model import Checkpoint, Run
from tui.runs.saved import saved_state
from tui.view import BoxView, RunView

REASON = "the finish line"


@dataclass(frozen=True, slots=True)
class Work:
    """One transfer that is to begin: the weights that matter of one run, one way out."""

    save: Save
    run: RunView
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SaveStep:
    """What is to begin now, what is under way, and why it cannot go on (``failed``)."""

    begin: tuple[Work, ...] = ()
    under_way: tuple[TransferView, ...] = ()
    failed: str | None = None

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do."""
        return not self.begin and not self.under_way and self.failed is None


@dataclass(frozen=True, slots=True)
class _Begun:
    number: int
    files: tuple[tuple[str, int, float], ...]


class FinishSaves:
    """Remembers the transfers of one finish line; ``saves`` are the ways out of the box.

    ``is_proven``: the gate asks the Hub anew afterwards. Where it does not, an earlier push counts
    for nothing: what it put there may be gone.
    """

    def __init__(self, saves: Iterable[Save], *, is_proven: bool = True) -> None:
        self._saves = tuple(saves)
        self._is_proven = is_proven
        self._begun: dict[tuple[Save, str], _Begun] = {}

    def begun(self, work: Work, number: int) -> None:
        """Take note of a transfer's number."""
        files = _files(weights_of(work.run.run))
        self._begun[work.save, work.run.run.path] = _Begun(number, files)

    def step(self, runs: Sequence[RunView], transfers: Sequence[TransferView]) -> SaveStep:
        """Return what is left to do for runs; ``transfers`` are all of their box."""
        begin: list[Work] = []
        under_way: list[TransferView] = []
        for view in runs:
            files = weights_of(view.run)
            for save in self._saves if files else ():
                found = self._of(save, view, files, transfers)
                if isinstance(found, str):
                    return SaveStep(failed=found)
                if isinstance(found, Work):
                    begin.append(found)
                elif found is not None:
                    under_way.append(found)
        return SaveStep(tuple(begin), tuple(under_way))

    def _of(
        self,
        save: Save,
        view: RunView,
        files: Sequence[Checkpoint],
        transfers: Sequence[TransferView],
    ) -> Work | TransferView | str | None:
        """Return what to begin or to wait for, a failure in words, or None for what is saved."""
        begun = self._begun.get((save, view.run.path))
        own = _numbered(begun, transfers)
        if own is not None and not own.is_over:
            return own
        if begun is not None and own is not None and begun.files == _files(files):
            if own.state == "saved":
                return None
            text = transfer_text(own)
            return f"{text}; {own.hint}" if own.hint else text
        if (self._is_proven or save == "pull") and _is_saved(save, files):
            return None
        other = next(
            (
                one
                for one in transfers
                if one.run == view.run.path and one.kind == save and not one.is_over
            ),
            None,
        )
        return other or Work(save, view, tuple(file.name for file in files))


def weights_of(run: Run) -> tuple[Checkpoint, ...]:
    """Return the checkpoints that the gate asks for: best and last, else the newest; or none."""
    try:
        return choose((), run)
    except UserError:
        return ()


def task_of(work: Work, setting: Setting, box: BoxView, hub: HubSettings, folder: Path) -> Task:
    """Return the transfer; a pull goes below ``folder``, as by hand. Raises UserError."""
    run = work.run.run
    if work.save == "pull":
        directory = folder / safe_name(f"{setting.box}-{run.id}")
        return Pull(setting.box, run.path, run.id, work.names, directory)
    if hub.to is None:
        raise no_place()
    return PushPlan(
        box=setting.box,
        run=run,
        names=work.names,
        place=filled(hub.to, run.id, setting.box),
        via=hub.via,
        private=hub.private,
        public=not hub.private,
        console=work.run.console_path,
        provider=box.rent.provider if box.rent else None,
        reason=REASON,
    )


def no_place() -> UserError:
    """Return why a push has no place to go to."""
    return UserError(
        "a push needs to know where to", 'add [hub] to = "ORG/{run}" to boxtop.toml, or pull'
    )


def _files(files: Sequence[Checkpoint]) -> tuple[tuple[str, int, float], ...]:
    return tuple((file.name, file.bytes, file.modified_at) for file in files)


def _numbered(begun: _Begun | None, transfers: Sequence[TransferView]) -> TransferView | None:
    """Return the transfer that was begun; one that gave way to a person's own is not there."""
    if begun is None:
        return None
    return next((one for one in transfers if one.number == begun.number), None)


def _is_saved(save: Save, files: Sequence[Checkpoint]) -> bool:
    """Whether the newest proof of every file is of this way out; the gate proves it anew."""
    for file in files:
        if saved_state(file) != "saved" or file.saved is None:
            return False
        if (file.saved.commit is not None) != (save == "push"):
            return False
    return True
