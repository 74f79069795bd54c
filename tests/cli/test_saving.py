"""boxtop push and pull, as a person and as a script call them."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.conftest import MakeServer, introduce, trust
from tests.hub import hub_fixture  # noqa: F401
from tests.hub.accounts import Token as HubToken
from tests.hub.server import Hub
from tests.onbox.checkpoints import checkpoint, leftovers, make_weights, put, sha256, write_status
from tests.sshd import SshServer
from tui.cli.session import Session
from tui.config.settings import USUAL_AUTO_PUSH

BEST, LAST = checkpoint(300_000, 1), checkpoint(300_000, 2)


@pytest.fixture
def box(make_sshd: MakeServer, home: Path) -> SshServer:
    server = make_sshd(environment={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"})
    introduce(server, home)
    trust(server, home)
    return server


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = make_weights(tmp_path / "runs" / "run1", best=BEST, last=LAST)
    write_status(path, state="completed", completed_epochs=9, start_epoch=1, total_epochs=9)
    (path / "metrics.jsonl").write_text('{"epoch": 9, "train/loss": 1.5}\n')
    return path


@pytest.fixture
def target(box: SshServer, run: Path) -> str:
    return f"ssh://{box.text}{run.parent}"


def saved(boxtop: Boxtop, data: Path, target: str) -> dict[str, bool | None]:
    """What status --json says of each checkpoint: saved as it is now, as it was, or never."""
    seen = boxtop("status", "--data-dir", data, "--json", target)
    (run,) = json.loads(seen.out)["boxes"][0]["runs"]
    files = {file["name"]: file["saved"] for file in run["checkpoints"]}
    return {name: None if proof is None else proof["current"] for name, proof in files.items()}


@pytest.mark.sshd
@pytest.mark.parametrize("via", ["box", "here"])
def test_a_push_is_proven_told_and_seen_by_status(
    boxtop: Boxtop,
    target: str,
    run: Path,
    hub: Hub,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    via: str,
) -> None:
    monkeypatch.setenv("HF_TOKEN", hub.token)
    data = tmp_path / "data"
    assert saved(boxtop, data, target) == {"best.pt": None, "last.pt": None}
    words = ("push", "--data-dir", data, target, "--to", "my-org/exp/a", "--via", via, "--yes")
    called = boxtop(*words)
    assert called.code == 0, called.err
    commit = hub.store.repos["my-org/exp"].head
    assert called.out.splitlines()[-1] == f"commit {commit.oid} of my-org/exp, private"
    assert "at hf://my-org/exp/a/best.pt" in called.out
    assert commit.entries["a/best.pt"].data == BEST
    about = json.loads(commit.entries["a/boxtop.json"].data)
    assert about["versions"]["huggingface_hub"] == version("huggingface_hub")
    assert ("the token is sent to it" in called.err) is (via == "box")
    assert saved(boxtop, data, target) == {"best.pt": True, "last.pt": True}
    put(run / "weights/last.pt", BEST, age=30)
    assert saved(boxtop, data, target) == {"best.pt": True, "last.pt": False}
    assert leftovers(run) == []


@pytest.mark.sshd
def test_a_pull_brings_proven_files_and_counts_while_they_lie_there(
    boxtop: Boxtop, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, here = tmp_path / "data", tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    called = boxtop("pull", "--data-dir", data, target)
    assert called.code == 0, called.err
    (named,) = here.iterdir()
    assert "127.0.0.1" in named.name and "-run1" in named.name
    assert (named / "best.pt").read_bytes() == BEST
    assert f"sha256 {sha256(BEST)}" in called.out
    assert saved(boxtop, data, target) == {"best.pt": True, "last.pt": True}
    (named / "best.pt").unlink()
    assert saved(boxtop, data, target) == {"best.pt": None, "last.pt": True}


@pytest.mark.sshd
def test_a_damaged_checkpoint_is_told_and_exits_4(
    boxtop: Boxtop,
    target: str,
    run: Path,
    hub: Hub,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_TOKEN", hub.token)
    put(run / "weights/last.pt", LAST[:-30])
    pulled = boxtop("pull", target, "--to", tmp_path / "to")
    assert pulled.code == 4
    assert "last.pt is NOT saved: last.pt is not a complete checkpoint" in pulled.err
    assert sorted(path.name for path in (tmp_path / "to").iterdir()) == ["best.pt"]
    pushed = boxtop("push", target, "--to", "my-org/exp", "--yes")
    assert pushed.code == 4
    assert "saved best.pt" in pushed.out and "last.pt" not in pushed.out


@pytest.mark.sshd
def test_without_a_token_the_places_looked_at_are_named_and_nothing_moves(
    boxtop: Boxtop, target: str, run: Path, hub: Hub
) -> None:
    called = boxtop("push", target, "--to", "my-org/exp", "--yes")
    assert called.code == 6
    assert "there is no Hugging Face token here; looked at HF_TOKEN (not set)" in called.err
    assert "~/.cache/huggingface/token (no such file)" in called.err
    assert hub.asked() == []


@pytest.mark.sshd
def test_a_script_that_does_not_say_yes_pushes_nothing(
    boxtop: Boxtop, target: str, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", hub.token)
    called = boxtop("push", target, "--to", "my-org/exp")
    assert called.code == 2 and "--yes" in called.err
    assert hub.asked("create", "commit") == []


@pytest.mark.sshd
def test_a_public_repository_needs_its_own_yes(
    boxtop: Boxtop, target: str, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", hub.token)
    hub.store.create("my-org/open", private=False)
    called = boxtop("push", target, "--to", "my-org/open", "--yes")
    assert called.code == 2
    assert "my-org/open is public: everybody could read these weights" in called.err
    assert hub.asked("commit") == []
    agreed = boxtop("push", target, "--to", "my-org/open", "--yes", "--public")
    assert agreed.code == 0, agreed.err
    assert agreed.out.splitlines()[-1].endswith("of my-org/open, PUBLIC")
    asked_for = boxtop("push", target, "best", "--to", "my-org/new", "--yes", "--public")
    assert asked_for.code == 0, asked_for.err
    assert not hub.store.repos["my-org/new"].private


@pytest.mark.sshd
def test_a_token_that_may_not_write_is_refused_before_anything_is_copied(
    boxtop: Boxtop, target: str, run: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = hub.add_token(HubToken("hf_" + "Reader" * 6, display_name="box", role="read"))
    monkeypatch.setenv("HF_TOKEN", reader.secret)
    called = boxtop("push", target, "--to", "my-org/exp", "--yes")
    assert called.code == 6
    assert 'token "box" is read-only; my-org needs write' in called.err
    assert reader.secret not in called.err + called.out
    assert hub.asked("create", "preupload", "commit") == []


@pytest.mark.sshd
def test_read_only_forbids_both(boxtop: Boxtop, target: str) -> None:
    assert boxtop("--read-only", "push", target, "--to", "a/b").code == 2
    refused = boxtop("pull", "--read-only", target)
    assert refused.code == 2 and "--read-only forbids pull" in refused.err


def test_a_run_of_this_machine_is_pushed_and_remembered_too(
    boxtop: Boxtop, run: Path, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", hub.token)
    data = tmp_path / "data"
    called = boxtop("push", "--data-dir", data, run, "best", "--to", "me/exp", "--yes")
    assert called.code == 6 and "namespace" not in called.out
    called = boxtop("push", "--data-dir", data, run, "best", "--to", "someuser/exp", "--yes")
    assert called.code == 0, called.err
    assert saved(boxtop, data, str(run)) == {"best.pt": True, "last.pt": None}


def test_where_to_push_comes_from_the_configuration(
    boxtop: Boxtop, run: Path, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", hub.token)
    nowhere = boxtop("push", run, "--yes")
    assert nowhere.code == 2 and "nothing says where to push" in nowhere.err
    config = tmp_path / "boxtop.toml"
    config.write_text('[hub]\nto = "my-org/{run}"\nvia = "here"\n')
    called = boxtop("push", "--config", config, run, "--yes")
    assert called.code == 0, called.err
    head = hub.store.repos["my-org/run1"].head
    assert head.entries["best.pt"].data == BEST
    assert json.loads(head.entries["boxtop.json"].data)["provider"] is None


@pytest.mark.sshd
def test_a_push_says_who_bills_the_box(
    boxtop: Boxtop,
    box: SshServer,
    run: Path,
    hub: Hub,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_TOKEN", hub.token)
    config = tmp_path / "boxtop.toml"
    ssh = f'ssh = "{box.user}@127.0.0.1 -p {box.port}"\nruns = ["{run.parent}"]\n'
    config.write_text(f'[box.rented]\ninstance = "vast:7"\n{ssh}')
    called = boxtop("push", "--config", config, "rented", "--to", "my-org/run1", "--yes")
    assert called.code == 0, called.err
    about = json.loads(hub.store.repos["my-org/run1"].head.entries["boxtop.json"].data)
    assert (about["provider"], about["box"]) == ("vast", "rented")


def test_a_recording_has_no_weights_to_push(boxtop: Boxtop, hub: Hub, tmp_path: Path) -> None:
    recording = Path(__file__).parents[1] / "data/runs/yolo9t_long/timeline.jsonl"
    called = boxtop("pull", recording, "--to", tmp_path)
    assert called.code == 2
    assert "a recording or a copy of a box runs no commands" in called.err


def test_auto_push_needs_a_screen_and_a_place(
    boxtop: Boxtop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = boxtop("watch", "--auto-push", tmp_path)
    assert hidden.code == 2 and "--auto-push needs the screen" in hidden.err
    monkeypatch.setattr("tui.verbs.watch.shows_screen", lambda: True)
    monkeypatch.setattr("tui.verbs.screen.shows_screen", lambda: True)
    nowhere = boxtop("watch", "--auto-push", tmp_path)
    assert nowhere.code == 2 and "--auto-push needs to know where to" in nowhere.err
    refused = boxtop("--read-only", "watch", "--auto-push", tmp_path)
    assert refused.code == 2 and "--read-only forbids --auto-push" in refused.err


def test_auto_push_takes_the_usual_rule_where_none_is_configured(tmp_path: Path) -> None:
    config = tmp_path / "boxtop.toml"
    config.write_text('[hub]\nto = "my-org/{run}"\n')
    session = Session()
    session.config, session.auto_push = str(config), True
    assert session.hub.auto == USUAL_AUTO_PUSH
    config.write_text('[hub]\nto = "my-org/{run}"\n[hub.auto]\nevery_epochs = 3\n')
    own = Session()
    own.config, own.auto_push = str(config), True
    assert (own.hub.auto.every_epochs, own.hub.auto.on_end) == (3, False)
