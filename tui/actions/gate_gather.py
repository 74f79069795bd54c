"""Collecting what the gate judges: the runs of a box, the hashes of their weights, their proofs.

Whatever cannot be told becomes words in the facts, never a gap: the gate takes no answer for a no.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from tui.actions.errors import ActionError
from tui.actions.gate import Loses, kept
from tui.actions.gate_again import looked_again
from tui.actions.gate_facts import (
    BoxFacts,
    BoxFile,
    FoundRun,
    RunFacts,
    Seen,
    Witness,
    steady_now,
)
from tui.actions.gate_survey import Place, Survey, Trouble
from tui.actions.gate_told import is_alive, known_of, places_of, trouble_of
from tui.actions.gate_words import searched_texts
from tui.actions.snapshot import Weight
from tui.config.settings import USUAL_ROOTS
from tui.links.base import LinkError
from tui.runs.proofs import Proof

SETTLE_SECONDS = 2.5
"""A file that was written to this moment is looked at again after so long."""

TRIES = 3
OLDER_LOOKED_AT = 3
"""So many earlier versions are looked for, to say how far a file has gone on since."""

CHANGED = "it changed while it was checked"
KEPT = "they were not looked at: a stop keeps them"


class Eyes(Protocol):
    """How a box and the places of copies are looked at. Errors are ActionError, in words."""

    def runs(self) -> Sequence[FoundRun]:
        """Return the runs that are followed, as they are at this moment."""
        ...

    def survey(self, runs: Sequence[str], *, widely: bool = False) -> Survey:
        """Return where these runs lie, and every other one below the roots.

        ``widely`` looks elsewhere for more, too.
        """
        ...

    def weights(self, run: str, names: Sequence[str]) -> Sequence[Weight]:
        """Return checkpoints of a run's directory, each read to its end and hashed."""
        ...

    def proofs(self, run: str) -> Sequence[Proof]:
        """Return every proof that was kept of a run."""
        ...

    def same(self, size: int, sha256: str) -> Sequence[Proof]:
        """Return every proof of such bytes that was kept, of whichever box and run."""
        ...

    def look_at(self, proof: Proof) -> Seen:
        """Return what lies where a proof says: at the Hub's commit, or on this machine."""
        ...

    def look_again(self, proof: Proof, seen: Seen) -> Seen:
        """Return what lies there now; ``seen`` is what did at an earlier look."""
        ...


@dataclass(frozen=True, slots=True)
class Pace:
    """The clock of the facts, and how to wait."""

    clock: Callable[[], float] = steady_now
    sleep: Callable[[float], object] = time.sleep


def gather(
    box: str,
    eyes: Eyes,
    *,
    loses: Loses | None = None,
    same_machine: bool | None = None,
    pace: Pace | None = None,
) -> BoxFacts:
    """Collect the facts of a box for ``gate.judge``; raises nothing that a box can cause.

    ``loses`` is given before a stop: weights that it keeps are not read. ``same_machine`` says that
    this machine is the box, so that its own copies would go with it; None finds it out. What
    changes between the first look and the last counts as unknown. The facts are as old as the last
    look's end: on a slow disk the look itself may take longer than a judgement counts. Proofs that
    stood are looked at again by then, copies on this machine as the very last.
    """
    pace = pace or Pace()
    runs: Sequence[FoundRun] = ()
    try:
        runs = eyes.runs()
        before = eyes.survey([run.path for run in runs], widely=True)
        here = before.same_machine if same_machine is None else same_machine
        collector = _Collector(eyes, pace, loses, copies_count=not here)
        found = tuple(collector.run(place, known_of(place, runs)) for place in before.places)
        for on_hub in (True, False):
            found = looked_again(found, partial(_again, eyes), on_hub=on_hub)
        after = eyes.survey([way for place in before.places for way in place.ways])
    except (ActionError, LinkError) as error:
        known = tuple(RunFacts(run.path, run.name, run.alive, epoch=run.epoch) for run in runs)
        return BoxFacts(box, pace.clock(), known, unreachable=_words(error))
    at, confirmed = pace.clock(), _confirmed(found, before, after)
    confirmed = looked_again(confirmed, partial(_again, eyes), on_hub=False)
    return BoxFacts(
        box=box,
        at=at,
        runs=(*confirmed, *_appeared(before, after), *_missing(runs, before)),
        unseen=tuple(_words_of(one) for one in after.troubles if not _is_usual(one)),
        notes=(
            *(_words_of(one) for one in after.troubles if _is_usual(one)),
            *searched_texts(before.searched, before.partly),
        ),
        copies_count=not here,
    )


class _Collector:
    """Reads the weights of one run after the other; each proof's place is looked at once."""

    def __init__(self, eyes: Eyes, pace: Pace, loses: Loses | None, copies_count: bool) -> None:
        self._eyes = eyes
        self._pace = pace
        self._loses = loses
        self._copies_count = copies_count
        self._seen: dict[tuple[str, str | None], Witness] = {}

    def run(self, place: Place, followed: Sequence[FoundRun]) -> RunFacts:
        """Return the facts of one run, which is followed under one name, or several, or none."""
        known = followed[0] if followed else None
        facts = RunFacts(
            path=place.path,
            name=known.name if known else place.path,
            alive=is_alive(place, followed),
            places=places_of(place),
            epoch=known.epoch if known else None,
            trouble=trouble_of(place),
            in_memory=place.in_memory,
            others=place.others,
            others_count=place.others_count,
        )
        names = [entry.name for entry in place.files]
        if facts.trouble is not None or not names:
            return facts
        if self._loses is not None and not place.in_memory and kept(facts.places, self._loses):
            return replace(facts, trouble=KEPT)
        try:
            weights = self._weights(place.path, names)
            proofs = [proof for path in place.ways for proof in self._eyes.proofs(path)]
        except ActionError as error:
            return replace(facts, trouble=_words(error))
        files = tuple(self._file(name, weights, proofs) for name in names)
        return replace(facts, files=files)

    def _weights(self, run: str, names: Sequence[str]) -> dict[str, Weight]:
        """Read checkpoints; what is being written gets its time, as long as that is short."""
        found: dict[str, Weight] = {}
        wanted = list(names)
        for attempt in range(TRIES):
            if attempt:
                self._pace.sleep(SETTLE_SECONDS)
            found |= {one.name: one for one in self._eyes.weights(run, wanted)}
            wanted = [name for name in wanted if name in found and found[name].complete is None]
            if not wanted:
                break
        return found

    def _file(self, name: str, weights: dict[str, Weight], proofs: Sequence[Proof]) -> BoxFile:
        weight = weights.get(name)
        if weight is None:
            return BoxFile(name, "unknown", reason="the box did not tell of it")
        size = weight.identity.size if weight.identity else None
        if weight.complete is False and weight.identity is not None:
            file = BoxFile(name, "damaged", size, weight.sha256, weight.reason, weight.epoch)
        elif weight.complete and weight.sha256:
            file = BoxFile(name, "whole", size, weight.sha256, None, weight.epoch)
        else:
            reason = weight.reason or "it could not be read"
            file = BoxFile(name, "unknown", size, None, reason, weight.epoch)
        return replace(file, witnesses=self._witnesses(file, proofs))

    def _witnesses(self, file: BoxFile, proofs: Sequence[Proof]) -> tuple[Witness, ...]:
        """Look again at what may prove a file, until something does; else at older versions."""
        looked = []
        for proof in self._same(file, proofs):
            looked.append(self._look_at(proof))
            if looked[-1].stands:
                return tuple(looked)
        older = [one for one in proofs if one.name == file.name and one.sha256 != file.sha256]
        for proof in sorted(older, key=lambda one: one.at, reverse=True)[:OLDER_LOOKED_AT]:
            looked.append(self._look_at(proof))
            if looked[-1].stands:
                break
        return tuple(looked)

    def _same(self, file: BoxFile, proofs: Sequence[Proof]) -> Iterator[Proof]:
        """Yield the proofs of a file's bytes, the run's own first, the Hub's and newest before."""

        def rank(proof: Proof) -> tuple[bool, float]:
            return proof.on_hub, proof.at

        own = [one for one in proofs if (one.bytes, one.sha256) == (file.size, file.sha256)]
        yield from sorted(own, key=rank, reverse=True)
        if file.size is not None and file.sha256 is not None:
            others = [one for one in self._eyes.same(file.size, file.sha256) if one not in own]
            yield from sorted(others, key=rank, reverse=True)

    def _look_at(self, proof: Proof) -> Witness:
        if not proof.on_hub and not self._copies_count:
            return Witness(proof, None, "it lies on this very box")
        place = (proof.where, proof.commit)
        if place not in self._seen:
            self._seen[place] = _looked(proof, partial(self._eyes.look_at, proof))
        return replace(self._seen[place], proof=proof)


def _looked(proof: Proof, look: Callable[[], Seen]) -> Witness:
    """Return what a look finds, or why there is none."""
    try:
        return Witness(proof, look())
    except ActionError as error:
        return Witness(proof, None, _words(error))


def _again(eyes: Eyes, witness: Witness) -> Witness:
    """Return a witness that stood as it is now."""
    proof, seen = witness.proof, witness.seen
    return witness if seen is None else _looked(proof, lambda: eyes.look_again(proof, seen))


def _is_usual(trouble: Trouble) -> bool:
    """Whether it is but another account's home: searched on every box, named by nobody."""
    return trouble.root and trouble.path in USUAL_ROOTS


def _words_of(trouble: Trouble) -> str:
    return f"{trouble.path}: {trouble.reason}"


def _confirmed(found: Sequence[RunFacts], before: Survey, after: Survey) -> tuple[RunFacts, ...]:
    """Return the facts of runs that are still what they were when their weights were read."""
    now = {place.path: place for place in after.places}
    facts = []
    for run, then in zip(found, before.places, strict=True):
        same = now.get(then.path) == then
        facts.append(run if same else replace(run, trouble=run.trouble or CHANGED))
    return tuple(facts)


def _appeared(before: Survey, after: Survey) -> tuple[RunFacts, ...]:
    old = {place.path for place in before.places}
    new = [place for place in after.places if place.path not in old]
    return tuple(RunFacts(one.path, one.path, None, (one.real,), trouble=CHANGED) for one in new)


def _missing(runs: Sequence[FoundRun], survey: Survey) -> tuple[RunFacts, ...]:
    """Return runs that are followed, and that the box tells nothing of under any name."""
    told = {path for place in survey.places for path in (place.path, place.real, *place.alike)}
    lost = [run for run in runs if run.path not in told]
    reason = "the box did not tell of it"
    return tuple(RunFacts(run.path, run.name, run.alive, trouble=reason) for run in lost)


def _words(error: ActionError | LinkError) -> str:
    return f"{error}; {error.hint}" if error.hint else str(error)
