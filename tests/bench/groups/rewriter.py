"""Pushes and pulls while somebody rewrites the checkpoint in place all the time."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tests.bench.bench import Bench
from tests.bench.boxes import near_box
from tests.bench.figures import Figure
from tests.bench.groups.pull import Nobody
from tests.hub.server import Hub
from tests.onbox.checkpoints import checkpoint, make_weights, rewriting, sha256
from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.hub_names import Destination
from tui.actions.hub_token import Token
from tui.actions.pull import pull_one
from tui.actions.push_plan import PushPlan
from tui.actions.saving import Saving
from tui.actions.shell import HereShell, SshShell
from tui.actions.snapshot import Rules
from tui.runs.model import Run
from tui.runs.proofs import ProofFile

VERSIONS = (checkpoint(2_000_000, 1), checkpoint(2_000_000, 2))
RULES = Rules(settle=0.0, patience=2.0, spare=0)
"""No rest is waited for: only the comparison before and after, and the CRCs, are in the way."""


WHOLE = {sha256(version) for version in VERSIONS}


def measure(bench: Bench) -> Iterator[Figure]:
    """Every accepted pull and push must be one of the two whole versions."""
    yield from measure_pulls(bench)
    yield from measure_pushes(bench)


def measure_pushes(bench: Bench) -> Iterator[Figure]:
    """Push from this machine to a Hub on loopback; what it holds then must be a whole version."""
    wanted = bench.repeats(200, 10)
    accepted = refused = wrong = 0
    began = time.monotonic()
    hub = Hub().start()
    run = make_weights(bench.directory / "pushed", best=VERSIONS[0])
    plan = PushPlan("box", Run(id="run", path=str(run)), ("best.pt",), Destination("my-org/run"))
    kept = ProofFile(bench.directory / "proofs")
    saving = Saving(HereShell(), lambda _run: kept, endpoint=hub.url, rules=RULES)
    with rewriting(run / "weights" / "best.pt", VERSIONS, 0.0005, 100_000, 0.02):
        while accepted < wanted:
            try:
                pushed = saving.push(Token(hub.token, "bench"), plan, lambda _: None, Cancel())
            except ActionError as error:
                if error.kind not in ("changed", "damaged"):
                    raise
                refused += 1
                continue
            accepted += 1
            held = sha256(hub.store.repos["my-org/run"].head.entries["best.pt"].data)
            wrong += held not in WHOLE or pushed.proofs[0].sha256 != held
    saving.close()
    hub.stop()
    note = f"{refused} refused, {time.monotonic() - began:.0f} s"
    yield Figure(f"wrong of {accepted} pushes under a rewriter", "", wrong, at_most=0, note=note)


def measure_pulls(bench: Bench) -> Iterator[Figure]:
    """Pull over a real sshd."""
    wanted = bench.repeats(200, 40)
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
                wrong += found.sha256 not in WHOLE
                wrong += sha256(found.path.read_bytes()) != found.sha256
        shell.close()
    note = f"{refused} refused, {time.monotonic() - began:.0f} s"
    yield Figure(f"wrong of {accepted} pulls under a rewriter", "", wrong, at_most=0, note=note)
