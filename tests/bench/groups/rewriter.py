"""Snapshots and pulls while somebody rewrites the checkpoint in place all the time."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tests.bench.bench import Bench
from tests.bench.boxes import near_box
from tests.bench.figures import Figure
from tests.bench.groups.pull import Nobody
from tests.onbox.checkpoints import checkpoint, make_weights, rewriting, sha256
from tui.actions.errors import ActionError
from tui.actions.pull import pull_one
from tui.actions.shell import SshShell
from tui.actions.snapshot import Rules

VERSIONS = (checkpoint(2_000_000, 1), checkpoint(2_000_000, 2))
RULES = Rules(settle=0.0, patience=2.0, spare=0)
"""No rest is waited for: only the comparison before and after, and the CRCs, are in the way."""


def measure(bench: Bench) -> Iterator[Figure]:
    """Every accepted pull must be one of the two whole versions."""
    wanted = bench.repeats(200, 40)
    whole = {sha256(version) for version in VERSIONS}
    accepted = refused = wrong = 0
    began = time.monotonic()
    with near_box(bench) as server:
        run = make_weights(server.home / "run")
        shell = SshShell(server.target, Nobody())
        with rewriting(run / "weights" / "best.pt", VERSIONS, 0.0005, 100_000, 0.02):
            while accepted < wanted:
                try:
                    found = pull_one(
                        shell, str(run), "best.pt", bench.directory / "to", rules=RULES
                    )
                except ActionError as error:
                    if error.kind not in ("changed", "damaged"):
                        raise
                    refused += 1
                    continue
                accepted += 1
                wrong += found.sha256 not in whole
                wrong += sha256(found.path.read_bytes()) != found.sha256
        shell.close()
    note = f"{refused} refused, {time.monotonic() - began:.0f} s"
    yield Figure(f"wrong of {accepted} pulls under a rewriter", "", wrong, at_most=0, note=note)
