"""Where the proofs of a run's saved checkpoints are kept, for whoever adds to them."""

from __future__ import annotations

from pathlib import Path

from tui.boxes import Box, LocalTarget
from tui.runs.mirrors import Mirrors
from tui.runs.proofs import ProofFile, local_proof_file, unmirrored_proof_file
from tui.text import one_line


def proof_file(data: Path, box: Box, run_path: str) -> ProofFile:
    """Return the proofs of a run of a box: beside its mirror, where it has one.

    ``data`` is the directory of the mirrors; ``run_path`` the run's absolute path on the box.
    """
    if isinstance(box.target, LocalTarget):
        return unmirrored(data, box, run_path)
    mirror = Mirrors(data).box(box.kept_as, one_line(box.text))
    for run in mirror.runs():
        if run.meta.path == run_path:
            return mirror.proofs(run)
    return unmirrored(data, box, run_path)


def unmirrored(data: Path, box: Box, run_path: str) -> ProofFile:
    """Return the proofs of a run that has no mirror: of this machine, or where none can be kept."""
    if isinstance(box.target, LocalTarget):
        return local_proof_file(data, run_path)
    return unmirrored_proof_file(data, box.kept_as, run_path)
