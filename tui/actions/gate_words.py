"""What the gate says of a checkpoint that would be lost; every name in it is made harmless."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tui.actions.gate_facts import ELSEWHERE, BoxFile, RunFacts, Witness
from tui.runs.words import count_text, size_text
from tui.text import said

_LONG = 200
_NAME = 80


def looked_text(places: Iterable[str]) -> str:
    """Return where was looked: what lies in none of these is seen by nobody."""
    named = dict.fromkeys([*places, *ELSEWHERE])
    return f"looked for runs below {', '.join(said(place, _NAME) for place in named)}"


def searched_texts(wide: Sequence[str], partly: Sequence[str]) -> Iterator[str]:
    """Yield where was looked besides, and which places were not searched to their end."""
    if wide:
        yield f"looked for runs below {_listed(wide)}, too, and for trainings at work anywhere"
    if partly:
        yield f"{_listed(partly)}: not all of it was searched for runs"


def _listed(places: Sequence[str]) -> str:
    return ", ".join(said(place, _NAME) for place in places)


def titled(run: RunFacts, file: BoxFile | None = None) -> str:
    """Return whom a line is about: ``run1: best.pt (103 MB, epoch 52)``."""
    name = name_of(run)
    if file is None:
        return name
    facts = []
    if file.size is not None:
        facts.append(size_text(file.size))
    if file.epoch is not None:
        facts.append(f"epoch {file.epoch}")
    return f"{name}: {said(file.name, 80)}" + (f" ({', '.join(facts)})" if facts else "")


def name_of(run: RunFacts) -> str:
    """Return what a run is called; of a long path its end, which tells it from others."""
    name = said(run.name, 10 * _NAME)
    return name if len(name) <= _NAME else f"…{name[1 - _NAME :]}"


def others_texts(run: RunFacts) -> Iterator[str]:
    """Yield what goes with a run beside the checkpoints that matter, if anything does."""
    if not run.others_count:
        return
    named = ", ".join(said(name, _NAME) for name in run.others)
    more = run.others_count - len(run.others)
    what = f"{named} and {more} more" if more else named
    yield f"{name_of(run)}: {what} would go, too: whether they are saved was not looked at"


def damaged_text(run: RunFacts, file: BoxFile) -> str:
    """Return what a broken file means: nothing can save it."""
    why = f" ({said(file.reason, _LONG)})" if file.reason else ""
    return f"{titled(run, file)} is no complete checkpoint{why}: it cannot be saved"


def unknown_text(run: RunFacts, file: BoxFile) -> str:
    """Return why nobody can tell whether a file is saved."""
    return f"{titled(run, file)} cannot be checked: {said(file.reason or 'not told', _LONG)}"


def unsaved_text(run: RunFacts, file: BoxFile) -> str:
    """Return what is lost of a whole checkpoint that no proof stands for."""
    whole = titled(run, file)
    own = [witness for witness in file.witnesses if witness.proof.sha256 == file.sha256]
    if own:
        return f"{whole} was saved, but {_fallen(own[0])}"
    older = last_standing(file)
    if older is not None:
        behind = epochs_behind(file)
        since = f"copy{_of_epoch(older)} at {_where(older)}"
        if behind:
            return f"{whole} has {count_text(behind, 'epoch')} more than its saved {since}"
        return f"{whole} was written again since its saved {since}"
    if file.witnesses:
        return f"{whole} was written again since it was saved, and {_fallen(file.witnesses[0])}"
    lost = f": {count_text(file.epoch, 'epoch')} would be lost" if file.epoch else ""
    return f"{whole} is saved nowhere{lost}"


def last_standing(file: BoxFile) -> Witness | None:
    """Return the newest earlier version that is still saved."""
    standing = [witness for witness in file.witnesses if witness.stands]
    return max(standing, key=lambda witness: witness.proof.at, default=None)


def epochs_behind(file: BoxFile) -> int | None:
    """Return how many epochs a file has gone on since its last saved version, None if unknown.

    Of a file that was never saved these are all of its epochs.
    """
    older = last_standing(file)
    if older is None:
        return file.epoch
    then = older.proof.epoch
    if file.epoch is None or then is None or file.epoch <= then:
        return None
    return file.epoch - then


def saved_text(run: RunFacts, file: BoxFile, witness: Witness) -> str:
    """Return what proves a file: ``run1: best.pt (103 MB) is saved at hf://…``."""
    return f"{titled(run, file)} is saved at {_where(witness)}"


def _fallen(witness: Witness) -> str:
    if witness.seen is not None:
        return f"other bytes lie at {_where(witness)} now"
    why = said(witness.reason or "it cannot be looked at", _LONG)
    return f"the copy at {_where(witness)} does not count: {why}"


def _where(witness: Witness) -> str:
    return said(witness.proof.where, _LONG)


def _of_epoch(witness: Witness) -> str:
    return "" if witness.proof.epoch is None else f" of epoch {witness.proof.epoch}"
