"""Pushes through a real sshd to a Hub on loopback: saved is what was seen there, from here."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import MakeServer, introduce, trust
from tests.hub import hub_fixture  # noqa: F401
from tests.hub.accounts import Token as HubToken
from tests.hub.faults import Hold
from tests.hub.server import Hub
from tests.links.person import Person
from tests.onbox.checkpoints import checkpoint, leftovers, make_weights, put, sha256, write_status
from tests.sshd import SshServer
from tests.waiting import wait_until
from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.hub_names import Destination
from tui.actions.hub_problem import HubError
from tui.actions.hub_token import Token
from tui.actions.progress import Progress
from tui.actions.push_plan import PushPlan, Via
from tui.actions.saving import Saving
from tui.actions.shell import SshShell
from tui.actions.snapshot import Rules
from tui.runs.model import Best, Run
from tui.runs.pending import PendingFile
from tui.runs.proofs import ProofFile

BEST, LAST = checkpoint(400_000, 1), checkpoint(400_000, 2)
RULES = Rules(settle=0.05, patience=3.0, spare=0)
PLACE = Destination("my-org/my-run")
WAYS: tuple[Via, ...] = ("box", "here")


@pytest.fixture
def box(make_sshd: MakeServer, home: Path) -> SshServer:
    """A box whose python3 is ours, which has huggingface_hub."""
    folder = str(Path(sys.executable).parent)
    server = make_sshd(environment={"PATH": f"{folder}:/usr/bin:/bin"})
    introduce(server, home)
    trust(server, home)
    return server


@pytest.fixture
def run(tmp_path: Path) -> Run:
    path = make_weights(tmp_path / "runs" / "run1", best=BEST, last=LAST)
    write_status(path, state="completed", completed_epochs=9, start_epoch=1)
    (path / "metrics.jsonl").write_text('{"epoch": 9, "train/loss": 1.5}\n')
    best = Best("mAP50-95", 0.41, 7)
    return Run(id="run1", path=str(path), verdict="completed", epoch=9, best=best)


@pytest.fixture
def proofs(tmp_path: Path) -> ProofFile:
    return ProofFile(tmp_path / "mirror" / ".boxtop-saved.jsonl")


@pytest.fixture
def saving(box: SshServer, hub: Hub, proofs: ProofFile) -> Iterator[Saving]:
    saving = Saving(SshShell(box.target, Person()), lambda _run: proofs, rules=RULES)
    yield saving
    saving.close()


def token(hub: Hub) -> Token:
    return Token(hub.token, "HF_TOKEN")


def plan(run: Run, via: Via = "box", names: tuple[str, ...] = ("best.pt", "last.pt")) -> PushPlan:
    return PushPlan("vast-1", run, names, PLACE, via)


def quiet(_progress: Progress) -> None:
    """Somebody who does not listen."""


@pytest.mark.sshd
@pytest.mark.parametrize("via", WAYS)
def test_one_commit_holds_the_weights_the_small_files_and_where_they_are_from(
    saving: Saving, hub: Hub, run: Run, proofs: ProofFile, via: Via
) -> None:
    told: list[Progress] = []
    pushed = saving.push(token(hub), plan(run, via), told.append, Cancel())
    repo = hub.store.repos["my-org/my-run"]
    assert repo.private
    assert repo.head.oid == pushed.commit
    assert repo.head.title == "best.pt, last.pt of run1, epoch 9"
    files = repo.head.entries
    assert {"best.pt", "last.pt", "status.json", "metrics.jsonl"} <= set(files)
    assert files["best.pt"].data == BEST
    assert files["last.pt"].data == LAST
    about = json.loads(files["boxtop.json"].data)
    assert about["run"]["best"] == {"name": "mAP50-95", "value": 0.41, "epoch": 7}
    assert about["box"] == "vast-1"
    listed = {file["path"]: file["sha256"] for file in about["files"]}
    assert listed["best.pt"] == sha256(BEST)
    assert {one.stage for one in told} >= {"checking", "verifying"}
    assert [proof.name for proof in proofs.all()] == ["best.pt", "last.pt"]
    assert [proof.commit for proof in proofs.all()] == [pushed.commit] * 2
    assert proofs.all()[0].where == "hf://my-org/my-run/best.pt"
    assert proofs.all()[0].inode == (Path(run.path) / "weights/best.pt").stat().st_ino
    assert leftovers(Path(run.path)) == []
    assert list(PendingFile(proofs).all()) == []


@pytest.mark.sshd
@pytest.mark.parametrize("via", WAYS)
def test_a_hub_that_stored_other_bytes_has_saved_nothing(
    saving: Saving, hub: Hub, run: Run, proofs: ProofFile, via: Via
) -> None:
    hub.store.spoil = "wrong"
    with pytest.raises(HubError, match="NOT saved"):
        saving.push(token(hub), plan(run, via), quiet, Cancel())
    assert proofs.all() == ()
    assert list(PendingFile(proofs).all()) == []


@pytest.mark.sshd
def test_a_damaged_checkpoint_is_left_out_and_named(
    saving: Saving, hub: Hub, run: Run, proofs: ProofFile
) -> None:
    put(Path(run.path) / "weights/last.pt", LAST[:-40])
    pushed = saving.push(token(hub), plan(run), quiet, Cancel())
    assert list(pushed.refused) == ["last.pt"]
    assert "not a complete checkpoint" in str(pushed.refused["last.pt"])
    assert "last.pt" not in hub.store.repos["my-org/my-run"].head.entries
    assert [proof.name for proof in proofs.all()] == ["best.pt"]
    with pytest.raises(ActionError, match="not a complete checkpoint") as caught:
        saving.push(token(hub), plan(run, names=("last.pt",)), quiet, Cancel())
    assert caught.value.kind == "damaged"
    assert "best.pt" in (caught.value.hint or "")


@pytest.mark.sshd
@pytest.mark.parametrize("via", WAYS)
def test_who_the_token_is_and_may_write_is_asked_before_any_byte_moves(
    saving: Saving, hub: Hub, via: Via
) -> None:
    reader = hub.add_token(HubToken("hf_" + "Reader" * 6, display_name="box", role="read"))
    with pytest.raises(HubError, match='token "box" is read-only; my-org needs write'):
        saving.check(Token(reader.secret, "HF_TOKEN"), PLACE, via)
    with pytest.raises(HubError, match=r"token invalid or expired \(from HF_TOKEN\)"):
        saving.check(Token("hf_" + "Nobody" * 6, "HF_TOKEN"), PLACE, via)
    found = saving.check(token(hub), PLACE, via)
    assert (found.account.name, found.place.exists, found.place.writable) == (
        "someuser",
        False,
        True,
    )
    assert hub.received("put", "part", "xorb", "commit") == 0
    assert hub.asked("create", "commit") == []


@pytest.mark.sshd
def test_an_upload_survives_the_link_and_is_learned_of_on_return(
    box: SshServer, hub: Hub, run: Run, proofs: ProofFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
    hub.order("commit", Hold(10), 1)
    begun = Saving(SshShell(box.target, Person()), lambda _run: proofs, rules=RULES)

    def cut(progress: Progress) -> None:
        if progress.stage == "committing":
            box.kill_connections()

    with pytest.raises(ActionError) as caught:
        begun.push(token(hub), plan(run), cut, Cancel())
    assert caught.value.kind == "lost"
    begun.close()
    (pending,) = PendingFile(proofs).all()
    assert pending.names == ("best.pt", "last.pt")
    assert proofs.all() == ()
    hub.release()
    back = Saving(SshShell(box.target, Person()), lambda _run: proofs, rules=RULES)
    pushed = back.settle(token(hub), pending, quiet, Cancel())
    back.close()
    assert pushed.commit == hub.store.repos["my-org/my-run"].head.oid
    assert [proof.commit for proof in proofs.all()] == [pushed.commit] * 2
    assert list(PendingFile(proofs).all()) == []
    assert len(hub.asked("commit")) == 1
    assert leftovers(Path(run.path)) == []


@pytest.mark.sshd
def test_the_token_is_nowhere_but_in_the_memory_of_who_uploads(
    saving: Saving, box: SshServer, hub: Hub, run: Run, tmp_path: Path
) -> None:
    """Searched while the upload stands still: argv and environment of every process, all files."""
    hub.order("commit", Hold(10), 1)
    own = hub.add_token(HubToken(f"hf_{os.urandom(17).hex()}")).secret
    told: list[Progress] = []
    found: list[str] = []
    thread = threading.Thread(
        target=lambda: saving.push(Token(own, "HF_TOKEN"), plan(run), told.append, Cancel())
    )
    thread.start()
    try:
        wait_until(lambda: hub.asked("commit"), what="the commit")
        secret = own.encode()
        for process in Path("/proc").glob("[0-9]*"):
            for name in ("cmdline", "environ"):
                found += [str(process / name)] if secret in _content(process / name) else []
        for place in (box.home, box.directory, tmp_path, Path(run.path), Path.home()):
            for path in place.rglob("*"):
                found += [str(path)] if path.is_file() and secret in _content(path) else []
    finally:
        hub.release()
        thread.join(30)
    assert found == []
    assert own not in repr(told)
    assert own not in box.log


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
