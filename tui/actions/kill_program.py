"""The program that ends trainings, at work on a box: its steps as typed calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.kill_tree import Seen, Tree, number_of, outcomes_of, seen_of, tree_of, whole
from tui.actions.program import Program
from tui.actions.replies import Message
from tui.actions.shell import Shell
from tui.text import said

STEP_SECONDS = 30.0

SignalName = Literal["INT", "TERM", "KILL"]
Key = tuple[int, int]


class NothingToEnd(ActionError):
    """No process of the training lives any more; ``str`` says how that is known."""

    def __init__(self, message: str) -> None:
        super().__init__("missing", message)


@dataclass(frozen=True, slots=True)
class Target:
    """The training that is meant: the run's path, and what its status says of its process.

    ``known`` are processes that were left of it when it was ended before.
    """

    run: str
    pid: int
    started_at: float | None = None
    known: tuple[Key, ...] = ()

    @property
    def request(self) -> dict[str, Any]:
        """What every request about it holds."""
        known = [list(key) for key in self.known]
        return {"run": self.run, "pid": self.pid, "started_at": self.started_at, "known": known}


class EndProgram:
    """One running ``tui.onbox.end``; every call raises ActionError. Cancelling ends it."""

    def __init__(self, shell: Shell, target: Target, cancel: Cancel) -> None:
        self._target = target
        first = {"op": "look", **target.request}
        self._program = Program(shell, "end", first)
        self._looked = False
        try:
            cancel.ends(self._program.close)
        except ActionError:
            self._program.close()
            raise

    def __enter__(self) -> EndProgram:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._program.close()

    def look(self) -> Tree:
        """Find the training's whole tree. Raises NothingToEnd, ActionError("refused", …)."""
        number = self._program.first if not self._looked else self._ask("look")
        self._looked = True
        values = self._program.result(number, STEP_SECONDS)
        if "gone" in values:
            raise NothingToEnd(said(str(values["gone"]), 200))
        return tree_of(values)

    def signal(self, name: SignalName, members: Iterable[Key]) -> dict[int, str]:
        """Signal processes; returns ``sent``, ``gone`` or ``denied`` by pid."""
        number = self._ask("signal", signal=name, members=[list(one) for one in members])
        return outcomes_of(self._program.result(number, STEP_SECONDS))

    def wait(
        self,
        members: Iterable[Key],
        seconds: float,
        tell: Callable[[int, float], None],
        until_ended: bool = False,
    ) -> Seen:
        """Wait until processes are gone or ``seconds`` are over.

        ``tell`` gets how many are left, and the seconds that it goes on for.
        """
        keys = [list(one) for one in members]
        number = self._ask("wait", members=keys, seconds=seconds, until_ended=until_ended)
        values: dict[str, Any] = {}
        for reply in self._program.replies(number, seconds + STEP_SECONDS):
            if not isinstance(reply, Message):
                continue
            waiting = reply.values.get("waiting")
            if isinstance(waiting, dict):
                tell(whole(waiting.get("left")), max(0.0, number_of(waiting.get("seconds"))))
            done = reply.values.get("done")
            values = done if isinstance(done, dict) else values
        return seen_of(values)

    def left(self, members: Iterable[Key]) -> Seen:
        """Say who of these is left, and how much memory of each GPU is in use."""
        number = self._ask("left", members=[list(one) for one in members])
        return seen_of(self._program.result(number, STEP_SECONDS))

    def _ask(self, operation: str, **values: object) -> int:
        return self._program.ask({"op": operation, **self._target.request, **values})
