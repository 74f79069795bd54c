"""Transfers under way: their turns, their tries, and what is said of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hub import hub_fixture  # noqa: F401
from tests.hub.faults import Answer
from tests.hub.server import Hub
from tests.onbox.checkpoints import checkpoint, make_weights, write_status
from tests.waiting import wait_until
from tui.actions import transfers as module
from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.hub_account import Account, Checked, Place
from tui.actions.hub_names import Destination
from tui.actions.hub_problem import HubError, HubProblem
from tui.actions.hub_token import Token
from tui.actions.progress import Progress
from tui.actions.pull import PullReport
from tui.actions.push import Pushed, Unproven
from tui.actions.push_plan import PushPlan
from tui.actions.saving import Saving
from tui.actions.shell import HereShell, Shell
from tui.actions.snapshot import Rules
from tui.actions.transfer import Pull, TransferView, transfer_text
from tui.actions.transfers import Transfers
from tui.errors import UserError
from tui.runs.embargo import Embargo
from tui.runs.model import Run
from tui.runs.pending import PendingFile, PendingPush, Sent
from tui.runs.proofs import ProofFile

RUN = Run(id="run1", path="/runs/run1", epoch=3)
CHECKED = Checked(
    Account("me", (), "laptop", "write"), Place("me/r", True, True, None, True, None), "2.4", None
)
PUSHED = Pushed("c0ffee", True, ())


def plan(repo: str = "me/r", run: Run = RUN) -> PushPlan:
    return PushPlan("box", run, ("best.pt",), Destination(repo))


def pending(at: float, path: str = "best.pt") -> PendingPush:
    """A push of best.pt to me/r that was noted at a time, and whose end is not known."""
    sent = Sent("best.pt", path, 1, "a" * 64, 1.0, 1)
    return PendingPush("0123", "box", RUN.path, "me/r", "box", at, (sent,))


class Box:
    """A box whose shell is this machine's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.news: list[str] = []

    def shell(self) -> Shell:
        return HereShell()

    def proofs(self, run: str) -> ProofFile:
        return ProofFile(self.folder / "saved.jsonl")

    def changed(self, run: str) -> None:
        self.news.append(run)


class Scripted:
    """A Saving whose pushes end as they are told to, in their order."""

    def __init__(self, *ends: object) -> None:
        self.ends = list(ends)
        self.at_once = 0
        self.most_at_once = 0
        self.release = threading.Event()
        self.release.set()
        self.checked = CHECKED
        self.open: list[PendingPush] = []
        self.settled: list[Pushed | Exception] = []
        self._lock = threading.Lock()

    def check(self, token: Token, place: Destination, via: str) -> Checked:
        return self.checked

    def unsettled(self, run: str) -> Iterator[PendingPush]:
        return iter(self.open)

    def settle(
        self,
        token: Token,
        push: PendingPush,
        tell: Callable[[Progress], None],
        cancel: Cancel,
    ) -> Pushed:
        end = self.settled.pop(0)
        if isinstance(end, Exception):
            raise end
        self.open.clear()
        return end

    def push(
        self, token: Token, plan: PushPlan, tell: Callable[[Progress], None], cancel: Cancel
    ) -> Pushed:
        with self._lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        tell(Progress("uploading", "best.pt", 1, 2))
        while not self.release.wait(0.01):
            cancel.check()
        with self._lock:
            self.at_once -= 1
            end = self.ends.pop(0) if self.ends else PUSHED
        if isinstance(end, Exception):
            raise end
        assert isinstance(end, Pushed)
        return end

    def pull(
        self,
        run: str,
        names: tuple[str, ...],
        directory: Path,
        tell: Callable[[Progress], None],
        cancel: Cancel,
    ) -> PullReport:
        return PullReport(failed={"best.pt": ActionError("damaged", "not complete", "see last")})

    def close(self) -> None:
        """Nothing is open."""


Start = Callable[..., Transfers]


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path)


@pytest.fixture
def start(box: Box, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    monkeypatch.setattr(module, "FIRST_WAIT_SECONDS", 0.01)
    made: list[Transfers] = []

    def make(saving: object, box: Box | None = box, embargo: Embargo | None = None) -> Transfers:
        transfers = Transfers(
            lambda _name: box,
            token=lambda: Token("hf_" + "Q" * 34, "HF_TOKEN"),
            saving=lambda _shell, _box: saving,  # type: ignore[arg-type, return-value]
            embargo=embargo,
        )
        made.append(transfers)
        return transfers

    yield make
    for transfers in made:
        transfers.close()


def over(transfers: Transfers) -> TransferView:
    return wait_until(
        lambda: next((view for view in transfers.views() if view.is_over), None),
        what="the transfer's end",
    )


def test_a_push_that_ends_well_is_saved_and_its_box_is_told(start: Start, box: Box) -> None:
    transfers = start(Scripted())
    moments: list[TransferView] = []
    transfers.subscribe(moments.append)
    transfers.start(plan())
    assert over(transfers).state == "saved"
    assert box.news == ["/runs/run1"]
    assert not transfers.busy("box", "/runs/run1")
    assert {moment.state for moment in moments} == {"running", "saved"}
    shown = [transfer_text(moment) for moment in moments if moment.progress]
    assert "push best.pt to me/r: uploading best.pt  1 bytes" in shown[-1] or "50 %" in shown[-1]


def test_what_can_heal_is_tried_again_and_not_before_the_hub_says(start: Start) -> None:
    busy = HubError(HubProblem("rate", "too many commits", None, 0.2))
    saving = Scripted(busy, ActionError("lost", "the link broke"))
    transfers = start(saving)
    began = module.time.monotonic()
    transfers.start(plan())
    waiting = wait_until(
        lambda: next((view for view in transfers.views() if view.retry_in_s is not None), None),
        what="a next try",
    )
    assert transfer_text(waiting).startswith("next try in 0:00: push best.pt to me/r: too many")
    assert over(transfers).state == "saved"
    assert module.time.monotonic() - began >= 0.2
    assert saving.ends == []


def test_a_push_that_could_not_be_proven_is_looked_for_and_not_made_twice(start: Start) -> None:
    saving = Scripted(Unproven(HubProblem("unreachable", "the Hub does not answer")))
    saving.open = [pending(module.time.time() + 60.0)]
    unreachable = Unproven(HubProblem("unreachable", "the Hub does not answer"))
    saving.settled = [HubError(HubProblem("vanished", "gone")), unreachable, PUSHED]
    transfers = start(saving)
    transfers.start(plan())
    assert over(transfers).state == "saved"
    assert saving.settled == [] and saving.ends == []
    assert saving.most_at_once == 1


@pytest.mark.parametrize(
    ("age", "path"), [(3600.0, "best.pt"), (-60.0, "another/best.pt")], ids=["before", "elsewhere"]
)
def test_what_an_earlier_push_has_saved_is_not_what_is_asked_for_now(
    start: Start, age: float, path: str
) -> None:
    saving = Scripted(PUSHED)
    saving.open = [pending(module.time.time() - age, path)]
    saving.settled = [PUSHED]
    transfers = start(saving)
    transfers.start(plan())
    assert over(transfers).state == "saved"
    assert saving.settled == [], "its end is learned of"
    assert saving.ends == [], "and then it is pushed"


def test_the_hub_is_left_alone_also_after_a_restart(start: Start, tmp_path: Path) -> None:
    kept = Embargo(tmp_path)
    first = Scripted(HubError(HubProblem("rate", "too many commits", None, 3600.0)))
    transfers = start(first, embargo=kept)
    transfers.start(plan())
    wait_until(lambda: transfers.views()[0].retry_in_s, what="a wait")
    transfers.close()
    again = Scripted()
    restarted = start(again, embargo=Embargo(tmp_path))
    restarted.start(plan())
    waiting = wait_until(
        lambda: next((view for view in restarted.views() if view.retry_in_s), None), what="a wait"
    )
    assert 3500 < (waiting.retry_in_s or 0) <= 3600
    assert again.most_at_once == 0
    restarted.start(plan("me/other"))
    wait_until(lambda: again.most_at_once == 1, what="a push elsewhere")


@pytest.mark.parametrize(
    ("end", "text", "hint"),
    [
        (HubError(HubProblem("quota", "no storage left", "pull them")), "no storage left", "pull"),
        (ActionError("damaged", "not complete", "see best"), "not complete", "see best"),
        (UserError("the path is too long", "shorten it"), "the path is too long", "shorten it"),
        (RuntimeError("oops"), "boxtop erred: RuntimeError", "--debug"),
    ],
)
def test_what_cannot_heal_stays_loud(start: Start, end: Exception, text: str, hint: str) -> None:
    saving = Scripted(end)
    transfers = start(saving)
    number = transfers.start(plan())
    failed = over(transfers)
    assert (failed.state, failed.text) == ("failed", text)
    assert hint in (failed.hint or "")
    transfers.dismiss(number)
    assert transfers.views() == ()


def test_one_push_at_a_time_goes_to_a_repository(start: Start) -> None:
    saving = Scripted()
    saving.release.clear()
    transfers = start(saving)
    for _ in range(3):
        transfers.start(plan())
    wait_until(lambda: saving.at_once == 1, what="the first push")
    wait_until(
        lambda: [view.text for view in transfers.views()].count("waits for its turn") == 2,
        what="two that wait",
    )
    transfers.start(plan("me/other"))
    wait_until(lambda: saving.at_once == 2, what="a push elsewhere")
    saving.release.set()
    wait_until(lambda: all(view.state == "saved" for view in transfers.views()), what="all ends")
    assert saving.most_at_once == 2


def test_a_public_repository_is_not_pushed_to_without_a_yes(start: Start) -> None:
    saving = Scripted()
    public = Place("me/r", True, False, None, True, None)
    saving.checked = Checked(CHECKED.account, public, "2.4", None)
    transfers = start(saving)
    transfers.start(plan())
    assert "everybody could read" in over(transfers).text


def test_a_cancelled_push_ends_soon_also_while_it_waits(start: Start) -> None:
    saving = Scripted()
    saving.release.clear()
    transfers = start(saving)
    number = transfers.start(plan())
    wait_until(lambda: saving.at_once, what="the push")
    transfers.cancel(number)
    assert over(transfers).state == "cancelled"
    saving.release.set()
    slow = start(Scripted(HubError(HubProblem("rate", "wait", None, 3600.0))))
    number = slow.start(plan())
    wait_until(lambda: slow.views()[0].retry_in_s, what="a wait")
    slow.cancel(number)
    assert over(slow).state == "cancelled"


def test_what_goes_on_while_a_push_waits_is_ended_too(
    start: Start, box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []

    def abandon(shell: Shell, token: Token, push: PendingPush, notes: PendingFile) -> bool:
        ended.append(push.job)
        return True

    monkeypatch.setattr("tui.actions.transfer_work.abandon", abandon)
    monkeypatch.setattr(module, "FIRST_WAIT_SECONDS", 60.0)
    transfers = start(Scripted(ActionError("lost", "the link broke")))
    number = transfers.start(plan())
    wait_until(lambda: any(view.retry_in_s is not None for view in transfers.views()))
    PendingFile(box.proofs(RUN.path)).add(pending(module.time.time()))
    transfers.cancel(number)
    view = over(transfers)
    assert ended == ["0123"]
    assert (view.state, view.text) == (
        "cancelled",
        "cancelled; nothing of it is on the Hub; it had failed: the link broke",
    )


def test_a_pull_says_what_did_not_come(start: Start, tmp_path: Path) -> None:
    transfers = start(Scripted())
    transfers.start(Pull("box", "/runs/run1", "run1", ("best.pt",), tmp_path / "to"))
    failed = over(transfers)
    assert (failed.kind, failed.text) == ("pull", "best.pt is NOT saved: not complete")
    assert failed.hint == "see last"


def test_a_box_that_is_not_watched_any_more_fails_in_words(start: Start) -> None:
    transfers = start(Scripted(), None)
    transfers.start(plan())
    assert over(transfers).text == "box is not watched any more"


def test_the_real_client_is_let_alone_for_as_long_as_the_hub_says(
    box: Box, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FIRST_WAIT_SECONDS", 0.01)
    path = make_weights(tmp_path / "run1", best=checkpoint())
    write_status(path, state="completed", completed_epochs=3, start_epoch=1)
    hub.order("commit", Answer(429, {"error": "rate"}, {"Retry-After": "1"}), 1)
    rules = Rules(settle=0.05, patience=3.0, spare=0)
    transfers = Transfers(
        lambda _name: box,
        token=lambda: Token(hub.token, "HF_TOKEN"),
        saving=lambda shell, box: Saving(shell, box.proofs, rules=rules),
    )
    run = Run(id="run1", path=str(path), verdict="completed", epoch=3)
    transfers.start(plan("my-org/run1", run))
    assert over(transfers).state == "saved"
    transfers.close()
    assert len(hub.store.repos["my-org/run1"].commits) == 2  # its first one is the Hub's own
    assert box.proofs("").all()[0].commit == hub.store.repos["my-org/run1"].head.oid
