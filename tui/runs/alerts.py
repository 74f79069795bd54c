"""The lines about a run that a person should read, most urgent first."""

from __future__ import annotations

from collections.abc import Iterator

from tui.runs import files
from tui.runs.diagnosis import shared_memory_text
from tui.runs.disk import disk_text
from tui.runs.findings import Findings
from tui.runs.status import KNOWN_SCHEMA, trouble_text
from tui.runs.verdict import Judgement, loss_text, lost_losses, survivors_of
from tui.runs.words import count_text, epochs_text
from tui.text import said

_AT_WORK = frozenset({"starting", "running", "stalled", "diverged", "unknown"})


def alerts(found: Findings, judgement: Judgement) -> tuple[str, ...]:
    """Return the lines, each once."""
    lines = (
        *_resources(found, judgement),
        *_losses(found),
        *_life(found),
        *_files(found, judgement),
    )
    return tuple(dict.fromkeys(lines))


def _resources(found: Findings, judgement: Judgement) -> Iterator[str]:
    """Disk and shared memory, while they matter to the run."""
    evidence = found.evidence
    if judgement.verdict in _AT_WORK | {"failed", "dead"} and (full := disk_text(evidence.disk)):
        yield full
    if judgement.verdict in _AT_WORK:
        shm = shared_memory_text(evidence.shm, only_full=True)
        if shm:
            yield shm


def _losses(found: Findings) -> Iterator[str]:
    lost = lost_losses(found)
    if lost:
        yield loss_text(lost)
        return
    epochs = found.metrics.not_finite_epochs()
    if epochs:
        word = "epoch" if len(epochs) == 1 else "epochs"
        yield f"train/loss not finite in {word} {epochs_text(epochs)}"


def _life(found: Findings) -> Iterator[str]:
    """What is left of a dead training, and silence where nobody can look at the process."""
    survivors = survivors_of(found)
    if survivors and found.life.alive is False:
        pids = epochs_text(survivors)
        still = (
            "process of the training still lives"
            if len(survivors) == 1
            else ("processes of the training still live")
        )
        yield f"{len(survivors)} {still}: pid {pids}"


def _files(found: Findings, judgement: Judgement) -> Iterator[str]:
    """What could not be read, or not be understood."""
    if found.reading.trouble:
        yield found.reading.trouble
    for name, trouble in found.evidence.troubles.items():
        if name != files.STATUS:
            yield trouble_text(trouble)
    if found.metrics.bad_lines:
        yield f"{count_text(found.metrics.bad_lines, 'bad line')} in the metrics"
    version = found.status.schema_version
    if version is not None and version != KNOWN_SCHEMA:
        yield f"status.json has schema_version {version}, boxtop knows {KNOWN_SCHEMA}"
    if judgement.verdict in _AT_WORK:
        return
    for checkpoint in found.evidence.checkpoints:
        if checkpoint.complete is False:
            yield f"{said(checkpoint.name, 80)} is not a complete checkpoint"
