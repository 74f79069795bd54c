"""Kills of real LibreYOLO trainings over a real sshd: with workers, and one that ignores SIGINT."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import introduce
from tests.links.person import Person
from tests.sshd import SshServer
from tests.training.trainings import PYTHON, START_SECONDS, Training, clear_home, make_home, runs
from tests.waiting import wait_until
from tui.actions.cancel import Cancel
from tui.actions.kill import Killing
from tui.actions.kill_plan import KillMoment, KillReport
from tui.actions.kill_tree import Member
from tui.actions.kill_words import plan_lines, report_lines
from tui.actions.shell import SshShell
from tui.boxes import Box
from tui.links.asking import RefusingAsker
from tui.runs.ended import EndedFile
from tui.view import RunView
from tui.watch import look
from tui.watch.proofs import proof_file

pytestmark = [pytest.mark.train, pytest.mark.sshd, pytest.mark.timeout(400)]

WORKERS = 2


class Loaded(Training):
    """A training whose data loader has two workers."""

    def __init__(self, home: Path, name: str) -> None:
        super().__init__(home, name, epochs=500)
        at = self.command.index("workers=0")
        self.command[at : at + 1] = [f"workers={WORKERS}"]

    def start_from_script(self, server: SshServer) -> None:
        """Start it as a script does that a provider runs: ``nohup … &``, and gone."""
        script = self.directory.parent.parent / "onstart.sh"
        log = shlex.quote(str(self.console))
        line = f"OMP_NUM_THREADS=1 nohup {shlex.join(self.command)} > {log} 2>&1 < /dev/null &"
        script.write_text(f"#!/bin/sh\n{line}\nexit 0\n")
        self.command = ["sh", str(script)]
        self.start_detached(server)


@pytest.fixture(scope="module")
def trainings(sshd: SshServer) -> Iterator[dict[str, Loaded]]:
    if not PYTHON.exists():
        pytest.skip(f"no Python with LibreYOLO at {PYTHON}: set BOXTOP_TRAIN_PYTHON")
    make_home(sshd.home)
    started = {name: Loaded(sshd.home, name) for name in ("workers", "ignoring")}
    started["workers"].start_in_terminal()
    started["ignoring"].start_from_script(sshd)
    yield started
    for training in started.values():
        training.end()
    clear_home(sshd.home)


@pytest.fixture
def box(sshd: SshServer, home: Path) -> Box:
    introduce(sshd, home)
    return Box("lab", sshd.text, sshd.target, roots=(str(sshd.home / "runs"),))


def seen(box: Box, name: str, data: Path) -> RunView:
    """One look at the run."""
    (view,) = look((box,), RefusingAsker(), data)
    (found,) = [one for one in view.runs if one.run.id == name]
    return found


def refuse(members: tuple[Member, ...]) -> bool:
    raise AssertionError(f"SIGTERM was not enough for {members}")


def children(pid: int) -> list[int]:
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(word) for word in path.read_text().split()]
    return found


def killing_of(box: Box, sshd: SshServer, data: Path) -> Killing:
    shell = SshShell(sshd.target, Person())
    return Killing(shell, lambda run: EndedFile(proof_file(data, box, run)))


def end(
    box: Box, sshd: SshServer, training: Loaded, data: Path
) -> tuple[KillReport, list[KillMoment]]:
    """End a training in the middle of an epoch, when its workers are there."""
    pid = training.pid
    wait_until(lambda: training.status and training.status.current_epoch, START_SECONDS, "epoch")
    killing = killing_of(box, sshd, data)
    run = seen(box, training.directory.name, data).run
    moments: list[KillMoment] = []
    wait_until(lambda: len(children(pid)) >= WORKERS, 60, "workers")
    plan = killing.plan("lab", run, Cancel())
    assert plan.tree.training.pid == pid
    assert not any(os.getpid() == member.pid for member in plan.tree.members)
    print("\n".join(plan_lines(plan, killing.rules, 3.48)))
    report = killing.kill(plan, refuse, moments.append, Cancel())
    print("\n".join(report_lines(report, 3.48)))
    return report, moments


def test_sigint_ends_a_training_with_its_workers(
    box: Box, sshd: SshServer, trainings: dict[str, Loaded], tmp_path: Path
) -> None:
    training, other = trainings["workers"], trainings["ignoring"]
    pid, beside = training.pid, other.pid
    report, _ = end(box, sshd, training, tmp_path)
    assert report.plan.first == "INT" and report.sent[0] == "INT"
    assert report.ended and report.seen.left == ()
    assert (report.seen.state, report.seen.error) == ("failed", "KeyboardInterrupt")
    assert training.process is not None and training.process.wait(20) != 0
    assert not runs(pid, "workers") and children(pid) == []
    assert runs(beside, "ignoring"), "the training beside it goes on"
    run = seen(box, "workers", tmp_path).run
    assert run.verdict == "stopped" and run.reported_state == "failed"


def test_sigterm_goes_at_once_to_a_training_that_ignores_sigint(
    box: Box, sshd: SshServer, trainings: dict[str, Loaded], tmp_path: Path
) -> None:
    training = trainings["ignoring"]
    pid = training.pid
    report, moments = end(box, sshd, training, tmp_path)
    assert report.plan.tree.top.ignores is True
    assert report.sent[0] == "TERM" and "INT" not in report.sent
    assert report.ended and not runs(pid, "ignoring")
    signalled = [(one.signal, one.left) for one in moments if one.stage == "signalling"]
    assert signalled[0] == ("TERM", 1)
    assert json.loads((training.directory / "status.json").read_text())["state"] == "running"
    run = seen(box, "ignoring", tmp_path).run
    assert (run.verdict, run.reason) == ("stopped", "stopped by boxtop")
    assert run.reported_state == "running"
