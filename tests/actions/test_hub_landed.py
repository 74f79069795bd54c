"""A commit that landed is never thrown away, whoever was killed and whatever could not be asked."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tests.hub import HTML_502, Answer, Cut, Hang, Hold, Hub, hub_fixture  # noqa: F401
from tests.hub.faults import Fault
from tests.hub.program import kill_uploader, pushes
from tests.onbox.checkpoints import checkpoint, leftovers, make_weights, write_status
from tests.waiting import wait_until
from tui.actions import hub_prove
from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.hub_names import Destination
from tui.actions.hub_problem import HubError
from tui.actions.hub_token import Token
from tui.actions.progress import Progress
from tui.actions.push import Pushed, StillBeginning, Unproven
from tui.actions.push_plan import PushPlan, Via
from tui.actions.saving import Saving
from tui.actions.shell import HereShell
from tui.actions.snapshot import Rules
from tui.links.pipe import Pipe
from tui.runs.model import Run
from tui.runs.pending import PendingFile, PendingPush
from tui.runs.proofs import ProofFile

REPO = "my-org/my-run"
RULES = Rules(settle=0.01, patience=3.0, spare=0)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_prove, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr("tui.onbox.hub_upload.LOOK_SECONDS", 0.05)
    monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    path = make_weights(tmp_path / "run1", best=checkpoint(60_000, 1))
    write_status(path, state="completed", completed_epochs=9, start_epoch=1)
    return Run(id="run1", path=str(path), verdict="completed", epoch=9)


@pytest.fixture
def proofs(tmp_path: Path) -> ProofFile:
    return ProofFile(tmp_path / "mirror" / ".boxtop-saved.jsonl")


@pytest.fixture
def saving(hub: Hub, proofs: ProofFile) -> Saving:
    """This machine is the box."""
    return Saving(HereShell(), lambda _run: proofs, rules=RULES)


def plan(run: Run, via: Via = "box", names: tuple[str, ...] = ("best.pt",)) -> PushPlan:
    return PushPlan("box", run, names, Destination(REPO), via)


def quiet(_progress: Progress) -> None:
    """Somebody who does not listen."""


def push(saving: Saving, hub: Hub, run: Run, via: Via = "box") -> Pushed:
    return saving.push(Token(hub.token, "HF_TOKEN"), plan(run, via), quiet, Cancel())


def settle(saving: Saving, hub: Hub, pending: PendingPush) -> Pushed:
    return saving.settle(Token(hub.token, "HF_TOKEN"), pending, quiet, Cancel())


def noted(proofs: ProofFile) -> list[PendingPush]:
    return list(PendingFile(proofs).all())


def job() -> str:
    (found,) = (path.name for path in pushes().iterdir() if path.name[0] != ".")
    return found


def in_background(act: Callable[[], Pushed]) -> tuple[threading.Thread, list[object]]:
    ended: list[object] = []

    def run() -> None:
        try:
            ended.append(act())
        except (ActionError, HubError) as error:
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, ended


@pytest.mark.parametrize("fault", [Answer(403), Answer(502, HTML_502), Answer(429), Cut()])
def test_a_commit_that_the_box_could_not_verify_is_verified_from_here(
    saving: Saving, hub: Hub, run: Run, proofs: ProofFile, fault: Fault
) -> None:
    hub.order("paths-info", fault, 3)
    pushed = push(saving, hub, run)
    assert pushed.commit == hub.store.repos[REPO].head.oid
    assert [proof.commit for proof in proofs.all()] == [pushed.commit]
    assert noted(proofs) == []


def test_a_commit_that_nobody_could_verify_is_settled_later(
    saving: Saving, hub: Hub, run: Run, proofs: ProofFile
) -> None:
    hub.order("paths-info", Answer(403))
    with pytest.raises(Unproven):
        push(saving, hub, run)
    (pending,) = noted(proofs)
    hub.faults.clear()
    assert settle(saving, hub, pending).commit == hub.store.repos[REPO].head.oid
    assert noted(proofs) == []
    assert len(proofs.all()) == 1


def test_an_uploader_killed_during_the_commit_is_looked_for_behind_later_commits(
    saving: Saving, hub: Hub, run: Run, proofs: ProofFile
) -> None:
    hub.order("commit", Hang(work=True), 1)
    thread, ended = in_background(lambda: push(saving, hub, run))
    wait_until(lambda: REPO in hub.store.repos and len(hub.store.repos[REPO].commits) == 2)
    progress = json.loads((pushes() / job() / "progress.json").read_text())
    assert progress["stage"] == "committing"
    landed = hub.store.repos[REPO].head
    later = {path: entry for path, entry in landed.entries.items() if path != "best.pt"}
    hub.store.repos[REPO].add("somebody else's", later)
    (pushes() / job() / "progress.json").unlink()  # as on a full disk
    kill_uploader(job())
    thread.join(20)
    (pushed,) = ended
    assert isinstance(pushed, Pushed), pushed
    assert pushed.commit == landed.oid
    assert [proof.commit for proof in proofs.all()] == [landed.oid]
    assert leftovers(Path(run.path)) == []


def test_an_unconfirmed_push_that_is_surely_not_there_may_be_tried_again(
    saving: Saving, hub: Hub, run: Run, proofs: ProofFile
) -> None:
    hub.order("commit", Hang(), 1)
    thread, ended = in_background(lambda: push(saving, hub, run))
    wait_until(lambda: hub.asked("commit"), what="the commit")
    kill_uploader(job())
    thread.join(20)
    (error,) = ended
    assert isinstance(error, HubError) and not isinstance(error, Unproven)
    assert error.problem.retryable
    assert "ended without a result" in error.problem.message
    assert (noted(proofs), list(pushes().iterdir())) == ([], [])
    assert leftovers(Path(run.path)) == []


def test_a_push_that_is_only_beginning_is_left_alone(
    saving: Saving, hub: Hub, run: Run, proofs: ProofFile
) -> None:
    """Another boxtop settles all notes, also those whose job is not there yet."""
    push(saving, hub, run)
    own = PendingFile(proofs)
    young = PendingPush("f" * 16, "box", run.path, REPO, "box", time.time(), ())
    mine = saving._pusher(Token(hub.token, "x"), own.add)._pending(plan(run), ())
    of_somebody = msgspec.structs.replace(mine, at=1.0)
    left = msgspec.structs.replace(of_somebody, job="e" * 16, owner=None)
    for note in (young, of_somebody, left):
        own.add(note)
    for note in (young, of_somebody):
        with pytest.raises(StillBeginning, match="only beginning"):
            settle(saving, hub, note)
    with pytest.raises(HubError, match="ended without a result") as caught:
        settle(saving, hub, left)
    assert not isinstance(caught.value, Unproven)
    assert {note.job for note in noted(proofs)} == {young.job, of_somebody.job}


def test_two_that_follow_one_push_both_learn_of_its_end(
    saving: Saving, hub: Hub, run: Run, proofs: ProofFile
) -> None:
    hub.order("commit", Hold(10), 1)
    first, ended = in_background(lambda: push(saving, hub, run))
    wait_until(lambda: hub.asked("commit"), what="the commit")
    (pending,) = noted(proofs)
    second, told = in_background(lambda: settle(saving, hub, pending))
    hub.release()
    first.join(20)
    second.join(20)
    assert all(isinstance(one, Pushed) for one in [*ended, *told]), (ended, told)
    assert settle(saving, hub, pending).commit == hub.store.repos[REPO].head.oid
    assert noted(proofs) == []


@pytest.mark.parametrize("via", ["box", "here"])
def test_an_upload_that_cannot_begin_leaves_nothing(
    saving: Saving, hub: Hub, run: Run, proofs: ProofFile, via: Via
) -> None:
    pushes().parent.mkdir(parents=True)
    pushes().write_text("no directory")
    with pytest.raises(HubError):
        push(saving, hub, run, via)
    assert leftovers(Path(run.path)) == []
    assert list((Path.home() / ".cache/boxtop").rglob(".boxtop-*")) == []
    assert noted(proofs) == []


def test_a_relayed_upload_outlives_who_relayed_it(
    saving: Saving, hub: Hub, run: Run, proofs: ProofFile
) -> None:
    cancel, relay = Cancel(), Path.home() / ".cache/boxtop/relay"
    dead = relay / ".boxtop-dead"
    dead.mkdir(parents=True)
    (dead / "owner").write_text(json.dumps({**_owner(), "since": "1"}))
    hub.order("put", Hold(10), 1)
    token = Token(hub.token, "HF_TOKEN")
    thread, ended = in_background(lambda: saving.push(token, plan(run, "here"), quiet, cancel))
    wait_until(lambda: hub.received("put") >= 10, what="the upload's first bytes")
    assert not dead.exists()
    cancel.cancel()
    thread.join(20)
    assert isinstance(ended[0], ActionError) and ended[0].kind == "cancelled"
    assert len(list(relay.iterdir())) == 1
    hub.release()
    (pending,) = noted(proofs)
    assert pending.owner is None
    assert settle(saving, hub, pending).commit == hub.store.repos[REPO].head.oid
    assert list(relay.iterdir()) == []


def _owner() -> dict[str, object]:
    from tui.onbox.owners import owner_of

    return owner_of(os.getpid())


def test_a_name_that_no_repository_takes_is_refused_alone(
    saving: Saving, hub: Hub, run: Run, proofs: ProofFile
) -> None:
    odd = "epoch\n1.pt"
    make_weights(Path(run.path), **{odd.removesuffix(".pt"): checkpoint(20_000, 3)})
    token, told = Token(hub.token, "HF_TOKEN"), list[Progress]()
    pushed = saving.push(token, plan(run, names=(odd, "best.pt")), told.append, Cancel())
    assert list(pushed.refused) == [odd]
    assert [proof.name for proof in pushed.proofs] == ["best.pt"]
    assert "\n" not in "".join(one.name for one in told)
    with pytest.raises(ActionError, match="does not take this path"):
        saving.push(token, plan(run, names=(odd,)), quiet, Cancel())


def test_a_data_directory_that_is_full_is_told_in_words(
    saving: Saving, hub: Hub, run: Run, proofs: ProofFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ProofFile, "add", full)
    with pytest.raises(ActionError, match=r"saved in commit .* no space left on device") as caught:
        push(saving, hub, run)
    assert caught.value.kind == "disk_full"
    home = Path.home() / "copies"
    with pytest.raises(ActionError, match=r"best.pt came whole to .* no space left on device"):
        saving.pull(run.path, ["best.pt"], home, quiet, Cancel())
    assert (home / "best.pt").read_bytes() == (Path(run.path) / "weights/best.pt").read_bytes()
    monkeypatch.setattr(PendingFile, "add", full)
    with pytest.raises(ActionError, match=r"cannot be noted in .*: no space left on device"):
        push(saving, hub, run)


@pytest.mark.parametrize(("value", "way"), [("1", "put"), ("0", "xorb")])
def test_who_wants_no_xet_gets_none_on_the_box_either(
    saving: Saving, hub: Hub, run: Run, monkeypatch: pytest.MonkeyPatch, value: str, way: str
) -> None:
    """A box has none of our environment."""
    monkeypatch.setattr(HereShell, "run", _without(HereShell.run))
    monkeypatch.setenv("HF_HUB_DISABLE_XET", value)
    push(saving, hub, run)
    assert [line.point for line in hub.asked("put", "xorb")] == [way]


def _without(run: Callable[..., Pipe]) -> Callable[..., Pipe]:
    def changed(shell: HereShell, command_line: str, bulk: bool = False) -> Pipe:
        return run(shell, f"unset HF_HUB_DISABLE_XET; {command_line}", bulk)

    return changed


def test_a_full_disk_costs_no_small_file_silently(hub: Hub, run: Run, proofs: ProofFile) -> None:
    (Path(run.path) / "train.log").write_text("a line\n" * 10_000)
    (Path(run.path) / "metrics.jsonl").write_text("x" * 2_500_000)
    saving = Saving(_FullShell(), lambda _run: proofs, rules=RULES)
    ways: tuple[Via, ...] = ("box", "here")
    for via in ways:
        pushed = saving.push(Token(hub.token, "HF_TOKEN"), plan(run, via), quiet, Cancel())
        files = hub.store.repos[REPO].head.entries
        assert files["train.log"].data == b"a line\n" * 10_000
        assert list(pushed.left_out) == ["metrics.jsonl"]
        assert list(pushed.refused) == []


class _FullShell(HereShell):
    """A box where nothing fits beside the weights; elsewhere there is room."""

    def run(self, command_line: str, bulk: bool = False) -> Pipe:
        return super().run(f"ulimit -f 120; {command_line}", bulk)
