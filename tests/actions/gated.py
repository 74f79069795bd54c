"""A box that the gate looks at for real, and what is saved of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.onbox.checkpoints import checkpoint, make_weights, sha256, write_status
from tui.actions.gate import Judgement, judge
from tui.actions.gate_eyes import BoxEyes
from tui.actions.gate_gather import Pace, gather
from tui.actions.hub_problem import HubError, HubProblem
from tui.actions.hub_proof import ListedFile
from tui.actions.shell import LocalShell, Shell
from tui.runs.model import Run
from tui.runs.proofs import Proof, ProofFile
from tui.view import BoxView, LinkState, LinkView, RunView

ONE, TWO = checkpoint(20_000, seed=1), checkpoint(20_000, seed=2)
COMMIT = "c" * 40


@dataclass
class Rented:
    """A box that is this machine, judged as if it were another."""

    home: Path
    shell: Shell = field(default_factory=LocalShell)
    link: LinkState = "live"
    followed: list[Run] = field(default_factory=list)
    listed: dict[str, ListedFile] | None = None
    same_machine: bool | None = False
    waited: list[float] = field(default_factory=list)

    @property
    def root(self) -> Path:
        return self.home / "runs"

    def run(self, name: str, *, followed: bool = True, **files: bytes) -> Path:
        """Make a run that completed, and whose process is gone."""
        path = make_weights(self.root / name, **files)
        write_status(path, state="completed", pid=None, completed_epochs=3, start_epoch=1)
        if followed:
            facts = Run(id=name, path=str(path), reported_state="completed", pid_alive=False)
            self.followed.append(facts)
        return path

    def proofs(self, run: str) -> ProofFile:
        return ProofFile(self.home / "proofs" / Path(run).name)

    def view(self) -> BoxView:
        runs = tuple(RunView(run, None, None, None) for run in self.followed)  # type: ignore[arg-type]
        return BoxView("lab", "lab", LinkView(self.link), runs, searched=(str(self.root),))

    def listing(self, repo: str, paths: Sequence[str], commit: str) -> list[ListedFile]:
        assert self.listed is not None
        if commit != COMMIT:
            raise HubError(HubProblem("missing", f"{repo} has no such commit"))
        return [self.listed[path] for path in paths if path in self.listed]

    def save(self, run: Path, name: str, data: bytes, where: Path | str) -> None:
        """Keep a proof, as a push or a pull does, and a copy where it is one of this machine."""
        if isinstance(where, Path):
            where.parent.mkdir(parents=True, exist_ok=True)
            where.write_bytes(data)
        proof = Proof(
            name=name,
            where=str(where),
            sha256=sha256(data),
            bytes=len(data),
            at=1.0,
            commit=COMMIT if isinstance(where, str) else None,
            epoch=3,
            mtime=(run / "weights" / name).stat().st_mtime,
        )
        self.proofs(str(run)).add([proof])

    def judged(self) -> Judgement:
        listing = None if self.listed is None else self.listing
        eyes = BoxEyes(self.shell, self.view, self.proofs, [str(self.root)], listing)
        pace = Pace(sleep=self.waited.append)
        facts = gather("lab", eyes, same_machine=self.same_machine, pace=pace)
        return judge(facts, "destroy")

    def told(self) -> list[str]:
        return [one.text for one in self.judged().refusals]


@pytest.fixture
def lab(tmp_path: Path) -> Rented:
    (tmp_path / "runs").mkdir()
    return Rented(tmp_path)


def saved_run(lab: Rented, name: str = "run1") -> Path:
    run = lab.run(name, best=ONE, last=TWO)
    lab.save(run, "best.pt", ONE, lab.home / "copies" / name / "best.pt")
    lab.save(run, "last.pt", TWO, lab.home / "copies" / name / "last.pt")
    return run
