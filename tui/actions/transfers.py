"""All transfers of weights under way: each in its own thread, one at a time to a repository."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.hub_token import Token, find_token
from tui.actions.progress import Progress
from tui.actions.push_plan import PushPlan
from tui.actions.saving import Saving
from tui.actions.shell import Shell
from tui.actions.transfer import (
    BoxAccess,
    Pull,
    Settle,
    Subscriber,
    Task,
    TransferState,
    TransferView,
    kind_of,
    names_of,
    run_of,
    where_to,
)
from tui.actions.transfer_work import Failed, Worker
from tui.runs.embargo import Embargo

TRIES = 20
FIRST_WAIT_SECONDS = 15.0
LONGEST_WAIT_SECONDS = 1800.0
KEPT = 50
"""Ended transfers that are still listed."""


@dataclass
class _Transfer:
    task: Task
    view: TransferView
    cancel: Cancel
    begun: float
    next_try: float | None = None
    is_unwanted: bool = False
    gives_way: bool = False


class Transfers:
    """Starts transfers and knows how each stands. Subscribers are called from their threads.

    ``access`` finds the box of a transfer by its name, None for one that is not watched;
    ``embargo`` keeps until when the Hub wants to be left alone, also for the next start.
    """

    def __init__(
        self,
        access: Callable[[str], BoxAccess | None],
        *,
        token: Callable[[], Token] = find_token,
        saving: Callable[[Shell, BoxAccess], Saving] | None = None,
        embargo: Embargo | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._worker = Worker(access, token, saving, embargo)
        self._clock = clock
        self._lock = threading.Lock()
        self._turns: dict[str, threading.Lock] = {}
        self._transfers: dict[int, _Transfer] = {}
        self._subscribers: list[Subscriber] = []
        self._numbers = 0
        self._closed = threading.Event()

    def subscribe(self, callback: Subscriber) -> None:
        """Call back, from a transfer's thread, with every moment of every transfer."""
        self._subscribers.append(callback)

    def start(self, task: Task, *, automatic: bool = False) -> int:
        """Begin a transfer; returns its number. What goes wrong with it is in its view."""
        path, run_id = run_of(task)
        with self._lock:
            self._numbers += 1
            number = self._numbers
            view = TransferView(
                number,
                kind_of(task),
                task.box,
                path,
                run_id,
                names_of(task),
                where_to(task),
                "waiting",
                "about to begin",
                automatic=automatic,
                at=self._clock(),
            )
            transfer = self._transfers[number] = _Transfer(task, view, Cancel(), time.time())
            self._forget_old()
        name = f"{view.kind} {number}"
        threading.Thread(target=self._run, args=(transfer,), name=name, daemon=True).start()
        return number

    def views(self, box: str | None = None, run: str | None = None) -> tuple[TransferView, ...]:
        """Return the transfers of a box, or of one of its runs, or all; the newest first."""
        now = self._clock()
        with self._lock:
            found = [
                replace(one.view, retry_in_s=max(0.0, one.next_try - now))
                if one.next_try is not None
                else one.view
                for one in self._transfers.values()
            ]
        return tuple(
            view for view in reversed(found) if box in (None, view.box) and run in (None, view.run)
        )

    def busy(self, box: str, run: str) -> bool:
        """Whether something of this run is on its way."""
        return any(not view.is_over for view in self.views(box, run))

    def cancel(self, number: int) -> None:
        """Stop a transfer, and the upload that it began, where that can be reached."""
        with self._lock:
            transfer = self._transfers.get(number)
        if transfer is not None:
            transfer.is_unwanted = True
            transfer.cancel.cancel()

    def give_way(self, number: int) -> None:
        """Let a transfer that waits for its next try leave that to another."""
        with self._lock:
            transfer = self._transfers.get(number)
        if transfer is not None and transfer.next_try is not None:
            transfer.gives_way = True
            transfer.cancel.cancel()

    def dismiss(self, number: int) -> None:
        """Forget a transfer that is over."""
        with self._lock:
            transfer = self._transfers.get(number)
            if transfer is not None and transfer.view.is_over:
                del self._transfers[number]

    def close(self) -> None:
        """Stop all; what was begun on a box is remembered and learned of at the next start."""
        self._closed.set()
        with self._lock:
            transfers = list(self._transfers.values())
        for transfer in transfers:
            transfer.cancel.cancel()

    def _run(self, transfer: _Transfer) -> None:
        """Try until it is saved, cannot heal, or nobody wants it any more."""
        for attempt in range(1, TRIES + 1):
            try:
                turn = self._turn(transfer)
                if turn.locked():
                    self._tell(transfer, "waiting", "waits for its turn")
                with turn:
                    text = self._done(transfer)
                self._tell(transfer, "saved", text)
                return
            except Failed as failed:
                last = attempt == TRIES or failed.wait is None
                if last:
                    self._tell(transfer, "failed", str(failed), failed.hint)
                    return
                if not self._waited(transfer, failed, attempt):
                    return
            except ActionError as error:
                assert error.kind == "cancelled", error
                self._tell(transfer, "cancelled", self._ended(transfer))
                return

    def _done(self, transfer: _Transfer) -> str:
        """Try once. Raises Failed, ActionError("cancelled")."""

        def tell(progress: Progress) -> None:
            transfer.cancel.check()
            self._tell(transfer, "running", progress.stage, progress=progress)

        return self._worker.do(transfer.task, tell, transfer.cancel, transfer.begun)

    def _ended(self, transfer: _Transfer) -> str:
        """End what a person does not want; returns how that went."""
        if not transfer.is_unwanted:
            return "cancelled"
        self._tell(transfer, "running", "cancelling")
        return self._worker.abandon(transfer.task, transfer.begun)

    def _waited(self, transfer: _Transfer, failed: Failed, attempt: int) -> bool:
        """Wait for the next try; False when it was cancelled meanwhile."""
        own = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0 ** (attempt - 1))
        wait = max(own, failed.wait or 0.0)
        transfer.next_try = self._clock() + wait
        self._tell(transfer, "waiting", str(failed), failed.hint)
        try:
            transfer.cancel.pause(wait)
        except ActionError:
            transfer.next_try = None
            if transfer.gives_way:
                with self._lock:
                    self._transfers.pop(transfer.view.number, None)
                return False
            ended = self._ended(transfer)
            self._tell(transfer, "cancelled", f"{ended}; it had failed: {failed}", failed.hint)
            return False
        transfer.next_try = None
        return True

    def _turn(self, transfer: _Transfer) -> threading.Lock:
        """Return the turn that it waits for: one push at a time to a repository."""
        task = transfer.task
        match task:
            case PushPlan():
                key = f"push {task.place.repo}"
            case Settle():
                key = f"push {task.push.repo}"
            case Pull():
                key = f"pull {task.directory}"
        with self._lock:
            return self._turns.setdefault(key, threading.Lock())

    def _tell(
        self,
        transfer: _Transfer,
        state: TransferState,
        text: str,
        hint: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        if self._closed.is_set():
            return
        began = transfer.view.at if transfer.view.state == state else self._clock()
        view = transfer.view = replace(
            transfer.view, state=state, text=text, hint=hint, progress=progress, at=began
        )
        for subscriber in self._subscribers:
            subscriber(view)

    def _forget_old(self) -> None:
        over = [number for number, one in self._transfers.items() if one.view.is_over]
        for number in over[:-KEPT]:
            del self._transfers[number]
