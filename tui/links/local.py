"""This machine as a box: the same follower, as a process, or within ours for a single look."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tui.boxes import LocalTarget
from tui.facts import Fact
from tui.links.base import FollowRequest, LinkError
from tui.links.frames import Decoder
from tui.links.request import BOOT, new_marker, request_line

if TYPE_CHECKING:
    from tui.links.process_pipe import ProcessPipe


class LocalLink:
    """Follows a directory of this machine. A mirror's files are copies: no process is theirs."""

    def __init__(self, target: LocalTarget) -> None:
        self._target = target
        self._pipe: ProcessPipe | None = None
        self._closed = False

    def open(self, request: FollowRequest) -> Iterator[Fact]:
        """Yield facts of the directory until closed, or once.

        Raises LinkError("usage") when there is no such directory.
        """
        path = self._target.path.expanduser().absolute()
        if not path.is_dir():
            raise LinkError("usage", f"no such directory: {path}")
        console = None if self._target.mirror else request.console
        request = replace(request, roots=(str(path),), console=console)
        self._closed = False
        return self._once(request) if request.once else self._follow(request)

    def close(self) -> None:
        """End the stream."""
        self._closed = True
        if self._pipe is not None:
            self._pipe.close()

    def _follow(self, request: FollowRequest) -> Iterator[Fact]:
        """Run the follower as a process, so that a hanging disk hangs nobody else."""
        from tui.links.pipe import FollowerPipe
        from tui.links.process_pipe import ProcessPipe

        marker = new_marker()
        pipe = ProcessPipe([sys.executable, "-S", "-E", "-u", "-c", BOOT])
        self._pipe = pipe
        try:
            follower = FollowerPipe(pipe, request, marker, machine=not self._target.mirror)
            follower.start()
            yield from follower.facts()
        except LinkError:
            if not self._closed:
                raise
        finally:
            pipe.close()

    def _once(self, request: FollowRequest) -> Iterator[Fact]:
        """Run the follower within this process, as fast as the disk is."""
        from tui.links.follower.main import start
        from tui.links.follower.request import Request
        from tui.links.follower.wire import Memory

        marker = new_marker()
        output = Memory(marker.encode("ascii"))
        decoder = Decoder(marker)
        line = request_line(request, machine=not self._target.mirror)
        loop = start(Request(line), output, -1)
        try:
            more = True
            while more and not self._closed:
                more = loop.step()
                yield from decoder.feed(output.take())
                if more:
                    loop.wait()
        finally:
            loop.close()
