"""A follower at the other end of a pipe: send it, listen to it, keep it alive, notice its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NoReturn, Protocol

from tui.facts import Fact, Settled
from tui.links.base import DEADLINE_SECONDS, FollowRequest, LinkError
from tui.links.frames import Decoder
from tui.links.noise import is_final, last_line
from tui.links.request import PING, PING_SECONDS, python_input
from tui.links.shell_input import sh_input

START_SECONDS = 25.0
"""A box that is swapping may be silent for so long before it starts a program."""

LOGIN_SECONDS = 60.0
"""A login may print for so long before it runs what it was asked to."""

NOISE_SECONDS = 8.0
"""How long a reply that names a known obstacle may still turn into a follower."""

TOLD_BYTES = 80
"""So much of the program's end, said back as an error, shows that a shell took it for commands."""

LOGIN_HINT = (
    "does a file like .bashrc there start a shell or a program? It should only where `$-` holds i: "
    "boxtop's login, like scp's, is not interactive"
)

LISTEN_SECONDS = 2.0
"""Longest single read: after a sleep of this computer the end is noticed within this time."""

SLEPT_SECONDS = 10.0


class Pipe(Protocol):
    """A command running on a box, as bytes."""

    def read(self, timeout: float) -> bytes:
        """Return what has come, b"" at the end; raises TimeoutError when nothing came in time."""
        ...

    def write(self, data: bytes) -> None:
        """Send all of the bytes, or raise within a bounded time."""
        ...

    def close(self) -> None:
        """End both directions; a read in another thread returns or raises at once."""
        ...

    @property
    def errors(self) -> str:
        """The end of what the command wrote to its standard error so far."""
        ...


class FollowerPipe:
    """One follower at the other end of one pipe."""

    def __init__(
        self,
        pipe: Pipe,
        request: FollowRequest,
        marker: str,
        machine: bool = True,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._pipe = pipe
        self._request = request
        self._marker = marker
        self._machine = machine
        self._clock = clock
        self._wall = wall
        self._decoder = Decoder(marker)
        self._shell_sent = False
        self._echoed = False
        self._told = ""
        self._began = self._heard = self._pinged = clock()
        self._drift = wall() - clock()

    def start(self) -> None:
        """Send the program and the request, without waiting for any reply."""
        program = python_input(self._request, self._marker, self._machine)
        self._told = program[-TOLD_BYTES:].decode("ascii").strip()
        self._pipe.write(program)

    def facts(self) -> Iterator[Fact]:
        """Yield facts until the stream ends; call ``start`` first.

        Raises LinkError for a reply that is cut or no follower's, and for silence.
        """
        while True:
            try:
                data = self._pipe.read(self._patience())
            except TimeoutError:
                data = None
            now = self._clock()
            if data:
                self._heard = now
                self._echoed |= self._marker.encode() in data
                for fact in self._decoder.feed(data):
                    yield fact
                    if self._request.once and isinstance(fact, Settled):
                        return
                self._answer()
            elif data is not None:
                self._end()
            self._watch(now)

    def _patience(self) -> float:
        """Return how long the next read may take."""
        now = self._clock()
        due = min(self._pinged + PING_SECONDS, self._ends())
        return min(max(due - now, 0.01), LISTEN_SECONDS)

    def _ends(self) -> float:
        """Return when it is over: a follower may not be silent for long, a login not print long."""
        if self._decoder.started:
            return self._heard + DEADLINE_SECONDS
        return min(self._heard + START_SECONDS, self._began + LOGIN_SECONDS)

    def _answer(self) -> None:
        """Send the sh source to a box without python; give up where a gateway refuses."""
        if self._decoder.wants_shell and not self._shell_sent:
            self._shell_sent = True
            self._pipe.write(sh_input(self._request, self._marker, self._machine))
        if not self._decoder.started and is_final(self._decoder.noise.decode("utf-8", "replace")):
            raise self._decoder.explain(self._pipe.errors)

    def _end(self) -> NoReturn:
        if not self._decoder.started:
            raise self._decoder.explain(self._pipe.errors)
        self._decoder.finish()
        said = last_line(self._pipe.errors)
        raise LinkError("lost", "the follower on the box ended" + (f": {said}" if said else ""))

    def _watch(self, now: float) -> None:
        """Ping when it is time; raise when the other side was silent for too long."""
        if self._wall() - now - self._drift > SLEPT_SECONDS:
            raise LinkError("lost", "this computer slept, or its clock was set")
        if not self._decoder.started:
            self._judge_login(now)
        elif now > self._ends():
            raise LinkError("lost", f"no sign of life for {now - self._heard:.0f} s")
        if now - self._pinged >= PING_SECONDS:
            self._pinged = now
            self._pipe.write(PING)

    def _judge_login(self, now: float) -> None:
        """Raise when what the login printed, or its silence, says that no follower comes."""
        error = self._decoder.explain(self._pipe.errors)
        if now - self._began >= NOISE_SECONDS:
            if self._echoed or (self._told and self._told in self._pipe.errors):
                message = "the login starts something else instead of our command"
                raise LinkError("no_exec", message, LOGIN_HINT)
            if error.kind == "no_exec":
                raise error
        if now > self._ends():
            if self._decoder.noise:
                raise error
            message = f"the box did not start a command in {now - self._began:.0f} s"
            raise LinkError("unreachable", message, LOGIN_HINT)
