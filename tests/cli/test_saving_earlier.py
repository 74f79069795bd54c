"""boxtop push where an earlier one has not ended, or is left by Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.hub import hub_fixture  # noqa: F401
from tests.hub.faults import Hold
from tests.hub.server import Hub
from tests.onbox.checkpoints import checkpoint, make_weights, write_status
from tests.waiting import wait_until

Spawn = Callable[..., subprocess.Popen[bytes]]
BEST = checkpoint(300_000, 1)


@pytest.fixture(autouse=True)
def token(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", hub.token)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = make_weights(tmp_path / "runs" / "run1", best=BEST)
    write_status(path, state="completed", completed_epochs=9, start_epoch=1, total_epochs=9)
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def push(spawn: Spawn, run: Path, data: Path) -> Iterator[Callable[[str], Started]]:
    """Start a push to a repository as a process of its own."""
    begun: list[subprocess.Popen[bytes]] = []

    def start(repo: str) -> Started:
        words = ("push", "--data-dir", data, run, "best", "--to", repo, "--yes")
        begun.append(spawn(*words))
        return Started(begun[-1])

    yield start
    for process in begun:
        process.kill()
        process.communicate()


class Started:
    """A push under way."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def interrupted(self) -> tuple[int, str]:
        self._process.send_signal(signal.SIGINT)
        return self.ended()

    def ended(self) -> tuple[int, str]:
        _, err = self._process.communicate(timeout=60)
        assert b"Traceback" not in err
        return self._process.returncode, err.decode()

    def says(self, words: str) -> None:
        """Wait for a line of its stderr that holds these words."""
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if words in line.decode():
                return
        raise AssertionError(f"never said: {words}")


Push = Callable[[str], Started]


def stalled(hub: Hub, push: Push, repo: str) -> None:
    """Leave a push behind that stands still at its commit."""
    hub.order("commit", Hold(10), 1)
    started = push(repo)
    wait_until(lambda: hub.asked("commit"), what="the commit")
    code, err = started.interrupted()
    assert code == 130
    assert f"the box goes on with the upload to {repo}; the next `boxtop push` of" in err


def test_ctrl_c_says_that_the_upload_goes_on_and_the_next_push_learns_of_it(
    hub: Hub, push: Push, boxtop: Boxtop, run: Path, data: Path
) -> None:
    stalled(hub, push, "my-org/o1")
    hub.release()
    wait_until(lambda: len(hub.store.repos["my-org/o1"].commits) > 1, what="the upload's end")
    called = boxtop("push", "--data-dir", data, run, "--to", "my-org/o2", "--yes")
    assert called.code == 0, called.err
    assert "an earlier push of best.pt to my-org/o1 has ended well: commit" in called.err


def test_ctrl_c_before_an_upload_says_that_nothing_was_begun(hub: Hub, push: Push) -> None:
    hub.order("whoami", Hold(0))
    started = push("my-org/o1")
    wait_until(lambda: hub.asked("whoami"), what="the first question")
    code, err = started.interrupted()
    assert (code, hub.asked("commit")) == (130, [])
    assert "this push had not begun: nothing of it is on the Hub" in err


def test_a_stalled_push_holds_up_none_to_another_repository(
    hub: Hub, push: Push, boxtop: Boxtop, run: Path, data: Path
) -> None:
    stalled(hub, push, "my-org/o1")
    status = boxtop("status", "--data-dir", data, run)
    assert "a push of best.pt to my-org/o1 has not ended (begun" in status.out
    called = boxtop("push", "--data-dir", data, run, "--to", "my-org/o2", "--yes")
    assert called.code == 0, called.err
    assert (
        "an earlier push of best.pt to my-org/o1 still runs; `boxtop push` again later learns "
        "how it ended" in called.err
    )
    assert hub.store.repos["my-org/o2"].head.entries["best.pt"].data == BEST


def test_one_to_the_same_repository_waits_and_ctrl_c_leaves_the_first_running(
    hub: Hub, push: Push
) -> None:
    stalled(hub, push, "my-org/o1")
    second = push("my-org/o1")
    second.says("an earlier push of best.pt to my-org/o1 had not ended: it comes first")
    second.says("committing")
    code, err = second.interrupted()
    assert code == 130 and "it goes on; `boxtop push` again later learns how it ended" in err
    third = push("my-org/o1")
    third.says("had not ended")
    hub.release()
    code, err = third.ended()
    assert code == 0, err
    assert "has ended well" in err
    titles = [one.title for one in hub.store.repos["my-org/o1"].commits]
    assert len([title for title in titles if title.startswith("best.pt of run1")]) == 2


def test_one_that_failed_is_told_and_forgotten(
    hub: Hub, push: Push, boxtop: Boxtop, run: Path, data: Path
) -> None:
    stalled(hub, push, "my-org/o1")
    for job in (Path.home() / ".cache/boxtop/pushes").iterdir():
        error = {"type": "X", "status": 403, "message": "no"}
        result = {"ok": False, "landed": False, "error": error}
        (job / "result.json").write_text(json.dumps(result))
    words = ("push", "--data-dir", data, run, "--to", "my-org/o2", "--yes")
    first = boxtop(*words)
    assert first.code == 0 and "an earlier push of best.pt to my-org/o1 failed: " in first.err
    assert "earlier push" not in boxtop(*words).err
