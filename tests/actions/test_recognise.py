"""What a training says that it has pushed: proven at the Hub, or not believed."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from tests.actions.test_auto_push import Recorded, Stage
from tests.callback_stage import BEST, LAST, Event, run_fixture  # noqa: F401
from tests.hub import hub_fixture  # noqa: F401
from tests.hub.accounts import Json
from tests.hub.accounts import Token as HubToken
from tests.hub.faults import Answer
from tests.hub.server import Hub
from tests.onbox.checkpoints import put, sha256
from tests.waiting import wait_until
from tui.actions.auto_push import SETTLE_SECONDS, AutoPush
from tui.actions.hub_token import Token
from tui.actions.recognise import Recogniser
from tui.callbacks import PushToHub
from tui.config.settings import HubSettings
from tui.facts import CheckpointStat
from tui.runs.files import PUSHED
from tui.runs.proofs import ProofFile, saved_as

REPO = "my-org/run1"


@pytest.fixture
def pushed(
    hub: Hub, run: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Path:
    """A run whose callback has pushed both checkpoints; returns what it says."""
    monkeypatch.setenv("HF_TOKEN", hub.token)
    caplog.set_level(logging.INFO, "boxtop")
    PushToHub(REPO).on_train_end(Event(str(run)))
    wait_until(lambda: "boxtop pushed" in caplog.text, what="the push")
    return run / PUSHED


@pytest.fixture
def proofs(tmp_path: Path) -> ProofFile:
    return ProofFile(tmp_path / "mirror" / "saved.jsonl")


def recogniser(hub: Hub, secret: str | None = None) -> Recogniser:
    return Recogniser(lambda: Token(secret or hub.token, "HF_TOKEN"), hub.url)


def stat(path: Path) -> CheckpointStat:
    info = path.stat()
    return CheckpointStat(path.name, info.st_size, info.st_mtime_ns / 1e9, info.st_ino)


def changed(said: Path, **values: object) -> bytes:
    """Return what is said with other values for best.pt."""
    document: Json = json.loads(said.read_text())
    document["files"]["best.pt"].update(values)
    return json.dumps(document).encode()


def test_what_the_hub_lists_is_saved_and_later_older(
    hub: Hub, run: Path, pushed: Path, proofs: ProofFile
) -> None:
    assert recogniser(hub).look(pushed.read_bytes(), proofs)
    for name, data in (("best.pt", BEST), ("last.pt", LAST)):
        found = saved_as(stat(run / "weights" / name), proofs.standing())
        assert found is not None and found.current
        assert (found.where, found.sha256) == (f"hf://{REPO}/{name}", sha256(data))
        assert found.commit == hub.store.repos[REPO].head.oid
    assert not recogniser(hub).look(pushed.read_bytes(), proofs), "it is known already"
    put(run / "weights/best.pt", LAST, age=0.0)
    older = saved_as(stat(run / "weights/best.pt"), proofs.standing())
    assert older is not None and not older.current


def test_what_is_said_is_no_sign_of_life(run: Path, pushed: Path) -> None:
    assert pushed.stat().st_mtime_ns == (run / "status.json").stat().st_mtime_ns
    assert [path.name for path in run.iterdir() if path.name.endswith(".tmp")] == []


def test_a_later_push_of_one_keeps_what_is_said_of_the_other(
    hub: Hub, run: Path, pushed: Path, caplog: pytest.LogCaptureFixture
) -> None:
    put(run / "weights/best.pt", LAST)
    caplog.clear()
    PushToHub(REPO).on_train_epoch_end(Event(str(run), 3, True))
    wait_until(lambda: "boxtop pushed" in caplog.text, what="the push")
    said = json.loads(pushed.read_text())["files"]
    commits = [commit.oid for commit in hub.store.repos[REPO].commits]
    assert (said["last.pt"]["commit"], said["best.pt"]["commit"]) == (commits[-2], commits[-1])
    assert said["best.pt"]["sha256"] == sha256(LAST)


@pytest.mark.parametrize(
    "odd",
    [
        {"sha256": "a" * 64},
        {"size": 7},
        {"path": "last.pt"},
        {"path": "../best.pt"},
        {"path": "boxtop.json"},
        {"repo": "../.."},
        {"commit": "main"},
        {"sha256": None},
        {"mtime": 1e300},
        {"inode": -1},
    ],
)
def test_what_the_hub_does_not_list_so_is_not_saved(
    hub: Hub, pushed: Path, proofs: ProofFile, odd: dict[str, object]
) -> None:
    recogniser(hub).look(changed(pushed, **odd), proofs)
    assert [proof.name for proof in proofs.all()] == ["last.pt"]


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"files": 3}', b"[" * 5000, b"\xff"])
def test_nonsense_says_nothing(hub: Hub, proofs: ProofFile, data: bytes) -> None:
    assert not recogniser(hub).look(data, proofs)
    assert hub.asked() == []


def test_a_repository_that_is_not_ours_saves_nothing(
    hub: Hub, pushed: Path, proofs: ProofFile
) -> None:
    stranger = hub.add_token(HubToken("hf_" + "Stranger" * 4, "stranger", orgs={}))
    hub.store.repos[REPO].private = False
    assert not recogniser(hub, stranger.secret).look(pushed.read_bytes(), proofs)
    assert proofs.all() == ()


def test_the_watcher_asks_once_and_again_when_more_was_pushed_or_the_hub_did_not_answer(
    hub: Hub, pushed: Path, tmp_path: Path
) -> None:
    stage = Stage(tmp_path)
    auto = AutoPush(
        stage,
        Recorded(),  # type: ignore[arg-type]
        lambda _name: stage,
        HubSettings(),
        claimed=lambda box, run: pushed.read_bytes() if box == "lab" else None,
        recogniser=recogniser(hub),
        clock=stage.clock,
    )
    proofs = stage.proofs("")
    hub.order("whoami", Answer(503))
    auto.look()
    asked = len(hub.asked("whoami"))
    auto.look()
    assert (proofs.all(), len(hub.asked("whoami"))) == ((), asked)
    hub.faults.clear()
    stage.clock.now += SETTLE_SECONDS
    auto.look()
    assert len(proofs.all()) == 2
    asked = len(hub.asked("whoami"))
    auto.look()
    assert len(hub.asked("whoami")) == asked
