"""The gate: whether a box may be stopped or destroyed without losing weights. Pure, no I/O.

Each of best.pt and last.pt of every run on the box must be saved: a commit of the Hub, or a copy on
this machine, looked at again just now, has the size and sha256 of the file on the box now. And no
run may be alive. What is not known counts against the box: the gate passes on facts alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tui.actions import gate_words as words
from tui.actions.gate_facts import BoxFacts, BoxFile, RunFacts, Seen, Witness
from tui.text import said

Action = Literal["stop", "destroy"]
Offer = Literal["push", "pull", "kill", "again", "override"]
"""What helps: save to the Hub or here, end the training, look again, or type the box's name."""

Kind = Literal[
    "unreachable",  # the box cannot be asked
    "unseen",  # a place where runs may lie could not be looked at
    "alive",
    "maybe_alive",  # nobody knows that its process is gone
    "unlisted",  # the weights of a run cannot be told
    "unreadable",  # one checkpoint cannot be read, or changes meanwhile
    "damaged",
    "unsaved",
]

Loses = Callable[[str], bool | None]
"""Whether a stop loses what lies at a path of the box; None where nobody knows."""

FRESH_SECONDS = 15.0
"""A judgement is worth something for so long: a training may write at any moment."""

_SHA256 = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Refusal:
    """One thing that stands against the action, and what helps; ``text`` is one line for people.

    ``size`` is the bytes that would be lost, ``epochs`` how many are in no saved version.
    """

    kind: Kind
    text: str
    offers: tuple[Offer, ...]
    run: str | None = None
    path: str | None = None
    file: str | None = None
    size: int | None = None
    epochs: int | None = None


@dataclass(frozen=True, slots=True)
class Proven:
    """A checkpoint that is safe, and by what; ``text`` is one line for people and the journal."""

    run: str
    path: str
    file: str
    where: str
    sha256: str
    size: int
    commit: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the gate says of one action on one box, by facts that were complete ``at``.

    ``warnings`` stand against nothing, but should be read before; ``ends`` are those that name what
    is ended or goes all the same. ``trainings`` are those of them that a stop ends: path and text.
    """

    box: str
    action: Action
    at: float
    refusals: tuple[Refusal, ...]
    proven: tuple[Proven, ...] = ()
    warnings: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    trainings: tuple[tuple[str, str], ...] = ()

    @property
    def passes(self) -> bool:
        """Whether nothing would be lost."""
        return not self.refusals

    @property
    def offers(self) -> tuple[Offer, ...]:
        """Everything that helps against a refusal, the override last."""
        every = [offer for refusal in self.refusals for offer in refusal.offers]
        order: tuple[Offer, ...] = ("push", "pull", "kill", "again", "override")
        return tuple(offer for offer in order if offer in every)

    def allows(self, now: float, typed: str | None = None) -> bool:
        """Whether the action may be done now: it passes and is fresh, or the name was typed.

        ``now`` is by the clock of ``at``; what is older must be judged anew.
        """
        if self.refusals:
            return bool(self.box) and typed == self.box
        return 0 <= now - self.at <= FRESH_SECONDS


def judge(facts: BoxFacts, action: Action, loses: Loses | None = None) -> Judgement:
    """Judge an action by what is known of a box.

    A destroy loses everything. A stop loses what ``loses`` says of the places of each run; without
    it, and where it does not know, all of it.
    """
    keeps = _Keeps(action, loses)
    if facts.unreachable is not None:
        return _unreachable(facts, action, keeps)
    refusals: list[Refusal] = []
    proven: list[Proven] = []
    ends: list[str] = []
    trainings: list[tuple[str, str]] = []
    if not keeps.all:
        refusals += [_unseen(place) for place in facts.unseen]
    for run in facts.runs:
        if keeps.run(run):
            trainings += [(run.path, text) for text in _stopped_run(run)]
            continue
        ends += words.others_texts(run)
        refusals += _refusals(run, facts.copies_count)
        proven += _proven(run)
    told = (*(text for _, text in trainings), *ends)
    return Judgement(
        *(facts.box, action, facts.at, tuple(refusals), tuple(proven)),
        warnings=(*facts.notes, *told),
        ends=told,
        trainings=tuple(trainings),
    )


def kept(places: Sequence[str], loses: Loses) -> bool:
    """Whether a stop keeps all of a run's real places; where none is known it does not."""
    return bool(places) and all(loses(place) is False for place in places)


class _Keeps:
    """What of a box outlives the action."""

    def __init__(self, action: Action, loses: Loses | None) -> None:
        self._loses = loses if action == "stop" else None
        self.all = self._loses is not None and self._loses("/") is False

    def run(self, run: RunFacts) -> bool:
        """Whether a run and its weights lie where they are kept, whatever is the trouble there.

        What is in memory is on no disk, also where a stop keeps the whole of that.
        """
        if run.in_memory:
            return False
        if self.all and self._loses is not None:
            return not any(self._loses(place) for place in run.places)
        return self._loses is not None and kept(run.places, self._loses)


def _unreachable(facts: BoxFacts, action: Action, keeps: _Keeps) -> Judgement:
    why = said(facts.unreachable or "", 200)
    if keeps.all:
        note = f"{said(facts.box)} cannot be reached ({why}); a stop keeps its whole disk"
        return Judgement(facts.box, action, facts.at, (), (), (note, *facts.notes))
    known = ", ".join(words.name_of(run) for run in facts.runs[:8])
    text = f"cannot check {said(facts.box)}: {why}"
    text += f"; last seen there: {known}" if known else ""
    refusal = Refusal("unreachable", text, ("again", "override"))
    return Judgement(facts.box, action, facts.at, (refusal,), (), facts.notes)


def _unseen(place: str) -> Refusal:
    text = f"cannot look everywhere for runs: {said(place, 200)}"
    return Refusal("unseen", text, ("again", "override"))


def _stopped_run(run: RunFacts) -> Iterator[str]:
    if run.alive is False:
        return
    doubt = "is training" if run.alive else "may be training"
    yield f"{words.titled(run)} {doubt}: a stop ends it; what it wrote stays on the box's disk"


def _refusals(run: RunFacts, copies_count: bool) -> Iterator[Refusal]:
    """Yield everything of one run that stands against losing it."""
    name = words.titled(run)
    if run.alive:
        text = f"{name}: its process is still alive, and what it has not written yet is lost"
        yield Refusal("alive", text, ("kill", "override"), run.name, run.path)
    elif run.alive is None:
        text = f"{name}: nobody can tell that its training has ended"
        yield Refusal("maybe_alive", text, ("again", "override"), run.name, run.path)
    if run.trouble is not None:
        text = f"{name}: its weights cannot be checked: {said(run.trouble, 200)}"
        yield Refusal("unlisted", text, ("again", "override"), run.name, run.path)
    for file in run.files:
        if witness_of(file) is None:
            yield _of_file(run, file, copies_count)


def _of_file(run: RunFacts, file: BoxFile, copies_count: bool) -> Refusal:
    kind: Kind
    offers: tuple[Offer, ...]
    match file.state:
        case "damaged":
            kind, offers, text = "damaged", ("override",), words.damaged_text(run, file)
        case "whole" if file.sha256 and file.size is not None:
            kind, text = "unsaved", words.unsaved_text(run, file)
            offers = ("push", "pull", "override") if copies_count else ("push", "override")
        case _:
            kind, offers, text = "unreadable", ("again", "override"), words.unknown_text(run, file)
    behind = words.epochs_behind(file) if kind == "unsaved" else None
    return Refusal(kind, text, offers, run.name, run.path, file.name, file.size, behind)


def _proven(run: RunFacts) -> Iterator[Proven]:
    for file in run.files:
        witness = witness_of(file)
        if witness is not None:
            proof = witness.proof
            text = words.saved_text(run, file, witness)
            yield Proven(
                *(run.name, run.path, file.name, proof.where, proof.sha256, proof.bytes),
                *(proof.commit, text),
            )


def witness_of(file: BoxFile) -> Witness | None:
    """Return what proves that a whole file is saved, None when nothing does.

    The proof may have been made of another file of the run: equal bytes are equal weights.
    """
    if file.state != "whole" or file.size is None or file.sha256 is None:
        return None
    if file.size <= 0 or _SHA256.fullmatch(file.sha256) is None:
        return None
    now = Seen(file.size, file.sha256)
    for witness in file.witnesses:
        commit = witness.proof.commit
        if commit is not None and _COMMIT.fullmatch(commit) is None:
            continue
        if witness.stands and witness.seen == now and witness.reason is None:
            return witness
    return None
