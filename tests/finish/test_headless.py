"""A finish line without a screen: a real sshd, a vendor with a ledger, runs that really end."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from tests.alerts.listener import Listener
from tests.cli.test_instance import BEST, ID, LAST
from tests.hub.faults import Answer
from tests.hub.server import Hub
from tests.onbox.checkpoints import checkpoint, make_weights, put, write_status
from tests.providers.fake_http import HTML_503
from tests.providers.fake_vast import FakeVast
from tests.sshd import SshServer
from tests.waiting import wait_until
from tui.actions import finish_desk
from tui.actions.finish_line import Timing
from tui.actions.instance_watched import watched_sight
from tui.alerts import watcher
from tui.cli import finish_headless as finish_headless_module
from tui.cli.console import Console
from tui.cli.finish import finish_setting
from tui.cli.finish_headless import finish_headless
from tui.cli.session import Session

pytestmark = pytest.mark.sshd
QUICK = Timing(tick=0.05, settle=0.5, countdown=0.5, first_wait=0.3, longest_wait=0.3, tries=3)


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, hub: Hub) -> None:
    """Quick times; pulls come to a directory of the test, and this machine is not the box."""
    elsewhere = partial(watched_sight, same_machine=False)
    monkeypatch.setattr(finish_headless_module, "watched_sight", elsewhere)
    monkeypatch.setattr(finish_desk, "TIMING", QUICK)
    monkeypatch.setenv("HF_TOKEN", hub.token)
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")


class Training:
    """A run directory with a process that lives until it is ended."""

    def __init__(self, runs: Path, name: str = "run1") -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
        )
        self.path = make_weights(runs / name, best=BEST, last=LAST)
        self.began = datetime.now(UTC).isoformat(timespec="seconds")
        self.write("running", current_epoch=3, completed_epochs=2)

    def write(self, state: str, **values: object) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        facts = {"start_epoch": 1, "total_epochs": 9, "started_at": self.began, "updated_at": now}
        write_status(self.path, state=state, pid=self.process.pid, **facts, **values)

    def end(self, state: str = "completed", **values: object) -> None:
        """Write the last status, then end the process."""
        self.write(state, completed_epochs=9, **values)
        self.kill()

    def kill(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(10)


class Called:
    """boxtop watch --when-done in a thread: its lines as they come, and its exit code."""

    def __init__(
        self,
        words: tuple[object, ...],
        when_done: str,
        also: str = "",
        out: io.StringIO | None = None,
    ) -> None:
        self.err, self.out = io.StringIO(), out or io.StringIO()
        session = Session()
        session.config, session.data_dir = str(words[1]), str(words[3])
        session.console = Console(out=self.out, err=self.err)
        self._session, self._when_done, self._also = session, when_done, also
        self.code: int | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        self._began = time.monotonic()

    def _is_late(self) -> bool:
        return not self.thread.is_alive() or time.monotonic() - self._began > 40

    def _run(self) -> None:
        yes = "lab" if "destroy" in self._when_done else None
        setting = finish_setting(self._session, ("lab",), self._when_done, self._also, yes)
        self.code = finish_headless(self._session, ("lab",), setting)

    @property
    def lines(self) -> str:
        return self.err.getvalue()

    def wait_for(self, text: str) -> None:
        wait_until(lambda: text in self.lines or self._is_late(), 60, repr(text))
        assert text in self.lines, self.lines

    def end(self) -> int | None:
        self.thread.join(40)
        assert not self.thread.is_alive(), self.lines
        assert "Traceback" not in self.lines
        return self.code


Train = Callable[..., Training]


@pytest.fixture
def train(lab: Path) -> Iterator[Train]:
    begun: list[Training] = []

    def start(name: str = "run1") -> Training:
        begun.append(Training(lab, name))
        return begun[-1]

    yield start
    for one in begun:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


def journal(tmp_path: Path) -> list[dict[str, object]]:
    lines = (tmp_path / "data" / "journal.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def with_hub(words: tuple[object, ...]) -> None:
    config = Path(str(words[1]))
    config.write_text(f'{config.read_text()}[hub]\nto = "my-org/{{run}}"\nvia = "here"\n')


def test_a_run_that_completes_is_pulled_and_its_box_destroyed(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    tmp_path: Path,
) -> None:
    run = train()
    called = Called(words, "pull,destroy")
    called.wait_for("finish line of lab (pull, destroy): waits for run1, epoch 3/9")
    assert (
        "when all training on lab has completed: pull the weights, then DESTROY lab" in called.lines
    )
    run.write("completed", completed_epochs=9)
    fake.allow("destroy", ID)
    assert fake.ledger == []
    run.kill()
    assert called.end() == 0, called.lines
    assert fake.ledger == [("destroy", ID)]
    assert (tmp_path / "cwd" / "lab-run1" / "best.pt").read_bytes() == BEST
    for line in (
        "saves: pull of run1",
        "looks at every run and weight again before the destroy",
        "all is saved and proven: DESTROYS lab (vast 700001) in 0:01",
        "finish line of lab done: lab (vast 700001) is gone: vast's list says so",
    ):
        assert called.lines.count(line) == 1, called.lines
    entries = journal(tmp_path)
    assert [(one["action"], one["outcome"]) for one in entries] == [
        ("finish line", "asked"),
        ("destroy", "asked"),
        ("destroy", "done"),
        ("finish line", "done"),
    ]
    asked = entries[1]["asked"]
    assert isinstance(asked, dict)
    assert asked["override"] is None and len(asked["gate"]["proven"]) == 2
    assert entries[0]["asked"]["typed"] == "lab"  # type: ignore[index]


class Screen(io.StringIO):
    """A terminal's stdout."""

    def isatty(self) -> bool:
        return True


def alerts_to(words: tuple[object, ...], listener: Listener) -> None:
    config = Path(str(words[1]))
    config.write_text(f"{config.read_text()}[alerts]\nurls = ['http://{listener.place}/hook']\n")
    config.chmod(0o600)


def kinds(listener: Listener) -> list[str]:
    return [event["kind"] for one in listener.taken for event in one.body["events"]]


def test_what_happens_and_how_it_ended_is_told_where_alerts_go(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    listener: Listener,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = Timing(tick=0.05, settle=0.5, countdown=10.0, first_wait=0.3, tries=3)
    monkeypatch.setattr(finish_desk, "TIMING", slow)
    monkeypatch.setattr(watcher, "LOOK_SECONDS", 0.3)
    monkeypatch.setenv("TERM", "xterm-kitty")
    alerts_to(words, listener)
    run = train()
    screen = Screen()
    called = Called(words, "pull,stop", out=screen)
    called.wait_for("waits for run1")
    memory = Path(str(words[3]))
    wait_until(lambda: any("true" in one.read_text() for one in memory.glob("alerts-*.json")), 30)
    fake.allow("stop", ID)
    run.end()
    assert called.end() == 0, called.lines
    assert kinds(listener) == ["completed", "finished"]
    assert "lab run1 completed" in listener.taken[0].body["text"]
    assert "is stopped: vast's list says so" in listener.taken[-1].body["text"]
    assert "lab still bills $0.069444/h" in listener.taken[-1].body["text"]
    assert called.lines.count("alert: lab run1 completed") == 1
    assert screen.getvalue().count("\x1b]9;boxtop: ") == len(listener.taken)


def test_an_end_is_told_once_however_often_boxtop_is_started_over_it(
    fake: FakeVast, words: tuple[object, ...], train: Train, listener: Listener
) -> None:
    alerts_to(words, listener)
    train().end()
    for _ in range(2):
        called = Called(words, "destroy")
        assert called.end() == 5, called.lines
    assert kinds(listener) == ["finish_failed"]
    assert "best.pt" in listener.taken[0].body["text"]
    assert "\x1b" not in called.out.getvalue()


def test_a_line_that_only_a_person_can_go_on_with_is_told(
    fake: FakeVast, words: tuple[object, ...], train: Train, listener: Listener
) -> None:
    alerts_to(words, listener)
    listener.answer(503)
    run = train()
    called = Called(words, "pull,stop")
    called.wait_for("waits for run1")
    run.end("failed", error={"type": "ValueError", "message": "no labels"})
    assert called.end() == 3, called.lines
    assert kinds(listener)[-1] == "finish_failed" and len(listener.taken) == 2
    assert "run1 failed, and that was not asked for" in listener.taken[1].body["text"]
    assert "boxtop tries again" in called.lines


def test_two_runs_are_waited_for_pushed_and_the_box_stopped(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    hub: Hub,
) -> None:
    with_hub(words)
    first, second = train(), train("run2")
    called = Called(words, "push,stop")
    called.wait_for("waits for run1, run2")
    first.end()
    called.wait_for("waits for run2, epoch 3/9")
    assert hub.asked("commit") == []
    fake.allow("stop", ID)
    second.end()
    assert called.end() == 0, called.lines
    assert fake.ledger == [("stop", ID)]
    assert hub.store.repos["my-org/run2"].head.entries["last.pt"].data == LAST
    assert "lab (vast 700001) is stopped: vast's list says so" in called.lines
    assert "lab still bills $0.069444/h" in called.lines


def test_what_is_not_saved_is_not_destroyed_and_the_code_is_5(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    tmp_path: Path,
) -> None:
    train().end()
    called = Called(words, "destroy")
    assert called.end() == 5, called.lines
    assert "NOT done: nothing was sent, lab (vast 700001) bills on: run1: best.pt" in called.lines
    assert fake.ledger == []
    assert journal(tmp_path)[-1]["outcome"] == "refused"


def test_a_push_that_fails_sends_nothing_and_the_code_is_6(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    hub: Hub,
) -> None:
    with_hub(words)
    hub.order("commit", Answer(403, {"error": "Private repository storage limit reached"}))
    train().end()
    called = Called(words, "push,destroy")
    assert called.end() == 6, called.lines
    assert "NOT done: nothing was sent: push failed: no storage left" in called.lines
    assert fake.ledger == []


def test_a_run_that_fails_needs_a_person_unless_it_was_asked_for(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
) -> None:
    run = train()
    called = Called(words, "pull,stop")
    called.wait_for("waits for run1")
    run.end("failed", error={"type": "ValueError", "message": "no labels"})
    assert called.end() == 3, called.lines
    assert "run1 failed, and that was not asked for" in called.lines
    told = "ends with boxtop: nobody will pull the weights, then stop lab (vast 700001)\n"
    assert called.lines.endswith(told)
    fake.allow("stop", ID)
    called = Called(words, "pull,stop", "failed")
    assert called.end() == 0, called.lines
    assert fake.ledger == [("stop", ID)]


def test_a_run_that_dies_is_saved_where_that_was_asked_for(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
) -> None:
    run = train()
    called = Called(words, "pull,destroy", "dead")
    called.wait_for("waits for run1")
    fake.allow("destroy", ID)
    run.process.kill()
    run.process.wait()
    assert called.end() == 0, called.lines
    assert fake.ledger == [("destroy", ID)]


def test_a_run_that_begins_in_the_countdown_is_waited_for(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = Timing(tick=0.05, settle=0.5, countdown=6.0, first_wait=0.3, tries=3)
    monkeypatch.setattr(finish_desk, "TIMING", slow)
    train().end()
    called = Called(words, "pull,destroy")
    called.wait_for("DESTROYS lab (vast 700001) in 0:0")
    second = train("run2")
    called.wait_for("waits for run2")
    fake.allow("destroy", ID)
    second.end()
    assert called.end() == 0, called.lines
    assert called.lines.count("DESTROYS") >= 2
    assert Path("lab-run2/last.pt").read_bytes() == LAST


def test_a_training_that_nobody_watches_keeps_its_box_from_being_stopped(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    ssh_box: SshServer,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    slow = Timing(0.05, settle=0.5, countdown=6.0, first_wait=0.3, longest_wait=0.3, tries=200)
    monkeypatch.setattr(finish_desk, "TIMING", slow)
    train().end()
    called = Called(words, "stop")
    called.wait_for("stops lab (vast 700001) in 0:0")
    project = ssh_box.home / "LibreYOLO"
    request.addfinalizer(lambda: shutil.rmtree(project))
    hidden = Training(project / "runs", "late")
    request.addfinalizer(hidden.process.kill)
    called.wait_for("late may still be training")
    assert fake.ledger == []
    fake.allow("stop", ID)
    hidden.end()
    assert called.end() == 0, called.lines
    assert fake.ledger == [("stop", ID)]


def test_weights_that_change_in_the_countdown_are_saved_again(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = Timing(tick=0.05, settle=0.5, countdown=10.0, first_wait=0.3, tries=3)
    monkeypatch.setattr(finish_desk, "TIMING", slow)
    run = train()
    run.end()
    called = Called(words, "pull,destroy")
    called.wait_for("DESTROYS lab (vast 700001) in 0:")
    newer = checkpoint(24_000, 9)
    put(run.path / "weights" / "last.pt", newer, age=3)
    fake.allow("destroy", ID)
    assert called.end() == 0, called.lines
    assert called.lines.count("DESTROYS") >= 2
    assert Path("lab-run1/last.pt").read_bytes() == newer


def test_a_lost_reply_is_unconfirmed_and_never_sent_again(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tui.actions import instance
    from tui.actions.instance_confirm import Patience

    short = Patience(first=0.1, longest=0.2, stop=1.0, destroy=1.0)
    monkeypatch.setattr(instance, "Patience", lambda: short)
    train().end()
    fake.fail(HTML_503, "DELETE")
    fake.linger = 10_000
    fake.allow("destroy", ID)
    called = Called(words, "pull,destroy")
    assert called.end() == 6, called.lines
    assert "UNCONFIRMED" in called.lines
    assert fake.ledger == [("destroy", ID)]


def test_a_provider_that_cannot_be_asked_is_asked_a_few_times(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
) -> None:
    run = train()
    called = Called(words, "pull,destroy")
    called.wait_for("waits for run1")
    fake.fail(HTML_503, "GET", times=10_000)
    run.end()
    assert called.end() == 6, called.lines
    assert "NOT done: given up: nothing was sent: vast: API error 503" in called.lines
    assert fake.ledger == []


def test_an_instance_that_became_another_is_not_touched(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
) -> None:
    run = train()
    called = Called(words, "pull,destroy")
    called.wait_for("waits for run1")
    fake.rows[0]["label"] = "somebody-elses"
    run.end()
    assert called.end() == 6, called.lines
    assert "nothing was sent: " in called.lines and "somebody-elses" in called.lines
    assert fake.ledger == []


def test_without_an_end_the_weights_are_saved_and_that_is_all(
    fake: FakeVast,
    words: tuple[object, ...],
    train: Train,
) -> None:
    run = train()
    called = Called(words, "pull")
    called.wait_for("waits for run1")
    began = time.monotonic()
    run.end()
    assert called.end() == 0, called.lines
    assert "finish line of lab done: the weights of 1 run were pulled" in called.lines
    assert time.monotonic() - began < 60 and fake.ledger == []
