"""Watching a push from any connection: its progress until it ends, and how it ended."""

from __future__ import annotations

import os
import select
import signal
import time

from tui.onbox.hub_jobs import Job, all_jobs, start_time
from tui.onbox.hub_wire import Wire

BEAT_SECONDS = 5.0
GRACE_SECONDS = 5.0


def follow(job: Job, wire: Wire, tick: float = 0.2, source: int = 0) -> None:
    """Send ``progress`` whenever it changes, then ``result``; return early when ``source`` ends.

    As a sign of life, the progress comes every few seconds even if nothing moves. Raises Problem
    ``NoJob``, also when somebody else has learned of the end and forgets the push meanwhile.
    """
    job.need()
    last: dict[str, object] | None = None
    spoken = time.monotonic()
    while True:
        state = job.state()
        progress = job.read("progress")
        silent = time.monotonic() - spoken > BEAT_SECONDS
        if progress is not None and (progress != last or silent):
            wire.send("progress", progress)
            last, spoken = progress, time.monotonic()
        elif silent:
            wire.beat()
            spoken = time.monotonic()
        if state == "gone":
            job.need()
        if state != "running":
            wire.done("result", ended(job))
            return
        if _gone(source, tick):
            return


def ended(job: Job) -> dict[str, object]:
    """Return a job's result; for one that vanished a result that says so.

    Whether its commit landed only the Hub can tell then: what is on the disk may be old.
    """
    result = job.read("result")
    if result is not None:
        return result
    job.clean_up()
    progress, known = job.read("progress") or {}, job.read("job") or {}
    error = {
        "stage": progress.get("stage"),
        "type": "Vanished",
        "chain": ["Vanished"],
        "errno": None,
        "status": None,
        "message": "the upload ended without a result",
    }
    return {
        "ok": False,
        "job": job.name,
        "repo": known.get("repo"),
        "private": None,
        "commit": None,
        "files": [],
        "error": error,
        "landed": None,
    }


def jobs() -> list[dict[str, object]]:
    """Return ``{job, state, known, progress, result}`` of every push of this user."""
    found: list[dict[str, object]] = []
    for job in all_jobs():
        state = job.state()
        found.append(
            {
                "job": job.name,
                "state": state,
                "known": job.read("job"),
                "progress": job.read("progress"),
                "result": None if state == "running" else ended(job),
            }
        )
    return found


def cancel(job: Job) -> dict[str, object]:
    """End an upload, by force when it does not end by itself, and return its result."""
    job.need()
    pid = job.uploader()
    if pid is not None:
        start = start_time(pid)
        _signal(pid, signal.SIGTERM)
        if not _ends(pid, start):
            _signal(pid, signal.SIGKILL)
            _ends(pid, start)
    result = ended(job)
    error = result.get("error")
    if isinstance(error, dict) and error.get("type") == "Vanished" and pid is not None:
        error.update({"type": "Cancelled", "message": "the upload was cancelled"})
        job.write("result", result)
    return result


def forget(job: Job) -> bool:
    """Remove a job that is not running; False when it still is."""
    if job.state() == "running":
        return False
    job.clean_up()
    job.remove()
    return True


def _ends(pid: int, start: str | None) -> bool:
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline:
        if start_time(pid) != start:
            return True
        time.sleep(0.05)
    return False


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        pass


def _gone(source: int, seconds: float) -> bool:
    """Wait; whether the other side closed what we read from."""
    ready, _, _ = select.select([source], [], [], seconds)
    if not ready:
        return False
    try:
        return os.read(source, 65536) == b""
    except OSError:
        return True
