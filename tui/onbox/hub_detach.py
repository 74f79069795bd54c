"""Starting an uploader that outlives who started it, and the connection."""

from __future__ import annotations

import os
import signal

from tui.onbox.hub_facts import Problem
from tui.onbox.hub_jobs import Job, take_over
from tui.onbox.hub_upload import Uploader


def begin(job: Job, request: dict[str, object]) -> None:
    """Start an uploader that outlives this process; returns when it has recorded itself."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _detach(job, request, writing)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as pipe:
        if not pipe.readline():
            raise Problem("NoUploader", "the uploader could not be started")


def _detach(job: Job, request: dict[str, object], ready: int) -> None:
    """In a child: leave the session and every open file behind, and upload."""
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        for descriptor in range(3, 256):
            if descriptor != ready:
                _close(descriptor)
        os.umask(0o077)
        os.chdir("/")
        job.begin()
        take_over(request.get("cleanup"))
        uploader = Uploader(job, request)
        os.write(ready, b"ready\n")
        os.close(ready)
        uploader.run()
    finally:
        os._exit(1)


def _close(descriptor: int) -> None:
    try:
        os.close(descriptor)
    except OSError:
        pass
