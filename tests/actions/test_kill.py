"""Kills of real process trees: gently from the top, harder only after a second yes.

These are cases RUN-17, RUN-22 and PROV-17.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.links.person import Person
from tests.onbox.end_trees import SCRIPT, FakeTraining
from tests.sshd import SshServer
from tests.waiting import wait_until
from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.journal import Entry, Journal
from tui.actions.kill import Killing
from tui.actions.kill_plan import KillMoment, KillReport, KillRules, Unconfirmed
from tui.actions.kill_program import NothingToEnd
from tui.actions.kill_tree import Member
from tui.actions.kill_words import plan_lines, report_lines
from tui.actions.shell import HereShell, Shell, SshShell
from tui.links.base import LinkError
from tui.links.pipe import Pipe
from tui.runs.ended import EndedFile
from tui.runs.model import Run
from tui.runs.proofs import ProofFile

Start = Callable[..., FakeTraining]
QUICK = KillRules(first=2.0, tree=3.0, hard=20.0)
PATIENT = KillRules(first=60.0, tree=60.0, hard=60.0)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[FakeTraining] = []

    def begin(roles: str, name: str = "run1", shell: bool = False) -> FakeTraining:
        training = FakeTraining(tmp_path / "runs" / name, roles, shell)
        started.append(training)
        return training

    yield begin
    for training in started:
        training.end()


@pytest.fixture
def ended(tmp_path: Path) -> EndedFile:
    return EndedFile(ProofFile(tmp_path / "data" / "proofs.jsonl"))


@pytest.fixture
def make(tmp_path: Path, ended: EndedFile) -> Callable[..., Killing]:
    def killing(rules: KillRules = PATIENT, shell: Shell | None = None) -> Killing:
        journal = Journal(tmp_path / "data")
        return Killing(shell or HereShell(), lambda run: ended, journal, rules)

    return killing


def run_of(training: FakeTraining, **fields: object) -> Run:
    return Run(
        id=training.run.name,
        path=str(training.run),
        pid=training.pid,
        started_at=training.began,
        headline="epoch 12/100",
        **fields,  # type: ignore[arg-type]
    )


def never(members: tuple[Member, ...]) -> bool:
    raise AssertionError("nobody is to be asked for SIGKILL")


def silent(moment: KillMoment) -> None:
    return


def end(killing: Killing, run: Run, agree: Callable[..., bool] = never) -> KillReport:
    plan = killing.plan("lab", run, Cancel())
    return killing.kill(plan, agree, silent, Cancel())


def journalled(tmp_path: Path) -> Entry:
    (entry,) = Journal(tmp_path / "data").entries()
    return entry


def test_an_interrupt_to_the_launcher_ends_the_whole_tree(
    start: Start, make: Callable[..., Killing], ended: EndedFile, tmp_path: Path
) -> None:
    training = start("launcher coordinator rank0 + rank1 + rank2", shell=True)
    beside = start("launcher rank0", name="run2")
    moments: list[KillMoment] = []
    killing = make()
    plan = killing.plan("lab", run_of(training), Cancel())
    assert (plan.first, plan.tree.top.pid) == ("INT", training.pids["launcher"])
    report = killing.kill(plan, never, moments.append, Cancel())
    assert report.ended and report.sent == ("INT",) and report.denied == ()
    assert (report.seen.state, report.seen.error) == ("failed", "KeyboardInterrupt")
    assert training.alive() == set()
    assert beside.alive() == {"launcher", "rank0"}
    signalled = [(one.signal, one.left) for one in moments if one.stage == "signalling"]
    assert signalled == [("INT", 1)], "to the launcher alone"
    record = ended.record()
    assert record is not None and record.seen and record.pid == plan.target.pid
    entry = journalled(tmp_path)
    assert (entry.action, entry.box, entry.run, entry.outcome) == (
        *("kill", "lab", str(training.run), "done"),
    )
    assert entry.asked["top"] == training.pids["launcher"] and entry.asked["processes"] == 5
    assert entry.seen["sent"] == ["INT"] and entry.seen["left"] == []


def test_where_an_interrupt_is_ignored_it_is_term_at_once(
    start: Start, make: Callable[..., Killing]
) -> None:
    training = start("rank0:int")
    killing = make()
    plan = killing.plan("lab", run_of(training), Cancel())
    assert plan.first == "TERM" and plan.tree.top.ignores is True
    words = "\n".join(plan_lines(plan, killing.rules, 3.4828))
    assert "SIGTERM at once" in words and "no final status will come" in words
    assert "SIGINT to" not in words
    report = killing.kill(plan, never, silent, Cancel())
    assert report.ended and report.sent == ("TERM",)
    told = "\n".join(report_lines(report, 3.4828))
    assert "no final status was written: the file says running, boxtop says stopped" in told


def test_a_stubborn_rank_is_killed_after_a_second_yes_alone(
    start: Start, make: Callable[..., Killing], ended: EndedFile, tmp_path: Path
) -> None:
    training = start("launcher coordinator rank0 + rank1:int,term")
    asked: list[tuple[int, ...]] = []

    def answer(yes: bool) -> Callable[[tuple[Member, ...]], bool]:
        def agree(members: tuple[Member, ...]) -> bool:
            asked.append(tuple(member.pid for member in members))
            return yes

        return agree

    run = run_of(training)
    report = end(make(QUICK), run, answer(False))
    assert not report.ended and report.sent == ("INT", "TERM")
    assert [member.pid for member in report.seen.left] == [training.pids["rank1"]]
    assert training.alive() == {"rank1"}
    told = "\n".join(report_lines(report, None))
    assert "run1 has NOT ended: 1 process of it still lives" in told
    record, status = ended.record(), (training.run / "status.json").read_bytes()
    assert record is not None
    assert not record.explains(status), "nothing is called stopped while a worker of it lives"
    assert journalled(tmp_path).outcome == "left"
    assert asked == [(training.pids["rank1"],)]
    again = make(QUICK).plan("lab", run, Cancel())
    assert again.tree.orphans and again.first == "TERM"
    assert [member.pid for member in again.tree.members] == [training.pids["rank1"]]
    assert "the training itself has ended; 1 process of it still lives" in "\n".join(
        plan_lines(again, QUICK, None)
    )
    over = make(QUICK).kill(again, answer(True), silent, Cancel())
    assert over.ended and training.alive() == set()
    record = ended.record()
    assert record is not None and record.explains(status)


def test_the_second_yes_kills(start: Start, make: Callable[..., Killing], tmp_path: Path) -> None:
    training = start("launcher:int coordinator:int rank0:int,term + rank1:int,term")
    report = end(make(QUICK), run_of(training), lambda members: True)
    assert report.ended and report.sent == ("TERM", "TERM", "KILL")
    assert training.alive() == set()
    assert journalled(tmp_path).seen["sent"] == ["TERM", "TERM", "KILL"]


def test_a_training_that_changed_since_the_question_is_left_alone(
    start: Start, make: Callable[..., Killing], tmp_path: Path
) -> None:
    training = start("launcher rank0")
    killing = make()
    plan = killing.plan("lab", run_of(training), Cancel())
    other = replace(plan.tree.top, start=plan.tree.top.start - 1)
    with pytest.raises(ActionError, match="another one now") as changed:
        killing.kill(replace(plan, tree=replace(plan.tree, top=other)), never, silent, Cancel())
    assert changed.value.kind == "changed"
    assert training.alive() == {"launcher", "rank0"}
    assert journalled(tmp_path).outcome == "refused"


def test_a_training_that_ended_during_the_question_needs_no_signal(
    start: Start, make: Callable[..., Killing], ended: EndedFile
) -> None:
    training = start("rank0")
    killing = make()
    plan = killing.plan("lab", run_of(training), Cancel())
    training.end()
    with pytest.raises(NothingToEnd):
        killing.kill(plan, never, silent, Cancel())
    assert ended.record() is None


def test_cancelling_leaves_the_training_as_it_is(
    start: Start, make: Callable[..., Killing], ended: EndedFile, tmp_path: Path
) -> None:
    training = start("rank0:term,int rank1")
    cancel = Cancel()

    def tell(moment: KillMoment) -> None:
        if moment.stage == "waiting":
            cancel.cancel()

    killing = make()
    plan = killing.plan("lab", run_of(training), Cancel())
    with pytest.raises(ActionError) as cancelled:
        killing.kill(plan, never, tell, cancel)
    assert cancelled.value.kind == "cancelled"
    assert training.alive() == {"rank0", "rank1"}
    entry = journalled(tmp_path)
    assert (entry.outcome, entry.seen["sent"]) == ("unknown", ["TERM"])
    record = ended.record()
    assert record is not None and not record.seen, "it may still end from that"


@pytest.mark.sshd
def test_a_link_that_breaks_after_the_signal_is_opened_again_to_look(
    start: Start, make: Callable[..., Killing], ssh_box: SshServer
) -> None:
    training = start("launcher coordinator rank0 + rank1:int,term")
    shell = SshShell(ssh_box.target, Person())
    broken: list[int] = []

    def tell(moment: KillMoment) -> None:
        if moment.stage == "waiting" and not broken:
            broken.append(ssh_box.kill_connections())

    killing = make(QUICK, shell)
    plan = killing.plan("lab", run_of(training), Cancel())
    report = killing.kill(plan, never, tell, Cancel())
    shell.close()
    assert broken and report.lost is not None
    assert report.sent == ("INT",), "nothing is signalled after the link was lost"
    assert [member.pid for member in report.seen.left] == [training.pids["rank1"]]
    assert "the connection broke on the way" in next(report_lines(report, None))


class BreakingShell(HereShell):
    """This machine, until it breaks: then its programs end, and no more start."""

    def __init__(self) -> None:
        super().__init__()
        self._pipes: list[Pipe] = []
        self.broken = False

    def run(self, command_line: str, bulk: bool = False) -> Pipe:
        if self.broken:
            raise LinkError("unreachable", "no route to host")
        pipe = super().run(command_line, bulk)
        self._pipes.append(pipe)
        return pipe

    def break_off(self) -> None:
        self.broken = True
        for pipe in self._pipes:
            pipe.close()


def test_a_box_that_is_lost_for_good_after_the_signal_is_not_called_ended(
    start: Start, make: Callable[..., Killing], ended: EndedFile, tmp_path: Path
) -> None:
    training = start("launcher coordinator rank0 + rank1:int,term")
    shell = BreakingShell()

    def tell(moment: KillMoment) -> None:
        if moment.stage == "waiting":
            shell.break_off()

    killing = make(PATIENT, shell)
    plan = killing.plan("lab", run_of(training), Cancel())
    with pytest.raises(Unconfirmed, match="SIGINT went out, then the box was lost") as lost:
        killing.kill(plan, never, tell, Cancel())
    assert "no route to host" in str(lost.value) and lost.value.hint
    assert journalled(tmp_path).outcome == "unknown"
    record = ended.record()
    assert record is not None and not record.seen


def test_of_a_notebook_only_the_training_in_it_is_interrupted(
    tmp_path: Path, make: Callable[..., Killing]
) -> None:
    run = tmp_path / "runs" / "run1"
    run.mkdir(parents=True)
    kernel = tmp_path / "ipykernel_launcher.py"
    cell = SCRIPT.replace(
        "except KeyboardInterrupt:\n", "except KeyboardInterrupt:\n    cell = 1\n"
    )
    kernel.write_text(cell + "\nprint('interrupted', flush=True)\nwhile True: signal.pause()\n")
    with subprocess.Popen([sys.executable, kernel, run, "rank0"]) as process:
        try:
            wait_until(lambda: (run / "pid.rank0").exists())
            described = Run(id="run1", path=str(run), pid=process.pid)
            report = end(make(), described)
            assert report.ended and report.seen.over and report.sent == ("INT",)
            assert [member.pid for member in report.seen.left] in ([], [process.pid])
            assert process.poll() is None
            assert "the notebook it ran in lives on" in "\n".join(report_lines(report, None))
        finally:
            process.kill()


@pytest.mark.skipif(os.getuid() != 0 or not shutil.which("unshare"), reason="needs root")
def test_a_training_in_a_container_is_found_from_its_host(
    tmp_path: Path, make: Callable[..., Killing]
) -> None:
    run = tmp_path / "runs" / "run1"
    run.mkdir(parents=True)
    (run / "tree.py").write_text(SCRIPT)
    inside = f'"{sys.executable}" "{run}/tree.py" "{run}" rank0 & wait'
    words = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", inside]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_until(lambda: process.poll() is not None or (run / "pid.rank0").exists())
            if process.poll() is not None:
                pytest.skip(f"no pid namespaces here: {process.stderr and process.stderr.read()}")
            inner = int((run / "pid.rank0").read_text())
            assert inner < 10, "its pid is that of its own namespace"
            report = end(make(), Run(id="run1", path=str(run), pid=inner))
            assert report.ended and report.plan.tree.training.pid > 10
            assert report.sent == ("TERM",), "a shell's background job ignores SIGINT"
            assert process.wait(20) is not None
        finally:
            process.kill()


def test_without_a_pid_there_is_nothing_to_aim_at(make: Callable[..., Killing]) -> None:
    with pytest.raises(
        ActionError, match="which process trains run1: its status names none"
    ) as told:
        make().plan("lab", Run(id="run1", path="/nowhere"), Cancel())
    assert told.value.hint == "end it where it was started"
