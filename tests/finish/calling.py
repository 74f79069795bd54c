"""`boxtop watch --when-done` in a thread of the test, and runs that really end."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from tests.cli.ending import BEST, LAST
from tests.hub.server import Hub
from tests.onbox.checkpoints import make_weights, write_status
from tests.waiting import wait_until
from tui.actions import finish_desk
from tui.actions.finish_line import Timing
from tui.actions.instance_watched import watched_sight
from tui.cli import finish_headless as finish_headless_module
from tui.cli.console import Console
from tui.cli.finish import finish_setting
from tui.cli.finish_headless import finish_headless
from tui.cli.session import Session

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
