"""The proofs that let a box go, looked at once more when everything else was looked at. Pure.

To read a box's weights takes minutes: a copy that was seen at their beginning may be gone by then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tui.actions.gate_facts import BoxFile, RunFacts, Witness

Again = Callable[[Witness], Witness]


def looked_again(runs: Sequence[RunFacts], again: Again, *, on_hub: bool) -> tuple[RunFacts, ...]:
    """Return the runs with each proof that stood as it is now; each place is asked once.

    ``on_hub``: those of the Hub, which may take its time to answer, or those of this machine.
    """
    seen: dict[tuple[str, str | None], Witness] = {}

    def witness_now(witness: Witness) -> Witness:
        if not witness.stands or witness.proof.on_hub != on_hub:
            return witness
        place = (witness.proof.where, witness.proof.commit)
        if place not in seen:
            seen[place] = again(witness)
        return replace(seen[place], proof=witness.proof)

    def file_now(file: BoxFile) -> BoxFile:
        return replace(file, witnesses=tuple(map(witness_now, file.witnesses)))

    return tuple(replace(run, files=tuple(map(file_now, run.files))) for run in runs)
