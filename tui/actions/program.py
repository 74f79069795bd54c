"""A program of ``tui.onbox`` at work on a box: sent over a shell, asked, listened to.

The program's source goes in over its standard input; nothing is written to the box.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, TypeVar

from tui.actions.errors import ActionError, known_kind
from tui.actions.replies import Decoder, Message, Reply
from tui.actions.shell import Shell
from tui.links.base import LinkError
from tui.links.noise import explain_noise, is_final, last_line
from tui.links.pipe import Pipe
from tui.links.request import LOADER, PLACES, command, new_marker, packed
from tui.links.ssh.parts import Closed
from tui.text import said

T = TypeVar("T")

PACKAGE = "tui.onbox"
FOLDER = Path(__file__).parents[1] / "onbox"
START_SECONDS = 30.0
SILENCE_SECONDS = 20.0
"""A program that works gives a sign of life every 5 s."""

PING_SECONDS = 15.0
LISTEN_SECONDS = 1.0
NO_PYTHON_HINT = "boxtop needs Python 3.8 or newer on the box to look into weights"

_PROLOGUE = """\
import sys
SOURCES = {sources!r}
LATER = ()
{loader}
if sys.version_info < (3, 8):
    import json
    print("@@" + json.loads(sys.stdin.buffer.readline().decode())["marker"] + " sh")
    sys.exit()
from {module} import main
main(sys.stdin.buffer.readline())
"""
_IMPORTED = re.compile(r"^\s*from tui\.onbox(?:\.(\w+))? import (\w+)", re.MULTILINE)


class Program:
    """One running program. One thread asks and listens; ``close`` may come from any.

    It is kept alive until it is closed, also while nobody listens.
    """

    def __init__(
        self,
        shell: Shell,
        module: str,
        request: Mapping[str, Any],
        bulk: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start ``tui.onbox.MODULE`` with its first request; ``bulk`` as ``Shell.run`` has it.

        Raises ActionError.
        """
        self._clock = clock
        marker = new_marker()
        self._decoder = Decoder(marker)
        self._numbers = 0
        self._closed = threading.Event()
        self._writing = threading.Lock()
        self._began = self._heard = clock()
        pythons = getattr(shell, "pythons", PLACES)
        self._pipe: Pipe = _guarded(lambda: shell.run(command(marker, pythons), bulk))
        self._replies = self._listen()
        first = self._numbered({**request, "marker": marker})
        try:
            self._write(program_input(module) + b"\n" + first)
        except ActionError:
            self.close()
            raise
        threading.Thread(target=self._ping, name="keep a program", daemon=True).start()

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def first(self) -> int:
        """The number of the request that started it."""
        return 1

    def ask(self, request: Mapping[str, Any]) -> int:
        """Send a further request, to be answered after those before; returns its number."""
        self._write(self._numbered(request))
        return self._numbers

    def replies(self, number: int, seconds: float, idle: bool = False) -> Iterator[Reply]:
        """Yield the replies to a request up to its last, which holds ``done``.

        ``seconds`` is how long all of it may take; with ``idle``, how long nothing of it may come.
        Raises ActionError: what the program told as the error, "timeout", "lost", "protocol", ….
        """
        deadline = self._clock() + seconds
        while True:
            if self._clock() > deadline:
                raise ActionError("timeout", f"the box did not finish within {seconds:.0f} s")
            reply = next(self._replies)
            if reply is None:
                continue
            if isinstance(reply, Message):
                if reply.values.get("re") != number:
                    continue
                if "error" in reply.values:
                    raise told_error(reply.values["error"])
            if idle:
                deadline = self._clock() + seconds
            yield reply
            if isinstance(reply, Message) and "done" in reply.values:
                return

    def result(self, number: int, seconds: float) -> dict[str, Any]:
        """Return what a request's last reply holds. Raises ActionError as ``replies`` does."""
        done: object = None
        for reply in self.replies(number, seconds):
            if isinstance(reply, Message):
                done = reply.values.get("done")
        return done if isinstance(done, dict) else {}

    def close(self) -> None:
        """End the program: its input closes, and it removes what it still holds."""
        self._closed.set()
        self._pipe.close()

    def _numbered(self, request: Mapping[str, Any]) -> bytes:
        self._numbers += 1
        document = {**request, "id": self._numbers}
        return json.dumps(document, separators=(",", ":")).encode("ascii") + b"\n"

    def _write(self, data: bytes) -> None:
        with self._writing:
            _guarded(lambda: self._pipe.write(data))

    def _ping(self) -> None:
        while not self._closed.wait(PING_SECONDS):
            try:
                self._write(b"\n")
            except ActionError:
                return

    def _listen(self) -> Iterator[Reply | None]:
        """Yield replies for ever, None whenever a moment passed. Raises ActionError."""
        while True:
            try:
                data = _guarded(lambda: self._pipe.read(LISTEN_SECONDS))
            except TimeoutError:
                self._check_silence()
                yield None
                continue
            except ActionError:
                if self._closed.is_set():
                    raise ActionError("cancelled", "cancelled") from None
                raise
            if not data:
                self._end()
            self._heard = self._clock()
            yield from self._decoder.feed(data)
            if self._decoder.lacks_python:
                raise ActionError("no_python", "there is no usable python3", NO_PYTHON_HINT)
            if not self._decoder.started:
                self._check_silence()
            yield None

    def _check_silence(self) -> None:
        if self._closed.is_set():
            raise ActionError("cancelled", "cancelled")
        now = self._clock()
        if self._decoder.started:
            if now - self._heard > SILENCE_SECONDS:
                raise ActionError("lost", f"no sign of life of the box for {SILENCE_SECONDS:.0f} s")
            return
        text = self._decoder.noise.decode("utf-8", "replace")
        if is_final(text):
            raise ActionError.of_link(explain_noise(text, self._pipe.errors))
        if now - self._began > START_SECONDS:
            message = f"the box did not start a program within {START_SECONDS:.0f} s"
            raise ActionError("timeout", message)

    def _end(self) -> NoReturn:
        if self._closed.is_set():
            raise ActionError("cancelled", "cancelled")
        errors = self._pipe.errors
        if not self._decoder.started:
            text = self._decoder.noise.decode("utf-8", "replace")
            raise ActionError.of_link(explain_noise(text, errors))
        last = last_line(errors)
        raise ActionError("lost", "the program on the box ended" + (f": {last}" if last else ""))


def told_error(values: object) -> ActionError:
    """Return the error that a box told, made harmless."""
    if not isinstance(values, dict):
        return ActionError("protocol", "the box told an error that cannot be read")
    others = values.get("others")
    hint = None
    if isinstance(others, list) and others:
        names = ", ".join(said(str(name), 60) for name in others[:8])
        hint = f"complete on the box: {names}"
    return ActionError(known_kind(values.get("kind")), said(str(values.get("message"))), hint)


@cache
def program_input(module: str) -> bytes:
    """Return the one line that starts ``tui.onbox.MODULE``, with all that it imports of onbox."""
    sources = {"tui": "", PACKAGE: ""}
    wanted = [module]
    while wanted:
        name = wanted.pop()
        if f"{PACKAGE}.{name}" in sources:
            continue
        source = (FOLDER / f"{name}.py").read_text("utf-8")
        sources[f"{PACKAGE}.{name}"] = source
        wanted += [below or named for below, named in _IMPORTED.findall(source)]
    text = _PROLOGUE.format(sources=sources, loader=LOADER, module=f"{PACKAGE}.{module}")
    return packed(text)


def _guarded(act: Callable[[], T]) -> T:
    """Do something with a pipe; its errors become ours, but for a read's TimeoutError."""
    try:
        return act()
    except LinkError as error:
        raise ActionError.of_link(error) from error
    except Closed as error:
        raise ActionError("cancelled", "cancelled") from error
