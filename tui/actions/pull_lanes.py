"""The bytes of one file from a box, over as many channels as fill the line."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.program import Program
from tui.actions.pull_part import Part, Span
from tui.actions.replies import Data
from tui.actions.shell import Shell
from tui.actions.snapshot import MODULE, READ_IDLE_SECONDS, Snapshot, TakenFile

BLOCK_BYTES = 16 << 20
"""Asked for at a time."""

AHEAD = 3
"""Blocks asked for before the first has come: a far box never waits for a question."""

GROW_SECONDS = 0.5
SLOW_RATE = 100e6
"""Further lanes begin when the first is slower than so many bytes a second after so long."""

NOTE_SECONDS = 2.0
LOOK_SECONDS = 0.1


class Lanes:
    """Fetches what is missing of one part; ``run`` may be called once."""

    def __init__(
        self,
        shell: Shell,
        snapshot: Snapshot,
        taken: TakenFile,
        part: Part,
        cancel: Cancel,
        tell: Callable[[int], None],
    ) -> None:
        self._shell = shell
        self._snapshot = snapshot
        self._taken = taken
        self._part = part
        self._cancel = cancel
        self._tell = tell
        self._lock = threading.Lock()
        self._blocks: deque[Span] = deque(part.missing(BLOCK_BYTES))
        self._done = part.done
        self._noted = time.monotonic()
        self._errors: list[ActionError] = []
        self._programs: list[Program] = []
        self._threads: list[threading.Thread] = []
        self._began = time.monotonic()
        self._first = self._done
        self._stopped = False

    def run(self) -> None:
        """Fetch all; what has come stays noted in the part, whatever happens.

        Raises ActionError: what ended the last lane, "changed" at once.
        """
        try:
            self._lane(self._snapshot.program, first=True)
            while any(thread.is_alive() for thread in self._threads):
                self._threads[0].join(LOOK_SECONDS)
                self._threads.sort(key=lambda thread: not thread.is_alive())
                self._report()
            self._cancel.check()
            if self._blocks:  # a lane that broke gave its block back after ours had ended
                self._lane(self._snapshot.program, first=True)
        finally:
            self._stop()
            for thread in self._threads:
                thread.join()
            self._part.save_note()
        if any(self._part.missing(BLOCK_BYTES)):
            raise self._errors[0]

    def _grow(self) -> None:
        """Begin further lanes, once, where the first does not fill the line by itself."""
        seconds = time.monotonic() - self._began
        if self._threads or seconds < GROW_SECONDS:
            return
        if self._done - self._first < SLOW_RATE * seconds:
            for _ in range(min(self._shell.lanes - 1, len(self._blocks))):
                thread = threading.Thread(target=self._further, name="lane", daemon=True)
                self._threads.append(thread)
                thread.start()

    def _stop(self) -> None:
        """End all further lanes: nobody may write to the part when ``run`` has returned."""
        with self._lock:
            self._stopped = True
            self._blocks.clear()
            for program in self._programs:
                program.close()

    def _further(self) -> None:
        """Run one more lane in a channel of its own; the others do its work when it fails."""
        try:
            with Program(self._shell, MODULE, {"op": "hello"}, bulk=True) as program:
                with self._lock:
                    self._programs.append(program)
                    if self._stopped:
                        return
                self._lane(program)
        except ActionError as error:
            with self._lock:
                self._errors.append(error)
                if error.kind == "changed":
                    self._blocks.clear()

    def _lane(self, program: Program, first: bool = False) -> None:
        asked: deque[tuple[int, Span]] = deque()
        try:
            while True:
                while len(asked) < AHEAD and (block := self._next()) is not None:
                    asked.append((0, block))
                    start, end = block
                    request = self._snapshot.read_request(self._taken, start, end - start)
                    asked[-1] = (program.ask(request), block)
                if not asked:
                    return
                number, block = asked[0]
                self._fetch(program, number, block, first)
                asked.popleft()
        finally:
            with self._lock:
                self._blocks.extendleft(block for _, block in reversed(asked))

    def _fetch(self, program: Program, number: int, block: Span, first: bool) -> None:
        at, end = block
        try:
            for reply in program.replies(number, READ_IDLE_SECONDS, idle=True):
                self._cancel.check()
                if not isinstance(reply, Data):
                    continue
                if at + len(reply.payload) > end:
                    raise ActionError("protocol", "the box sent more than it was asked for")
                self._part.write(at, reply.payload)
                at += len(reply.payload)
                with self._lock:
                    self._done += len(reply.payload)
                if first:
                    self._grow()
                    self._report()
            if at != end:
                raise ActionError("protocol", "the box sent less than it was asked for")
        finally:
            self._part.came(block[0], at)

    def _next(self) -> Span | None:
        with self._lock:
            return self._blocks.popleft() if self._blocks else None

    def _report(self) -> None:
        now = time.monotonic()
        if now - self._noted >= NOTE_SECONDS:
            self._noted = now
            self._part.save_note()
        self._tell(self._done)
