"""Where the program starts on a box: one request line in, frames out, until the watcher goes."""

import os
import sys
import time

from tui.links.follower.disk import LocalDisk, moment
from tui.links.follower.following import Follower
from tui.links.follower.loop import Loop
from tui.links.follower.request import Request
from tui.links.follower.wire import Memory, Output


def hello(follower: Follower, kind: bytes) -> None:
    """Send the first frame: who follows, where, and the box's clock."""
    disk = follower.disk
    host = os.uname().nodename.encode("utf-8", "surrogateescape")
    fields = (kind, moment(time.time()), disk.owner(os.getuid()), host, b"")
    follower.output.send(b"H", *(fields + tuple(follower.search.roots)))


def start(request: Request, output: Memory, watcher: int) -> Loop:
    """Return a loop over this machine's files, its first frame sent."""
    follower = Follower(request, output, LocalDisk())
    hello(follower, b"python")
    return Loop(follower, watcher)


def main(line: bytes) -> None:
    """Follow for a watcher at the other end of standard input and output."""
    request = Request(line)
    output = Output(request.marker, 1)
    loop = start(request, output, 0)
    try:
        loop.run()
    except (BrokenPipeError, ConnectionError, KeyboardInterrupt):
        sys.exit(0)
    finally:
        loop.close()
        os.set_blocking(1, True)
