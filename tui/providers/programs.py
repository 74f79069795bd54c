"""Programs of this machine, run without a terminal, for a limited time, their words cleaned."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tui.links.process_pipe import ProcessPipe
from tui.providers.errors import ProviderError
from tui.text import clean, redact, said

MAX_OUTPUT = 1 << 20
AFTER_END = 0.5
"""How long output is waited for when the program has ended: what it left behind may hold it."""
TICK = 0.2


@dataclass(frozen=True, slots=True)
class Ran:
    """A program that ran. ``status`` is None when it was ended by the time limit or a signal."""

    status: int | None
    output: str
    errors: str

    @property
    def said(self) -> str:
        """Its last words on one line: of its errors, else of its output."""
        for text in (self.errors, self.output):
            lines = [line for line in text.splitlines() if line.strip()]
            if lines:
                return said(lines[-1].strip(), 240)
        return ""


def run_shell(command: str, seconds: float, environment: Mapping[str, str] | None = None) -> Ran:
    """Run a command of the user's by ``/bin/sh -c``: as it is written, with nothing filled in."""
    return run_program(["/bin/sh", "-c", command], seconds, environment)


def run_program(
    arguments: Sequence[str], seconds: float, environment: Mapping[str, str] | None = None
) -> Ran:
    """Run a program with an empty input; it and all it started are killed after ``seconds``.

    Raises ProviderError ``program`` when it cannot be started: then it did nothing.
    """
    quiet = ["/bin/sh", "-c", 'exec "$@" </dev/null', "sh", *arguments]
    try:
        pipe = ProcessPipe(quiet, {**os.environ, **(environment or {})})
    except (OSError, ValueError) as error:
        raise ProviderError("program", f"it cannot be started: {said(str(error))}") from None
    try:
        output, in_time = _read(pipe, time.monotonic() + seconds)
        status = pipe.exit_status if in_time else None
        errors = redact(clean(pipe.errors))
        if not in_time:
            pipe.kill()
    finally:
        pipe.close()
    return Ran(
        status if status is not None and status >= 0 else None,
        clean(output.decode("utf-8", "replace")),
        errors,
    )


def _read(pipe: ProcessPipe, deadline: float) -> tuple[bytes, bool]:
    """Return the output, and whether the program ended in time."""
    output = b""
    ended: float | None = None
    at_end = False
    while True:
        if not at_end:
            try:
                piece = pipe.read(TICK)
                at_end = not piece
                output = (output + piece)[:MAX_OUTPUT]
            except TimeoutError:
                pass
        now = time.monotonic()
        if pipe.exit_status is not None:
            ended = now if ended is None else ended
            if at_end or now - ended > AFTER_END:
                return output, True
        elif now > deadline:
            return output, False
        elif at_end:
            time.sleep(0.02)
